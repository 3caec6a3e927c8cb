"""Ids and tokens of a foreign scheduler, and the numbers that the contract would have given in their place. (I1, I2)"""

from __future__ import annotations

from typing import Any

from ...wire import Odd

FAR = 2**62
"""Added to a number that was never issued, where those that were are integers of the scheduler's own choice."""


class Numbering:
    """One kind of number, ids or tokens: what the scheduler says against 1, 2, 3, ... in order of first appearance.

    `how` is one of `abilities.NUMBERINGS`; exact ones stand for themselves.
    """

    def __init__(self, how: str) -> None:
        self.how = how
        self._number_of: dict[Any, int] = {}
        self._own: list[Any] = []

    def known(self, number: Any) -> bool:
        """Whether it can be given already: it stands for itself, or the scheduler told it before."""
        if self.how == "exact" or not _is_number(number):
            return True
        return 1 <= int.__int__(number) <= len(self._own)

    def given(self, number: Any) -> Any:
        """What the scheduler knows it by; something never issued, if it never told any such thing."""
        if self.how == "exact" or not _is_number(number):
            return number
        number = int.__int__(number)  # what an instance of a subclass stands for (V1)
        if 1 <= number <= len(self._own):
            return self._own[number - 1]
        if self.how == "opaque" and not (self._own and type(self._own[-1]) is int):
            return f"unknown-{number}"
        return min(FAR + number, 2 * FAR - 1)

    def told(self, own: Any) -> Any:
        """The number for it; Odd, which agrees with nothing, where the scheduler breaks its own promise."""
        if self.how == "exact":
            return own if type(own) is int else Odd(type(own).__name__, ascii(own)[:200])
        if own is None or own is True or own is False:
            return Odd(type(own).__name__, ascii(own))
        try:
            if own in self._number_of:
                return self._number_of[own]
        except TypeError:
            return Odd(type(own).__name__, "it can't be looked up again: ids and tokens must be hashable")
        if self.how == "increasing" and (type(own) is not int or (self._own and own < self._own[-1])):
            last = f" after {self._own[-1]}" if self._own else ""
            return Odd(type(own).__name__, f"{ascii(own)[:100]}{last}, and must be an integer above it")
        self._own.append(own)
        self._number_of[own] = len(self._own)
        return len(self._own)


def _is_number(number: Any) -> bool:
    return issubclass(type(number), int) and type(number) is not bool
