"""In what two views of a scheduler differ, told in the few words that matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..values import Internal, Lease, Task, Worker
from .literals import brief
from .views import View

KEYS = {"tasks": "id", "workers": "name", "leases": "token"}
WORDS = {"tasks": "task", "workers": "worker", "leases": "token"}


def seen_otherwise(expected: View, found: View) -> str:
    """What is shown and what must be shown, each difference in a clause; empty if there is none."""
    return "; ".join(_differences(expected, found))


def kept_otherwise(expected: Internal, kept: Internal) -> str:
    """In what a scheduler keeps another state than it must, though its queries don't show it."""
    wrong = [name for name in Internal._fields if getattr(expected, name) != getattr(kept, name)]
    told = [f"{name} {brief(getattr(kept, name))}, not {brief(getattr(expected, name))}" for name in wrong]
    return f"it keeps {'; '.join(told)}"


def _differences(expected: View, found: View) -> Iterator[str]:
    for name, must in expected._asdict().items():
        shown = getattr(found, name)
        if shown == must:
            continue
        if name in KEYS and _keyed(shown, KEYS[name]):
            yield from _among(name, must, shown)
        elif name == "counts" and type(shown) is type(must):
            fields = [field for field in must._fields if getattr(must, field) != getattr(shown, field)]
            for field in fields:
                yield f"counts() shows {brief(getattr(shown, field))} {field}, not {brief(getattr(must, field))}"
        else:
            yield f"{name} shows {brief(shown)}, not {brief(must)}"


def _keyed(values: Any, key: str) -> bool:
    return type(values) is tuple and all(hasattr(value, key) for value in values)


def _among(name: str, must: tuple[Any, ...], shown: tuple[Any, ...]) -> Iterator[str]:
    """Which are missing, which are too many, which differ in what; or that just their order is another."""
    key, word = KEYS[name], WORDS[name]
    right = {getattr(value, key): value for value in must}
    wrong = {getattr(value, key): value for value in shown}
    for which, value in right.items():
        if which not in wrong:
            yield f"{name}() doesn't show {word} {brief(which)}"
        elif wrong[which] != value:
            yield f"{name}() shows {word} {brief(which)} with {_fields(value, wrong[which])}"
    yield from (f"{name}() shows {word} {brief(which)}, which must be gone" for which in wrong if which not in right)
    if right == wrong and must != shown:
        orders = [", ".join(brief(getattr(value, key)) for value in values) for values in (shown, must)]
        yield f"{name}() is in the order {orders[0]}, not {orders[1]}"


def _fields(must: Task | Worker | Lease, shown: Any) -> str:
    return ", ".join(
        f"{field} {brief(getattr(shown, field, None))}, not {brief(value)}"
        for field, value in must._asdict().items()
        if getattr(shown, field, None) != value
    )
