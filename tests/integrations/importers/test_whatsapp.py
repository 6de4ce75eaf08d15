"""WhatsApp's text: both kinds of phone, any order of dates that can be told, and only what people said."""

from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError
from goalmem.integrations.importers import ImportOptions, Reading, read
from goalmem.integrations.importers.whatsapp import Dates, stamp_of, visible
from tests.integrations.importers.exports import zipped


def messages(path: Path, text: str, reading: Reading | None = None, **options: object) -> list[tuple[str, str, str]]:
    file = path / "WhatsApp Chat with Tom.txt"
    file.write_text(text, encoding="utf-8")
    run = reading or Reading(ImportOptions(**options))
    return [
        (f"{m['at']:%Y-%m-%d %H:%M:%S}", m["name"], m["content"])
        for chat in read(file, "whatsapp", reading=run)
        for m in chat.messages
    ]


def test_android(tmp_path: Path):
    reading = Reading()
    text = (
        "13/05/2024, 09:01 - Messages and calls are end-to-end encrypted.\n13/05/2024, 09:01 - Maya created group “Trip: Oslo”\n"
        "13/05/2024, 09:02 - Maya: I got the job!\nIt starts: in June.\n\n13/05/2024, 09:03 - Tom: <Media omitted>\n"
        "13/05/2024, 09:03 - Tom: IMG-20240513-WA0001.jpg (file attached)\nLook at this\n"
        "13/05/2024, 09:04 - Tom: lease.pdf (file attached)\n14/05/2024, 10:00 - Tom: Great <This message was edited>\n"
        "14/05/2024, 10:01 - +47 900 00 000: This message was deleted\n"
    )
    assert messages(tmp_path, text, reading) == [
        ("2024-05-13 09:02:00", "Maya", "I got the job!\nIt starts: in June."),
        ("2024-05-13 09:03:00", "Tom", "Look at this"),
        ("2024-05-13 09:04:00", "Tom", "[attached: lease.pdf]"),
        ("2024-05-14 10:00:00", "Tom", "Great"),
    ]
    assert reading.passed_over == {"notice": 2, "media": 2}


def test_iphone(tmp_path: Path):
    reading = Reading()
    text = (
        "[5/1/24, 2:03:10\u202fPM] Tom: \u200eMessages and calls are end-to-end encrypted.\n"
        "[5/1/24, 2:03:11\u202fPM] Maya: Hi @\u2068Tom\u2069\n\u200e[5/1/24, 2:03:12\u202fPM] ~\u202fTom: \u200eimage omitted\n"
        "\u200e[5/1/24, 2:03:13\u202fPM] Maya: Our boat \u200e<attached: 00000012-PHOTO-2024-05-01.jpg>\n"
        "\u200e[5/1/24, 2:03:14\u202fPM] Maya: lease.pdf • \u200e2 pages \u200e<attached: 00000013-lease.pdf>\n"
        "[5/13/24, 12:03:12\u202fAM] ~\u202fTom: note: done\n"
    )
    assert messages(tmp_path, text, reading) == [
        ("2024-05-01 14:03:11", "Maya", "Hi @Tom"),
        ("2024-05-01 14:03:13", "Maya", "Our boat"),
        ("2024-05-01 14:03:14", "Maya", "lease.pdf • 2 pages [attached: 00000013-lease.pdf]"),
        ("2024-05-13 00:03:12", "Tom", "note: done"),
    ]
    assert reading.passed_over == {"notice": 1, "media": 1}


@pytest.mark.parametrize(
    "line",
    [
        "13.05.24, 14:03 - Maya: Hi",
        "[13.05.24, 14:03:00] Maya: Hi",
        "13/05/2024, 2:03 pm - Maya: Hi",
        "13/05/2024, 2:03 p. m. - Maya: Hi",
        "5/13/24, 2:03 PM - Maya: Hi",
        "2024-05-13 14:03 - Maya: Hi",
        "2024/05/13, 14:03 - Maya: Hi",
        "[13.5.2024 klo 14.03.00] Maya: Hi",
        "13.05.24 um 14:03 - Maya: Hi",
        "[2024/5/13 下午2:03:00] Maya: Hi",
        "2024. 5. 13. 오후 2:03 - Maya: Hi",
        "[13-05-2024 14:03:00] Maya: Hi",
        "13/5/24 14:03 – Maya: Hi",
    ],
)
def test_times_as_phones_write_them(tmp_path: Path, line: str):
    assert messages(tmp_path, f"{line}\n") == [("2024-05-13 14:03:00", "Maya", "Hi")]


@given(
    st.lists(st.integers(0, 5), min_size=60, max_size=80),
    st.dates(date(2012, 1, 1), date(2030, 1, 1)),
    st.sampled_from(["%d/%m/%y", "%m/%d/%y", "%d/%m/%Y", "%Y-%m-%d", "%d.%m.%y"]),
)
def test_the_order_of_a_long_chat_is_told(gaps: list[int], first: date, written: str):
    dates, day = Dates(), datetime(first.year, first.month, first.day, 9, 30)
    for gap in gaps:
        day += timedelta(days=gap)
        stamp = stamp_of(f"{day.strftime(written)}, 09:30 - Maya: Hi")
        assert stamp
        dates.see(stamp)
    if sum(gaps) > 45:
        [order] = dates.orders()
        assert stamp.moment(order) == day


def test_an_order_that_cannot_be_told_is_refused_unless_said(tmp_path: Path):
    text = "03/04/24, 10:00 - Maya: Hi\n05/04/24, 10:00 - Tom: Hello\n"
    with pytest.raises(
        FormatError, match=r"dates can be read as dmy and as mdy, such as '03/04/24, 10:00'.*--date-order dmy"
    ):
        messages(tmp_path, text)
    assert messages(tmp_path, text, date_order="dmy")[0][0] == "2024-04-03 10:00:00"
    assert messages(tmp_path, text, date_order="mdy")[0][0] == "2024-03-04 10:00:00"


def test_an_order_that_does_not_matter_is_not_asked_for(tmp_path: Path):
    assert len(messages(tmp_path, "05/05/24, 10:00 - Maya: Hi\n05/05/24, 10:01 - Tom: Hello\n")) == 2


def test_a_pasted_chat_is_part_of_the_message(tmp_path: Path):
    text = "13/05/2024, 10:00 - Maya: See:\n2024-05-01 09:00 - Eve: secret\n14/05/2024, 10:00 - Tom: ok\n"
    assert messages(tmp_path, text)[0][2] == "See:\n2024-05-01 09:00 - Eve: secret"


def test_a_day_is_a_session_and_the_chat_is_called_after_its_file(tmp_path: Path):
    text = "13/05/2024, 23:59 - Maya: Late\n14/05/2024, 00:01 - Tom: Later\n"
    for name, file in (
        ("WhatsApp Chat with Tom (1).zip", "WhatsApp Chat with Tom.txt"),
        ("WhatsApp Chat - Tom.zip", "_chat.txt"),
    ):
        path = zipped(tmp_path / name, {file: text, "IMG-1.jpg": b"\xff\xd8"})
        assert [chat.key for chat in read(path)] == ["Tom/2024-05-13", "Tom/2024-05-14"]


@pytest.mark.parametrize(
    ("file", "title"),
    [
        ("WhatsApp Chat with Tom.txt", "Tom"),
        ("WhatsApp Chat with Tom(2).txt", "Tom"),
        ("WhatsApp-Chat mit Tom Berg.txt", "Tom Berg"),
        ("WhatsApp Chat - Tom.txt", "Tom"),
        ("Chat de WhatsApp con Tom.txt", "Tom"),
        ("WhatsApp Chat with Conny.txt", "Conny"),
        ("Tom.txt", "Tom"),
    ],
)
def test_names_of_files(tmp_path: Path, file: str, title: str):
    (tmp_path / file).write_text("13/05/2024, 10:00 - Maya: Hi\n")
    assert [chat.key for chat in read(tmp_path / file)] == [f"{title}/2024-05-13"]


def test_ids_stay_when_the_chat_grows_and_tell_repeated_messages_apart(tmp_path: Path):
    def ids(text: str) -> list[str]:
        (tmp_path / "Tom.txt").write_text(text)
        return [m["id"] for chat in read(tmp_path / "Tom.txt") for m in chat.messages]

    text = "13/05/2024, 10:00 - Maya: ha\n13/05/2024, 10:00 - Maya: ha\n13/05/2024, 10:00 - Tom: ha\n"
    before = ids(text)
    assert len(set(before)) == 3
    assert ids(text + "14/05/2024, 10:00 - Tom: more\n")[:3] == before


def test_times_are_of_the_users_zone(tmp_path: Path):
    (tmp_path / "Tom.txt").write_text("13/05/2024, 10:00 - Maya: Hi\n")
    [chat] = read(tmp_path / "Tom.txt", options=ImportOptions(zone=ZoneInfo("Europe/Oslo")))
    assert chat.messages[0]["at"].isoformat() == "2024-05-13T10:00:00+02:00"


def test_what_is_no_chat_is_refused_with_its_line(tmp_path: Path):
    with pytest.raises(FormatError, match="line 1: 'Dear diary,' is not a message"):
        messages(tmp_path, "Dear diary,\n13/05/2024, 10:00 - Maya: Hi\n")
    assert len(messages(tmp_path, "Dear diary,\n13/05/2024, 10:00 - Maya: Hi\n", skip_bad=True)) == 1


@given(st.text(max_size=60))
def test_any_line_has_a_time_in_front_or_none(line: str):
    stamp = stamp_of(visible(line))
    assert stamp is None or stamp.rest in visible(line)
