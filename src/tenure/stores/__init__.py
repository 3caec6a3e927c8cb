"""The representations of a scheduler's state; each fits `tenure.store.Store`."""

from .memory import MemoryStore

__all__ = ["MemoryStore"]
