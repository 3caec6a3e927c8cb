"""Schedulers with wrong ideas of what a value is: V1 to V5."""

from __future__ import annotations

from typing import Any

from ...values import Lease
from .base import Admitting, Fault


class BoolAccepted(Admitting):
    """True counts as 1 and False as 0. (breaks V1)"""

    def _admit(self, value: Any) -> Any:
        return int(value) if type(value) is bool else value


class FloatAccepted(Admitting):
    """A float without a fraction counts as an int. (breaks V1)"""

    def _admit(self, value: Any) -> Any:
        return int(value) if type(value) is float and value.is_integer() else value


class NumbersWrapAround(Admitting):
    """A number beyond 64 bits is accepted and wraps around, as in C. (breaks V1)"""

    def _admit(self, value: Any) -> Any:
        return (value + 2**63) % 2**64 - 2**63 if type(value) is int else value


class DurationClamped(Fault):
    """A duration below 1 is taken as 1 instead of being rejected. (breaks V2)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        duration = 1 if type(duration) is int and duration < 1 else duration
        return super().dispatch(worker, now=now, duration=duration)


class ExpiryClamped(Fault):
    """A lease that would end beyond 64 bits ends at their end instead of being rejected. (breaks V2)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        if type(now) is type(duration) is int and 0 <= now < 2**63 - 1 < now + duration < 2**64:
            duration = 2**63 - 1 - now
        return super().dispatch(worker, now=now, duration=duration)


class DrainForbidden(Fault):
    """A worker's capacity can't be set to 0. (breaks V2, O2)"""

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""
        before = self.copy()
        super().set_capacity(worker, capacity)
        if 0 in self._capacities.values():
            self._restore(before)
            raise ValueError("a capacity must be at least 1")


class NamesIgnoreCase(Admitting):
    """Two names that differ in capitals only are the same. (breaks V3)"""

    def _admit(self, value: Any) -> Any:
        return value.lower() if type(value) is str else value


class NamesAreStripped(Admitting):
    """Blanks around a name are taken away. (breaks V3)"""

    def _admit(self, value: Any) -> Any:
        return value.strip() if type(value) is str else value


class EmptyPayloadIsNone(Fault):
    """A payload of no bytes is taken for no payload. (breaks V4)"""

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        return super().add_task(priority, None if payload == b"" else payload)


class BytearrayKept(Fault):
    """A bytearray is accepted and kept, though its owner may change it later. (breaks V4, V5)"""

    def add_task(self, priority: int = 0, payload: Any = None) -> int:
        """O3."""
        kept = type(payload) is bytearray
        task_id = super().add_task(priority, None if kept else payload)
        if kept:
            self._tasks[task_id].payload = payload
        return task_id


class NameNotCopied(Fault):
    """A lease names its worker by the caller's own object, of whatever subclass. (breaks V5)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        lease = super().dispatch(worker, now=now, duration=duration)
        return None if lease is None else lease._replace(worker=worker)


class LiveTask(Fault):
    """What `task` hands out is the scheduler's own record, which later calls change. (breaks V5)"""

    def task(self, task_id: int) -> Any:
        """O9."""
        return None if super().task(task_id) is None else self._tasks[task_id]
