"""ChatGPT's export: the branch that is shown, what was said in it, and nothing of its machinery."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from goalmem.errors import FormatError
from goalmem.integrations.importers import ImportOptions, Reading, read
from tests.integrations.importers.exports import NOON, chatgpt, written, zipped
from tests.integrations.importers.exports import chatgpt_node as node


def texts(path: Path, reading: Reading | None = None, **options: object) -> list[tuple[str, str]]:
    run = reading or Reading(ImportOptions(**options))
    return [(m["role"], m["content"]) for chat in read(path, reading=run) for m in chat.messages]


def test_the_shown_branch_is_read(tmp_path: Path):
    conversation = chatgpt(
        node("s", "root", "system", "", weight=0.0, at=None),
        node("u1", "s", "user", "I adopted a beagle."),
        node("a1", "u1", "assistant", "A first try."),
        node("a2", "u1", "assistant", "Congratulations!"),
        node("u2", "a2", "user", "Her name is Luna."),
    )
    reading = Reading()
    assert texts(written(tmp_path / "conversations.json", [conversation]), reading) == [
        ("user", "I adopted a beagle."),
        ("assistant", "Congratulations!"),
        ("user", "Her name is Luna."),
    ]
    assert reading.passed_over == {"hidden": 1, "other branch": 1}


def test_other_branches_are_sessions_of_their_own_on_request(tmp_path: Path):
    conversation = chatgpt(
        node("u1", "root", "user", "Hello."),
        node("a1", "u1", "assistant", "One."),
        node("a2", "u1", "assistant", "Two."),
    )
    chats = list(read(written(tmp_path / "c.json", [conversation]), options=ImportOptions(branches=True)))
    assert [(c.key, [m["content"] for m in c.messages]) for c in chats] == [
        ("c1", ["Hello.", "Two."]),
        ("c1/a1", ["One."]),
    ]


def test_without_a_current_node_the_latest_leaf_is_shown(tmp_path: Path):
    conversation = chatgpt(
        node("u1", "root", "user", "Hello."),
        node("a1", "u1", "assistant", "Later.", at=NOON + 9),
        node("a2", "u1", "assistant", "Earlier.", at=NOON + 1),
        current="gone",
    )
    assert ("assistant", "Later.") in texts(written(tmp_path / "c.json", [conversation]))


def test_a_circle_of_nodes_ends(tmp_path: Path):
    conversation = chatgpt(node("a", "b", "user", "One."), node("b", "a", "user", "Two."))
    assert len(texts(written(tmp_path / "c.json", [conversation]))) == 2


def test_machinery_is_passed_over_and_told(tmp_path: Path):
    content = {"content": {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}}
    instructions = {"content": {"content_type": "user_editable_context", "user_profile": "I am a nurse."}}
    conversation = chatgpt(
        node("i", "root", "user", **instructions),
        node("u", "i", "user", "Search for boats."),
        node("t1", "u", "assistant", **content),
        node("t2", "t1", "assistant", '{"q": "boats"}', recipient="web.run"),
        node("t3", "t2", "tool", "found"),
        node("h", "t3", "assistant", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node("p", "h", "user", {"content_type": "image_asset_pointer", "asset_pointer": "sediment://1"}),
        node("a", "p", "assistant", "Here are boats【3†source】 \ue200cite\ue202turn0search1\ue201."),
    )
    path = written(tmp_path / "c.json", [conversation])
    reading = Reading()
    assert texts(path, reading) == [("user", "Search for boats."), ("assistant", "Here are boats .")]
    assert reading.passed_over == {"custom instructions": 1, "reasoning": 1, "tool": 2, "hidden": 1, "media": 1}
    assert ("tool", "found") in texts(path, tools=True)


def test_pictures_of_words_spoken_words_and_files_count(tmp_path: Path):
    picture = {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "a red boat"}}}
    spoken = {"content_type": "audio_transcription", "text": "I sail.", "direction": "in"}
    conversation = chatgpt(
        node("u", "root", "user", spoken, metadata={"attachments": [{"name": "lease.pdf"}]}),
        node("a", "u", "assistant", picture),
    )
    [chat] = read(written(tmp_path / "c.json", [conversation]))
    assert chat.messages[0]["content"] == "I sail.\n[attached: lease.pdf]"
    assert chat.messages[1]["caption"] == "a red boat"


def test_times_are_in_the_users_zone_and_a_missing_one_is_that_before(tmp_path: Path):
    conversation = chatgpt(node("u", "root", "user", "Hi."), node("a", "u", "assistant", "Hello.", at=None))
    path = written(tmp_path / "c.json", [conversation])
    [chat] = read(path)
    assert chat.at == chat.messages[1]["at"] == datetime(2024, 5, 1, 12, tzinfo=UTC)
    [chat] = read(path, options=ImportOptions(zone=ZoneInfo("Europe/Oslo"), name="Maya"))
    assert chat.messages[0]["at"].isoformat() == "2024-05-01T14:00:00+02:00"
    assert [m.get("name") for m in chat.messages] == ["Maya", None]


def test_numbered_files_in_an_archive_are_read_in_order(tmp_path: Path):
    import json

    files = {
        f"export/conversations-{n:03}.json": json.dumps(
            [chatgpt(node(f"u{n}", "root", "user", f"Note {n}."), id_=f"c{n}")]
        )
        for n in (1, 0)
    }
    path = zipped(
        tmp_path / "e.zip", {**files, "export/user.json": "{}", "__MACOSX/export/._conversations-000.json": "x"}
    )
    assert [text for _, text in texts(path)] == ["Note 0.", "Note 1."]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([chatgpt(node("u", "root", "user", "x")), {"title": "y"}], "(entry 2): this is no conversation of ChatGPT"),
        ([chatgpt(node("u", "root", "user", "x", at="yesterday-ish"))], "the time 'yesterday-ish' cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused_or_skipped(tmp_path: Path, value: list, said: str):
    path = written(tmp_path / "c.json", value)
    with pytest.raises(FormatError) as refused:
        texts(path)
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"{path}, line 1, column")
    reading = Reading(ImportOptions(skip_bad=True))
    assert texts(path, reading) == [("user", "x")]
    assert reading.bad == 1
