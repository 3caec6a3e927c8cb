"""Arguments that a scheduler must reject or see through: wrong types, ends of ranges, subclasses that lie."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..values import Counts, Lease, Status, Task, Worker
from .views import View

HIGHEST = 2**63 - 1
LOWEST = -(2**63)


class LyingInt(int):
    """An int that says that it is another wherever a subclass can."""

    def __index__(self) -> int:
        return 13

    __int__ = __trunc__ = __index__

    def __add__(self, other: object) -> int:
        return 13

    __radd__ = __sub__ = __rsub__ = __mul__ = __neg__ = __add__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def __hash__(self) -> int:
        return 13

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "13"

    __repr__ = __str__


class Huge(int):
    """An int of so many digits that Python refuses to print it; this one prints."""

    def __repr__(self) -> str:
        return f"Huge({hex(self)[:12]}...)"

    __str__ = __repr__


class LyingStr(str):
    """A str that says that it is another wherever a subclass can."""

    __slots__ = ()

    def __str__(self) -> str:
        return "liar"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 13

    def __len__(self) -> int:
        return 3

    def __contains__(self, other: object) -> bool:
        return False

    def isascii(self) -> bool:
        """A lie."""
        return True

    def encode(self, *_: Any, **__: Any) -> bytes:
        """A lie."""
        return b"liar"


class LyingBytes(bytes):
    """A bytes that says that it is another wherever a subclass can."""

    def __bytes__(self) -> bytes:
        return b"liar"

    def __getitem__(self, _: Any) -> Any:
        return b"liar"

    def __len__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 13


class Indexed:
    """Not an int, though it has an `__index__` and claims to be one."""

    __class__ = int  # type: ignore[assignment]

    def __index__(self) -> int:
        return 1

    __abs__ = __index__

    def __repr__(self) -> str:
        return "Indexed()"


WRONG_NUMBERS: tuple[Any, ...] = (
    None, True, False, 1.0, 1.5, float("nan"), "1", b"1", Decimal(1), Fraction(1), Indexed(), [1],
)  # fmt: skip
FAR_NUMBERS: tuple[int, ...] = (
    HIGHEST + 1, LOWEST - 1, 2**64, -(2**64), Huge(10**5000), Huge(-(10**5000)),
    HIGHEST, HIGHEST - 1, LOWEST, LOWEST + 1, -1, 0,
)  # fmt: skip
WRONG_NAMES: tuple[Any, ...] = (None, 1, True, b"a", ["a"])
ODD_NAMES: tuple[str, ...] = (
    "", "x" * 255, "x" * 256, "x" * 100_000, "\ud800", "a\0b", "\0", "é" * 255, "😀" * 255, "😀" * 256,
    " ", "'; drop table task; --", "\u202e", "\n",
)  # fmt: skip
WRONG_PAYLOADS: tuple[Any, ...] = ("text", bytearray(b"x"), memoryview(b"x"), 1, True, [1])
ODD_PAYLOADS: tuple[bytes, ...] = (b"", b"\0", bytes(range(256)), b"'; drop table task; --", LyingBytes(b"honest"))


HANDED_OUT = (tuple, Lease, Task, Worker, Counts, View)


def is_plain(value: Any) -> bool:
    """Whether a value handed out is of exact types, through and through. (V5)"""
    if type(value) in HANDED_OUT:
        return all(map(is_plain, value))
    return value is None or type(value) in (int, str, bytes, bool, Status)


def plain(value: Any) -> Any:
    """What an accepted argument counts as: its plain value. (V1, V5)"""
    kind = type(value)
    if issubclass(kind, int) and kind is not bool:
        return int.__add__(value, 0)
    if issubclass(kind, str):
        return "".join([value])
    if issubclass(kind, bytes):
        return bytes.__mul__(value, 1)
    return value
