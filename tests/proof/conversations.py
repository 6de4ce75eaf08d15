"""Three small conversations, and questions whose answers they prove: what proofs are forged of."""

from __future__ import annotations

from typing import NamedTuple


class Conversation(NamedTuple):
    """Sessions (day, messages of speaker and text), questions, and turns that replace what was said, with a question each."""

    sessions: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    questions: tuple[str, ...]
    later: tuple[tuple[str, str, str], ...]
    """Speaker, what they say later, and the question whose old answer it takes back."""


COAST = Conversation(
    (
        (
            "2024-02-03T10:00:00",
            (
                ("Petra", "I live in Aveiro now. I moved to Aveiro in January 2024."),
                ("Emil", "How nice! I work at a brewery."),
                ("Petra", "I own a canoe and a tandem bicycle."),
                ("Emil", "My brother Lukas lives in Graz. He repairs clocks."),
                ("Petra", "I adopted a cat called Pepper on 10 January 2024."),
            ),
        ),
        (
            "2024-04-14T10:00:00",
            (
                ("Emil", "I visited Lisbon on 2 March 2024. I visited Seville on 20 March 2024."),
                ("Petra", "I adopted a dog called Basil on 5 April 2024."),
                ("Emil", "I drink coffee. I never eat cheese."),
                ("Petra", "My favourite colour is teal."),
                ("Emil", "I visited Bergen on 8 April 2024."),
                ("Petra", "I love olives. My sister Rosa lives in Malaga."),
            ),
        ),
    ),
    (
        "Where does Petra live?",
        "Where does Emil work?",
        "Where does Emil's brother live?",
        "What does Emil's brother repair?",
        "When did Petra adopt Basil?",
        "Which cities did Emil visit?",
        "How many cities did Emil visit?",
        "Which city did Emil visit first?",
        "How many pets did Petra adopt?",
        "Does Emil eat cheese?",
        "Does Emil drink coffee?",
        "Does Petra love olives?",
        "What is Petra's favourite colour?",
        "Where does Petra's sister live?",
        "How many days after Petra adopted Pepper did Petra adopt Basil?",
        "Did Petra adopt Pepper before Petra adopted Basil?",
        "How long ago did Petra adopt Pepper?",
        "What does Petra own?",
    ),
    (
        ("Petra", "I moved to Porto last week. I live in Porto now.", "Where does Petra live?"),
        ("Emil", "I started a new job at a print shop.", "Where does Emil work?"),
        ("Emil", "I don't drink coffee any more.", "Does Emil drink coffee?"),
        ("Petra", "I hate olives now.", "Does Petra love olives?"),
        ("Petra", "My favourite colour is orange now.", "What is Petra's favourite colour?"),
        ("Emil", "Lukas moved to Vienna in May.", "Where does Emil's brother live?"),
    ),
)

WORKSHOP = Conversation(
    (
        (
            "2023-09-02T18:00:00",
            (
                ("Yusuf", "I bought a lathe from Harriet on 1 August 2023."),
                ("Noor", "Harriet is my aunt. She lives in Leiden."),
                ("Yusuf", "I work as a carpenter at Brightwood."),
                ("Noor", "I play the cello. I am allergic to walnuts."),
                ("Yusuf", "My daughter Amina collects stamps."),
                ("Noor", "I bought a kayak on 3 August 2023."),
            ),
        ),
        (
            "2023-11-19T18:00:00",
            (
                ("Noor", "I bought a tent on 4 October 2023 and a stove on 6 October 2023."),
                ("Yusuf", "I read Middlemarch on 12 October 2023."),
                ("Noor", "I have a parrot. I went to Utrecht on 14 November 2023."),
                ("Yusuf", "Amina is nine years old. I gave Amina a globe on 2 November 2023."),
                ("Noor", "I went to Ghent on 2 September 2023."),
            ),
        ),
    ),
    (
        "Where does Noor's aunt live?",
        "Where does Yusuf work?",
        "What does Noor play?",
        "What does Yusuf's daughter collect?",
        "When did Yusuf buy a lathe?",
        "What did Noor buy?",
        "How many things did Noor buy?",
        "Is Noor allergic to walnuts?",
        "Who gave Amina a globe?",
        "When did Yusuf read Middlemarch?",
        "How old is Amina?",
        "Which cities did Noor go to?",
        "Does Noor have a parrot?",
        "Where does the person who sold Yusuf a lathe live?",
        "Did Noor go to Ghent before Noor went to Utrecht?",
    ),
    (
        ("Yusuf", "I work at Larkspur now.", "Where does Yusuf work?"),
        ("Noor", "I don't have a parrot any more.", "Does Noor have a parrot?"),
        (
            "Noor",
            "Harriet moved to Delft.",
            "Where does Noor's aunt live?|Where does the person who sold Yusuf a lathe live?",
        ),
        ("Noor", "I don't play the cello any more.", "What does Noor play?"),
    ),
)

KITCHEN = Conversation(
    (
        (
            "2025-01-11T09:00:00",
            (
                ("Ottilie", "I run a bakery in Bamberg."),
                ("Farid", "My friend Selma teaches chemistry. She lives in Ulm."),
                ("Ottilie", "I like rye bread. I can't stand marzipan."),
                ("Farid", "I started learning Swedish on 2 January 2025."),
                ("Ottilie", "My son Jasper plays chess. He is allergic to eggs."),
                ("Farid", "I have two rabbits."),
            ),
        ),
        (
            "2025-03-15T09:00:00",
            (
                ("Ottilie", "Jasper won a tournament on 8 March 2025."),
                ("Farid", "I cooked a goulash on 1 February 2025. I cooked a risotto on 9 February 2025."),
                ("Ottilie", "I sold my van on 20 February 2025."),
                ("Farid", "I speak Persian and German. I sold my piano to Ottilie."),
                ("Ottilie", "I paid 40 euros for flour on 3 March 2025. I paid 25 euros for butter on 4 March 2025."),
            ),
        ),
    ),
    (
        "Where does Farid's friend live?",
        "What does Selma teach?",
        "What does Ottilie's son play?",
        "Is Jasper allergic to eggs?",
        "When did Jasper win a tournament?",
        "When did Ottilie sell her van?",
        "What did Farid cook?",
        "How many dishes did Farid cook?",
        "Which languages does Farid speak?",
        "Does Ottilie like marzipan?",
        "Does Ottilie like rye bread?",
        "How many rabbits does Farid have?",
        "How many days after Farid cooked a goulash did Farid cook a risotto?",
        "Who sold Ottilie a piano?",
        "How long ago did Ottilie sell her van?",
    ),
    (
        ("Farid", "Selma moved to Freiburg.", "Where does Farid's friend live?"),
        ("Ottilie", "I don't like rye bread any more.", "Does Ottilie like rye bread?"),
        ("Farid", "I have three rabbits now.", "How many rabbits does Farid have?"),
    ),
)

CONVERSATIONS = {"coast": COAST, "workshop": WORKSHOP, "kitchen": KITCHEN}
