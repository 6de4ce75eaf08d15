"""How certain a statement is: what later ones leave of it, what its own words leave open, and the probability of what is read.

- `replacements`: a later statement surely took its place, so that it proves nothing about the present.
- `outdated`: a later sentence gives a value of the question another one, surely or perhaps, in whatever words.
- `doubts`: it is `likely` at most, or open. Each reason has a module:
  - `endings`: a later statement may have ended it, by verbs and arguments or (`same_matter`) by tense and likeness;
  - `retraction`: it is taken back, at once or later;
  - `denials`: what it denies may be so by now;
  - `implied`, `reservations`: its own words only suggest it, or leave it open;
  - `namesakes`: it is about something else that goes by the same words.
- `topics` and `later_statements`: what a statement is about, and the later ones about the same.
- `answer_ranking`: the probability of an answer that was read.
"""
