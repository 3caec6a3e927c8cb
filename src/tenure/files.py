"""Opening a file that a user named: plain or gzip, or standard input; trouble with it is a BadFile that says so."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from .errors import BadFile


class Opened(NamedTuple):
    """A file's bytes, unpacked if need be, and how far it is read."""

    stream: BinaryIO
    raw: io.BufferedReader

    def size(self) -> int | None:
        """The bytes of the file as it lies there, None where that can't be known."""
        there = os.fstat(self.raw.fileno())
        return there.st_size if stat.S_ISREG(there.st_mode) else None

    def position(self) -> int:
        """How many of these bytes have been read."""
        return self.raw.tell()


def shown_name(path: str) -> str:
    """What messages call the file."""
    return "standard input" if path == "-" else path


@contextmanager
def opened(path: str, kind: type[BadFile] = BadFile) -> Iterator[Opened]:
    """The file at `path`, or standard input for `-`, for as long as the context lasts.

    What goes wrong in it with reading is raised as `kind`.
    """
    file = shown_name(path)
    try:
        with _raw(path) as raw:
            if raw.peek(2)[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=raw) as packed, io.BufferedReader(packed) as stream:
                    yield Opened(stream, raw)
            elif path.endswith(".gz"):
                raise kind(file, None, "not gzip, though its name says so; rename or pack it")
            else:
                yield Opened(raw, raw)
    except EOFError:
        raise kind(file, None, "its gzip data end too early; get the whole file again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise kind(file, None, f"its gzip data are damaged ({error}); get the file again") from None
    except OSError as error:
        raise kind(file, None, f"can't be read: {error.strerror or error}") from None


def _raw(path: str) -> io.BufferedReader:
    if "\0" in path:
        raise OSError(f"no file has the name {path!r}")
    return open(0 if path == "-" else path, "rb", closefd=path != "-")
