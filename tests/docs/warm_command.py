"""The command `goalmem` without the seconds that Python takes to load it: each call is forked from a process that has.

`python -m tests.docs.warm_command SOCKET` loads what commands load and then waits for calls. `install` writes a small program
`goalmem` that hands its arguments, folder, environment and streams to it. Each call is a process of its own, as ever.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWN_PROCESS = frozenset({"serve", "mcp", "bulk"})
"""Commands that start threads or processes, or wait for a signal: these are started as anywhere else."""
PROGRAM = """#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
' '''
import json, os, socket, sys
if len(sys.argv) > 1 and sys.argv[1] in {own}:
    os.execv({real!r}, [{real!r}, *sys.argv[1:]])
line = socket.socket(socket.AF_UNIX)
line.connect({place!r})
call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(line, [len(call).to_bytes(4, "big")], [0, 1, 2])
line.sendall(call)
sys.exit(int.from_bytes(line.recv(1) or b"\\x46", "big"))
"""
"""A script for both shell and Python: the path of a Python may have blanks, which a first line `#!` cannot."""


@contextmanager
def installed(folder: Path) -> Iterator[Path]:
    """A folder with a program `goalmem`, for the front of PATH."""
    place, program = str(folder / "warm"), folder / "bin" / "goalmem"
    program.parent.mkdir()
    real = str(Path(sys.executable).with_name("goalmem"))
    program.write_text(PROGRAM.format(python=sys.executable, own=set(OWN_PROCESS), real=real, place=place))
    program.chmod(0o755)
    ready, told = os.pipe()
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.docs.warm_command", place, str(told)],
        cwd=Path(__file__).parents[2],
        pass_fds=[told],
    )
    os.close(told)
    try:
        with os.fdopen(ready) as waiting:
            assert waiting.read() == "ready", "the process that has everything loaded did not start"
        yield program.parent
    finally:
        server.kill()
        server.wait()


def serve(place: str, told: int) -> None:
    """Load what commands need, then fork a process for each call."""
    import goalmem_lab.evals.lives  # noqa: F401  # and with it all that answers
    from goalmem.language import Analyzer, Extractor
    from goalmem.sources.background import background_book

    analyzer = Analyzer()
    background_book(Extractor(analyzer), analyzer.parser)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()
    with os.fdopen(told, "w") as ready:
        ready.write("ready")
    while True:
        line, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(line)
        line.close()


def _answer(line: socket.socket) -> None:
    """Be one call: never returns."""
    code = 70
    try:
        length, streams, _, _ = socket.recv_fds(line, 4, 3)
        call = b""
        while len(call) < int.from_bytes(length, "big"):
            call += line.recv(65_536)
        for own, given in enumerate(streams):
            os.dup2(given, own)
            os.close(given)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
        code = _run(*json.loads(call))
    except BaseException:  # noqa: BLE001  # the caller is told by the exit code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        line.sendall(bytes([code]))
        os._exit(code)


def _run(arguments: list[str], folder: str, environment: dict[str, str]) -> int:
    from goalmem.cli.app import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["goalmem", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
