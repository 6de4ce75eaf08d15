"""How certain a statement is: what later ones leave of it, what its own words leave open, and the probability of what is read.

- `replacements`: a later statement surely took its place, so that it proves nothing about the present.
- `outdated`: a later sentence gives a value of the question another one, surely or perhaps, in whatever words.
- `doubts`: it is `likely` at most, since it is taken back, left open by its own words (`reservations`), past its time, or may have been ended
  by a later statement (`change`, by verbs and arguments; `same_matter`, by tense and likeness).
- `topics` and `later_statements`: what a statement is about, and the later ones about the same.
- `answer_ranking`: the probability of an answer that was read.
"""
