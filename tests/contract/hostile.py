"""Arguments that try to pass for something else."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from pathlib import PurePath
from typing import Any

KEPT = {"__new__", "__init__", "__init_subclass__", "__subclasshook__", "__class__", "__doc__"}
"""What can't be overridden without losing the instance itself."""


def overriding(plain: type, answer: Callable[..., Any]) -> Any:
    """A subclass that answers whatever it is asked with `answer`."""
    asked = (set(dir(plain)) | {"__index__", "__int__", "__bytes__", "__buffer__", "__str__"}) - KEPT
    claim = property(lambda _: bool)
    return type(f"Overriding{plain.__name__}", (plain,), dict.fromkeys(asked, answer) | {"__class__": claim})


def refuse(*_: object, **__: object) -> Any:
    raise AssertionError("a subclass was asked instead of its plain type")


RefusingInt, RefusingStr, RefusingBytes = (overriding(plain, refuse) for plain in (int, str, bytes))
LyingInt = overriding(int, lambda *_, **__: 99)
LyingStr = overriding(str, lambda *_, **__: "lie")
LyingBytes = overriding(bytes, lambda *_, **__: b"lie")


class Claiming:
    """Offers every conversion, and says that it is of another class."""

    def __init__(self, claimed: type) -> None:
        self.claimed = claimed

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.claimed

    def __index__(self) -> int:
        return 1

    __int__ = __index__

    def __str__(self) -> str:
        return "w1"

    def __bytes__(self) -> bytes:
        return b"x"


class Pretending(type):
    """A class that takes itself for every other, and says that it has no bases."""

    __mro__ = property(lambda _: (object,))

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return 13


class Seven(int, metaclass=Pretending):
    """An int, whatever its class says."""


class Bytelike(bytearray, metaclass=Pretending):
    """No bytes, whatever its class says."""


class Indexed:
    """An index, but no int."""

    def __index__(self) -> int:
        return 1


class Small(IntEnum):
    """Members are ints."""

    SEVEN = 7


class Named(StrEnum):
    """Members are strs."""

    PRESS = "press"


NOT_NUMBERS: tuple[Any, ...] = (
    *(True, False, 1.0, 0.0, float("nan"), float("inf"), 1j, Decimal(1), Fraction(1), "1", b"1"),
    *([1], (1,), {}, int, object(), Indexed(), Claiming(int), LyingStr("1")),
)
NOT_NAMES: tuple[Any, ...] = (
    *(None, b"w1", bytearray(b"w1"), 1, True, ["w1"], ("w1",), {}, str, PurePath("w1"), object(), Claiming(str)),
    LyingBytes(b"w1"),
)
NOT_PAYLOADS: tuple[Any, ...] = (
    *(bytearray(b"x"), memoryview(b"x"), array("B", b"x"), "x", 1, True, [120], {}, bytes, object(), Claiming(bytes)),
    LyingStr("x"),
)
NOT_STATUSES: tuple[Any, ...] = ("pending", "PENDING", 0, True, b"pending", [], {}, object(), LyingStr("pending"))

BEYOND = (2**63, 2**64, 10**5000, RefusingInt(2**63), LyingInt(10**5000))
BELOW = (-(2**63) - 1, -(2**64), -(10**5000), RefusingInt(-(2**63) - 1), LyingInt(-(10**5000)))

NAMES = (
    *("w", " ", "\n", "\x01", "\x7f", "None", "w1 ", "W1", "'; drop table tasks; --", "\\u0000", "%s{}"),
    *("x" * 255, "é" * 255, "\U0001f600" * 255, "\U0010ffff", "\ufeff", "\ufdd0", "\ud7ff", "\ue000", "\u202e"),
    *("\u00e9", "e\u0301", "\uff57\uff11", "ß", "ss", "\u0130", "\ufb01"),
)
UNFIT_NAMES = (
    *("", "x" * 256, "é" * 256, "x" * 10**6, "\0", "a\0", "\0a", "a\0b", "\ud800", "\udfff", "a\udc80b"),
    *("\ud83d\ude00", "é" * 254 + "\ud800", "x" * 255 + "\0", LyingStr(""), RefusingStr("a\0b"), LyingStr("\ud800")),
)
