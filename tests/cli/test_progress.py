import time

from goalmem.cli import output


def test_where_no_bar_can_be_drawn_a_line_says_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(output, "LINE_SECONDS", 0.01)
    with output.progress() as bars:
        bars.add_task("Reading chats", total=2_000, completed=1_500)
        bars.add_task("Starting", total=None)
        ends = time.monotonic() + 30
        told = ""
        while "Starting\n" not in told and time.monotonic() < ends:
            time.sleep(0.01)
            told += capsys.readouterr().err
    assert "Reading chats: 1,500 of 2,000\n" in told


def test_what_is_soon_done_says_nothing(capsys):
    with output.progress() as bars:
        bars.add_task("Reading chats", total=2)
    assert capsys.readouterr().err == ""
