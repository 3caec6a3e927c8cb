"""Checking schedulers, Tenure's own and others, against the contract."""

from .reference import Reference

__all__ = ["Reference"]
