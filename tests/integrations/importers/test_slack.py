"""Slack's export: people and channels by name, days and threads as sessions, notices left out."""

from pathlib import Path

import pytest

from goalmem.errors import FormatError
from goalmem.integrations.importers import Chat, ImportOptions, Reading, read
from goalmem.integrations.importers.slack import block_text, plain_text
from tests.integrations.importers.exports import slack, slack_message, zipped


def chats(path: Path, days: dict, **lists: list) -> dict[str, Chat]:
    return {chat.key: chat for chat in read(zipped(path / "s.zip", slack(days, **lists)))}


def test_a_day_of_a_channel_is_a_session(tmp_path: Path):
    found = chats(
        tmp_path,
        {
            "general/2024-05-02": [slack_message("1714646400.000100", "Second day.", "U2")],
            "general/2024-05-01": [slack_message("1714564800.000100", "I bought a boat.")],
        },
    )
    assert list(found) == ["C1/2024-05-01", "C1/2024-05-02"]
    day = found["C1/2024-05-01"]
    assert day.title == "#general"
    [message] = day.messages
    assert (message["name"], message["id"], message["at"].isoformat()) == (
        "Maya",
        "1714564800.000100",
        "2024-05-01T12:00:00.000100+00:00",
    )
    assert found["C1/2024-05-02"].messages[0]["name"] == "Tom Ford"


def test_a_thread_is_a_session_over_days(tmp_path: Path):
    root = slack_message("1714564800.000100", "Lunch?", thread_ts="1714564800.000100", reply_count=2)
    found = chats(
        tmp_path,
        {
            "general/2024-05-01": [root, slack_message("1714564900.000100", "Beside it.")],
            "general/2024-05-02": [slack_message("1714646400.000100", "Yes!", "U2", thread_ts="1714564800.000100")],
        },
    )
    with_thread = list(read(tmp_path / "s.zip"))
    thread = [chat for chat in with_thread if chat.key == "C1/1714564800.000100"]
    assert [m["content"] for chat in thread for m in chat.messages] == ["Lunch?", "Yes!"]
    assert {str(chat.at)[:10] for chat in thread} == {"2024-05-01"}
    assert [m["content"] for m in found["C1/2024-05-01"].messages] == ["Beside it."]


def test_direct_and_group_conversations_are_called_after_their_members(tmp_path: Path):
    day = [slack_message("1714564800.000100", "Hi.")]
    found = chats(
        tmp_path,
        {"D1/2024-05-01": day, "mpdm-a--b-1/2024-05-01": day, "private/2024-05-01": day, "unlisted/2024-05-01": day},
        dms=[{"id": "D1", "members": ["U1", "U2"]}],
        mpims=[{"id": "G2", "name": "mpdm-a--b-1", "members": ["U1", "U2", "U3"]}],
        groups=[{"id": "G1", "name": "private", "members": ["U1"]}],
    )
    titles = {key.partition("/")[0]: chat.title for key, chat in found.items()}
    assert titles == {"D1": "Maya, Tom Ford", "G2": "Maya, Tom Ford, U3", "G1": "#private", "unlisted": "#unlisted"}


def test_notices_are_passed_over_and_told(tmp_path: Path):
    notices = [
        slack_message("1.1", "<@U1> has joined", subtype="channel_join"),
        slack_message("1.2", "<@U1> has left", subtype="channel_leave"),
        slack_message("1.3", "deleted", subtype="tombstone", hidden=True),
    ]
    path = zipped(tmp_path / "s.zip", slack({"general/2024-05-01": [*notices, slack_message("1714564800.1", "")]}))
    reading = Reading()
    assert list(read(path, reading=reading)) == []
    assert reading.passed_over == {"notice": 3, "empty": 1}


def test_bots_files_pictures_and_changed_messages(tmp_path: Path):
    changed = {
        "type": "message",
        "subtype": "message_changed",
        "ts": "9.9",
        "message": slack_message("1714564805.1", "Fixed."),
    }
    day = [
        {"type": "message", "subtype": "bot_message", "username": "deploy", "ts": "1714564801.1", "text": "", "attachments": [{"fallback": "Deployed 1.2"}]},
        {"type": "message", "bot_id": "B1", "bot_profile": {"name": "cal"}, "ts": "1714564802.1", "text": "Meeting at 9"},
        slack_message("1714564803.1", "", files=[{"name": "lease.pdf", "mimetype": "application/pdf"}]),
        slack_message("1714564804.1", "Look", files=[{"name": "p.png", "title": "our boat", "mimetype": "image/png"}]),
        slack_message("1714564805.1", "Fxied."),
        changed,
        slack_message("1714564806.1", "Hey", "U9", user_profile={"display_name": "Guest"}),
    ]  # fmt: skip
    messages = chats(tmp_path, {"general/2024-05-01": day})["C1/2024-05-01"].messages
    assert [(m["role"], m["name"], m["content"], m.get("caption")) for m in messages] == [
        ("assistant", "deploy", "Deployed 1.2", None),
        ("assistant", "cal", "Meeting at 9", None),
        ("user", "Maya", "[attached: lease.pdf]", None),
        ("user", "Maya", "Look", "our boat"),
        ("user", "Maya", "Fixed.", None),
        ("user", "Guest", "Hey", None),
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Ask <@U1> or <@U2|tom>", "Ask @Maya or @tom"),
        ("in <#C1> and <#C2|random>", "in #general and #random"),
        ("<!here> and <!subteam^S1|@team>", "@here and @team"),
        ("<!date^1392734382^{date}|18 Feb>", "18 Feb"),
        ("<https://x.no|Cafe &amp; Bar> <https://y.no>", "Cafe & Bar (https://x.no) https://y.no"),
        ("<mailto:a@b.no|a@b.no>", "a@b.no"),
        ("1 &lt; 2 &amp; 3 &gt; 2", "1 < 2 & 3 > 2"),
        ("a < b > c", "a < b > c"),
    ],
)
def test_markup_becomes_plain_text(written: str, shown: str):
    assert plain_text(written, {"U1": "Maya"}.__getitem__, {"C1": "general"}.__getitem__) == shown


def test_blocks_have_text():
    section = {
        "type": "rich_text_section",
        "elements": [{"type": "text", "text": "Hi "}, {"type": "user", "user_id": "U1"}],
    }
    assert block_text([{"type": "rich_text", "elements": [section]}]) == "Hi <@U1>"
    assert block_text([{"type": "section", "text": {"type": "mrkdwn", "text": "*bold*"}}]) == "*bold*"
    deep: dict = {"type": "rich_text", "elements": []}
    deep["elements"].append(deep)
    assert block_text(deep) == ""


def test_a_bad_message_is_named_with_its_line(tmp_path: Path):
    day = [slack_message("1714564800.1", "Fine."), slack_message("noon", "When?"), "text"]
    path = zipped(tmp_path / "s.zip", slack({"general/2024-05-01": day}))
    with pytest.raises(FormatError, match=r"general/2024-05-01\.json, line 8, column 2 \(entry 2\): .*'noon'"):
        list(read(path))
    reading = Reading(ImportOptions(skip_bad=True))
    [chat] = read(path, reading=reading)
    assert (len(chat.messages), reading.bad) == (1, 2)


def test_an_unpacked_export_is_read(tmp_path: Path):
    for name, text in slack({"general/2024-05-01": [slack_message("1714564800.1", "Hi.")]}).items():
        (tmp_path / "w" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "w" / name).write_text(text)
    [chat] = read(tmp_path / "w")
    assert chat.title == "#general"


def test_a_single_file_is_no_workspace(tmp_path: Path):
    (tmp_path / "users.json").write_text("[]")
    with pytest.raises(FormatError, match="no days of messages"):
        list(read(tmp_path / "users.json", "slack"))
