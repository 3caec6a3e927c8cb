"""A child process that answers lines with lines: a time limit for each, and nothing of it left behind."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import IO, Any, Self

from ...errors import TargetFailed

MOST_BYTES = 2**27
"""An answer of more is babble."""
LOG_LINES = 20
AT_ONCE = 65536
ENDING_SECONDS = 2.0


class Child:
    """A program that was started with `command` and is asked by lines of JSON.

    `line_seconds` is how long one answer may take. Whatever goes wrong is TargetFailed, with the end of what the
    program said on its standard error. `close` ends it and all that it started, at once if it doesn't end by itself.
    """

    def __init__(self, command: Sequence[str], line_seconds: float = 10.0) -> None:
        self.command = shlex.join(command)
        self.line_seconds = line_seconds
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this object
        self._unread = b""
        self._failure: TargetFailed | None = None
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True
            )
        except (OSError, ValueError) as error:
            self._log.close()
            raise TargetFailed(f"{self.command}: can't be started: {getattr(error, 'strerror', error)}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._into, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._into, False)
        os.set_blocking(self._out, False)

    def ask(self, request: Any) -> Any:
        """The JSON value of the line with which it answers this one; once it failed, that is raised each time."""
        if self._failure is not None:
            raise self._failure
        line = json.dumps(request).encode() + b"\n"
        answer = self._exchanged(line)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self._failed(f"answered with a line that is not JSON: {_shown(answer)}") from None

    def failed(self, what: str) -> TargetFailed:
        """The error that says this of the program, once it has been ended."""
        return self._failed(what)

    def _exchanged(self, line: bytes) -> bytes:
        """Write the line and read one, both at the same time, since either pipe may be full."""
        self._refuse_babble()
        rest, deadline = memoryview(line), monotonic() + self.line_seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._into, selectors.EVENT_WRITE)
            while b"\n" not in self._unread:
                ready = selector.select(deadline - monotonic())
                if not ready and monotonic() >= deadline:
                    ended = self._process.poll() is not None  # and something that it started holds the pipe
                    raise self._failed(
                        self._how_it_ended() if ended else f"gave no answer within {self.line_seconds:g} s"
                    )
                for key, _ in ready:
                    if key.fd == self._out:
                        self._read()
                    elif not (rest := rest[self._written(rest) :]):
                        selector.unregister(self._into)
        if rest:
            raise self._failed(f"answered before it had read the whole line: {_shown(self._unread)}")
        answer, _, self._unread = self._unread.partition(b"\n")
        return answer

    def _refuse_babble(self) -> None:
        """Nothing may have come that nobody asked for."""
        with suppress(BlockingIOError):
            self._unread += os.read(self._out, AT_ONCE)
        if self._unread:
            raise self._failed(f"wrote without being asked: {_shown(self._unread)}")

    def _written(self, rest: memoryview) -> int:
        try:
            return os.write(self._into, rest[:AT_ONCE])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise self._failed(self._how_it_ended()) from None

    def _read(self) -> None:
        try:
            more = os.read(self._out, AT_ONCE)
        except BlockingIOError:
            return
        if not more:
            raise self._failed(self._how_it_ended())
        self._unread += more
        if len(self._unread) > MOST_BYTES:
            raise self._failed(f"wrote more than {MOST_BYTES:,} bytes in one line: {_shown(self._unread)}")

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its standard output, and must answer each line"
        if code < 0:
            named = {each.value: each.name for each in signal.Signals}
            return f"was ended by {named.get(-code, f'signal {-code}')}"
        return f"ended with exit code {code}, and must answer until its input ends"

    def _failed(self, what: str) -> TargetFailed:
        self._end()
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - AT_ONCE))
        lines = self._log.read().decode(errors="replace").splitlines()[-LOG_LINES:]
        self._failure = TargetFailed(f"{self.command}: {what}", "\n".join(lines))
        self.close()
        return self._failure

    # -- ending

    def close(self) -> None:
        """It is told by the end of its input, and then ended with all that it started. Can be called again."""
        self._end()
        self._log.close()
        self._failure = self._failure or TargetFailed(f"{self.command}: it was closed")

    def _end(self) -> None:
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDING_SECONDS / 10)
        # The whole group, also when the program itself has ended: it may have started others.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _shown(line: bytes) -> str:
    text = ascii(line[:120].decode(errors="replace"))
    return text if len(line) <= 120 else f"{text}..."
