"""Judging a minimal log, one accepted event a line, by the contract's own rules on what the lines tell.

What a line leaves open is taken in favour of the log, and noted; so whatever is denied is denied in every reading.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NoReturn

from .. import rules
from ..errors import ClockWentBackwards
from ..values import Lease, Status
from . import notes
from .denial import context_of, stale, what_of
from .events import FIELDS, Header, Line, fields_of, header_of, line_of, shown
from .findings import NotAllowed, Note, Tally
from .ledger import Holder, Ledger, Record
from .lines import LogError
from .seen import Key, Seen

UNTIMED = ("added", "worker", "forgotten")
"""Events that take no time, though their lines may tell it. (T2)"""


class Events:
    """The judge of a minimal log. Its memory is that of its ledger, and of the tokens seen if they are opaque."""

    def __init__(self, file: str) -> None:
        self.inferred: defaultdict[str, Note] = defaultdict(Note)
        self.unchecked: defaultdict[str, Note] = defaultdict(Note)
        self.undecided: defaultdict[str, Note] = defaultdict(Note)
        self.unchecked.update({notes.LEFT_OUT: Note(), notes.NUMBERING: Note()})
        self.ledger = Ledger()
        self.accepted = 0
        self._file = file
        self._header: Header | None = None
        self._met = dict.fromkeys(FIELDS, 0)
        self._text = ""
        self._last_token = 0
        self._tokens_seen = Seen()
        self._judges = {event: getattr(self, f"_{event}") for event in FIELDS}

    def tallies(self) -> dict[str, Tally]:
        """How often each event came."""
        return {event: Tally(count) for event, count in self._met.items() if count}

    def judge(self, lines: Iterable[str]) -> None:
        """Each line is allowed; raises NotAllowed or LogError at the first that isn't."""
        for text in lines:
            if text.strip():
                self._text = text
                try:
                    line = self._read(text)
                except ValueError as error:
                    raise LogError(self._file, self.accepted + 1, str(error)) from None
                if line is not None:
                    if line.at is not None and line.event in UNTIMED:
                        self._reach(line)
                    self._judges[line.event](line)
                    self._met[line.event] += 1
            self.accepted += 1

    @property
    def _line(self) -> int:
        return self.accepted + 1

    def _read(self, text: str) -> Line | None:
        """The line's event, or None for a header, which only the first line may be."""
        if self._header is None:
            fields = fields_of(text)
            self._header = header_of(fields) if "form" in fields else Header()
            if "form" in fields:
                return None
        line = line_of(text)
        if line.event == "dispatched":
            self._settle_tokens(line.token)
        return line

    def _settle_tokens(self, token: Key | None) -> None:
        """The first token tells what tokens are, unless the header has, and all others are so too."""
        assert self._header is not None
        if self._header.tokens is None:
            self._header = self._header._replace(tokens="increasing" if type(token) is int else "opaque-strings")
        tokens = self._header.tokens
        if (tokens in ("increasing", "exact") and type(token) is not int) or (
            tokens == "opaque-strings" and type(token) is not str
        ):
            kind = "a string, as those before" if tokens == "opaque-strings" else "an integer, as those before"
            declare = 'or say so in the first line: {"form": "minimal", "tokens": "opaque"}'
            raise ValueError(f"token must be {kind}, not {shown(token)}; {declare}")

    # -- the events

    def _added(self, line: Line) -> None:
        key = line.task
        assert key is not None
        if key in self.ledger.records or key in self.ledger.done or key in self.ledger.forgotten:
            self._deny("I1", f"added task {shown(key)}, though there was one before", "a new id", line)
        self.ledger.add(key, line.priority or 0)

    def _worker(self, line: Line) -> None:
        name = line.worker
        assert name is not None
        known = name in self.ledger.capacities or name in self.ledger.held
        check = rules.set_capacity_arguments if known else rules.new_worker_arguments
        try:
            self.ledger.capacities[name] = check(name, line.capacity)[1]
        except ValueError as error:
            self._deny("V2", f"a new worker with this capacity: {error}", "a capacity of 1 or more", line)

    def _dispatched(self, line: Line) -> None:
        ledger = self.ledger
        self._reach(line)
        self._check_token(line)
        record = self._pending_task(line)
        expiry = self._expiry(line)
        holder = self._holder(line)
        lease = self._granted(line, record, expiry, holder)
        if line.attempt is not None and line.attempt != lease.attempt and not self._is_earlier(record):
            reason = f"attempt {line.attempt}, though the task was dispatched {record.attempts:,} times before"
            self._deny("L4", reason, f"attempt {lease.attempt}", line)
        assert line.token is not None
        ledger.grant(record, lease, line.token, known=expiry is not None)

    def _renewed(self, line: Line) -> None:
        if (record := self._current(line, "O6")) is not None and record.lease is not None:
            expiry = self._expiry(line)
            lease = rules.renewed(record.lease, rules.HIGHEST if expiry is None else expiry)
            self.ledger.renew(record, lease, known=expiry is not None)

    def _completed(self, line: Line) -> None:
        if (record := self._current(line, "O5")) is not None:
            self.ledger.finish(record)
        elif line.task is not None:
            self.ledger.done.add(line.task)

    def _released(self, line: Line) -> None:
        if (record := self._current(line, "O7")) is not None:
            self.ledger.end(record, "released")

    def _expired(self, line: Line) -> None:
        self._reach(line)
        record = self._known(line)
        if record is None:
            if self._is_of_before(line):
                return
            self._deny("T3", f"expired, though {what_of(self.ledger, line.task)}", "nothing of this task", line)
        if record.ended == "expired" and line.token in (None, record.last_token) and record.swept:
            self.inferred[notes.OVER].remove(record.swept)
            record.swept = 0
        elif record.lease is None or line.token not in (None, record.token):
            self._deny("T3", "expired, though no live lease is meant", "nothing of this lease", line)
        elif self.ledger.is_open(record):
            self.ledger.end(record, "expired")
        else:
            reason = f"expired at {line.at} under a lease that is live until {record.lease.expiry}"
            self._deny("T4", reason, f"an expiry at {record.lease.expiry} or later", line)

    def _forgotten(self, line: Line) -> None:
        if line.worker is not None:
            self._forget_worker(line, line.worker)
            return
        assert line.task is not None
        record = self._known(line)
        if record is not None:
            self._let_end(line, [record])
            if not rules.forgettable(Status.PENDING if record.lease is None else Status.RUNNING):
                self._deny("O10", "forgot a task that is running", "nothing, until its lease is over", line)
            self.ledger.forget(record)
        elif line.task in self.ledger.done:
            self.ledger.done.remove(line.task)
            self.ledger.forgotten.add(line.task)
        elif line.task in self.ledger.forgotten:
            self._deny("O10", f"forgot a task, though {what_of(self.ledger, line.task)}", "nothing", line)
        else:
            self.ledger.forgotten.add(line.task)
            self.unchecked[notes.UNKNOWN].add(self._line)

    def _forget_worker(self, line: Line, name: str) -> None:
        ledger = self.ledger
        self._let_end(line, [r for r in ledger.records.values() if r.lease is not None and r.lease.worker == name])
        if not rules.dismissible(ledger.load(name, rules.HIGHEST)):
            self._deny("O11", "forgot a worker that holds a lease", "nothing, until its leases are over", line)
        if ledger.capacities.pop(name, None) is None:
            self.unchecked[notes.UNKNOWN].add(self._line)

    def _let_end(self, line: Line, records: Iterable[Record]) -> None:
        """What is forgotten has no live lease, so time has come to their ends, unless the line tells the time. (T2)"""
        known = []
        for record in records:
            if self.ledger.is_open(record):
                self._expire(record, notes.OVER_SINCE_FORGOTTEN)
            elif record.lease is not None:
                known.append(record.lease.expiry)
        if known and line.at is None:
            self._reach(line._replace(at=max(known)))

    # -- what several of them need

    def _reach(self, line: Line) -> int:
        """The time is the line's, and what is over has expired; given is the greatest expiry that is over. (T1, T3)"""
        ledger, now = self.ledger, line.at
        assert now is not None
        try:
            rules.check_time(ledger.now, now)
        except ClockWentBackwards:
            self._deny("T1", f"at {now}, though the line before was at {ledger.now}", f"{ledger.now} or later", line)
        ledger.now, bound = now, rules.last_over(now)
        for record in ledger.over(bound):
            record.swept = self._line
            self._expire(record, notes.OVER)
        return bound

    def _expire(self, record: Record, note: str) -> None:
        self.ledger.end(record, "expired")
        self.inferred[note].add(self._line)

    def _known(self, line: Line) -> Record | None:
        assert line.task is not None
        return self.ledger.records.get(line.task)

    def _check_token(self, line: Line) -> None:
        """It was never granted before, and is the greatest so far if they increase. (I2)"""
        token = line.token
        assert self._header is not None and token is not None
        if isinstance(token, str) or self._header.tokens == "opaque":
            if token in self._tokens_seen:
                self._deny("I2", f"token {shown(token)} was granted before", "a token that is new", line)
            self._tokens_seen.add(token)
            self.unchecked[notes.TOKEN_ORDER].add(self._line)
            return
        due = rules.next_number(self._last_token, "token")
        first_of_later = self._header.begins == "middle" and not self._met["dispatched"]
        if token != due if self._header.tokens == "exact" and not first_of_later else token < due:
            wanted = str(due) if self._header.tokens == "exact" else f"{due} or greater"
            self._deny("I2", f"token {token} after token {self._last_token}", f"token {wanted}", line)
        self._last_token = token

    def _pending_task(self, line: Line) -> Record:
        """The task to be dispatched, which is neither done nor running. (L2, P8)"""
        ledger, key = self.ledger, line.task
        record = self._known(line)
        if record is None:
            assert key is not None
            if key in ledger.done or key in ledger.forgotten:
                self._deny("L2", f"dispatched, though {what_of(ledger, key)}", "another task", line)
            return ledger.add(key, None)
        if ledger.is_open(record):
            self._expire(record, notes.OVER_SINCE_AGAIN)
        if record.lease is not None:
            reason = f"dispatched at {line.at}, though its lease is live until {record.lease.expiry}"
            self._deny("P8", reason, f"this task at {record.lease.expiry} or later", line)
        return record

    def _expiry(self, line: Line) -> int | None:
        """When the lease that the line grants or renews will be over, None if nothing tells. (V2, T4)"""
        assert self._header is not None and line.at is not None
        duration = line.duration
        if duration is None and line.expiry is not None:
            duration = line.expiry - line.at
        elif duration is None:
            duration = self._header.duration
            if duration is None:
                return None
            self.inferred[notes.FROM_HEADER].add(self._line)
        try:
            expiry = rules.expiry_of(line.at, duration)
        except ValueError as error:
            self._deny("V2", f"a lease from {line.at} to {line.expiry}: {error}", "a later expiry", line)
        if line.expiry is not None and line.expiry != expiry:
            self._deny("T4", f"expiry {line.expiry}, though a duration is told", f"expiry {expiry}", line)
        return expiry

    def _holder(self, line: Line) -> Holder:
        """The worker, inferred where only one can be meant. (O4)"""
        ledger = self.ledger
        if line.worker is not None or not ledger.capacities:
            if line.worker not in ledger.capacities:
                self.unchecked[notes.CAPACITY].add(self._line)
            return line.worker
        free = [name for name in ledger.capacities if self._would_grant(name, len(ledger.open.get(name, ())))]
        if not free:
            self._deny("O4", "dispatched, though no worker has a free slot", "nothing", line)
        if len(free) == 1 and not ledger.held.keys() - ledger.capacities.keys() - {None}:
            self.inferred[notes.ONLY_WORKER].add(self._line)
            return free[0]
        self.unchecked[notes.HOLDER].add(self._line)
        return None

    def _would_grant(self, holder: Holder, freed: int) -> bool:
        """Whether the worker gets a lease if so many of those that it holds are over. (O4)"""
        return self._lease(holder, freed, 0, 0, 1) is not None

    def _lease(self, holder: Holder, freed: int, first: int, attempts: int, expiry: int) -> Lease | None:
        ledger = self.ledger
        capacity, held = ledger.load(holder, rules.HIGHEST)
        load, now = (capacity, held - freed), ledger.now
        return rules.granted(now, ledger.last_grant, (), load, first, (attempts, None), holder or "", now, expiry)

    def _granted(self, line: Line, record: Record, expiry: int | None, holder: Holder) -> Lease:
        """The lease, if the worker has a slot and the task is the first in order, as far as the log tells. (O4)"""
        ledger = self.ledger
        maybe_over = list(ledger.open.get(holder, {}).values())
        needed = next((freed for freed in range(len(maybe_over) + 1) if self._would_grant(holder, freed)), None)
        if needed is None:
            capacity, held = ledger.load(holder, rules.HIGHEST)
            reason = f"dispatched to a worker that holds {held:,} live leases, with a capacity of {capacity:,}"
            self._deny("O4", reason, "nothing for this worker until a slot is free", line)
        if needed and needed == len(maybe_over):
            for other in maybe_over:
                self._expire(other, notes.OVER_SINCE_FULL)
            needed = 0
        elif needed:
            self.undecided[notes.WHICH_OVER].add(self._line)
        if record.priority is None:
            self.unchecked[notes.ORDER].add(self._line)
            first: int | None = record.number
        else:
            first = ledger.pending.first()
        assert first is not None
        lease = self._lease(holder, needed, first, record.attempts, rules.HIGHEST if expiry is None else expiry)
        assert lease is not None
        if lease.task_id != record.number:
            due = ledger.numbered(first)
            before = f"task {shown(due.key)} of priority {due.priority}"
            reason = f"dispatched a task of priority {record.priority}, though {before} is pending and stands before it"
            self._deny("O4", reason, before, line)
        return lease

    def _current(self, line: Line, rule: str) -> Record | None:
        """The running task whose lease is live and has the token, None for one of before the log. (O5, T4)"""
        bound = self._reach(line)
        ledger, record = self.ledger, self._known(line)
        assert line.token is not None and line.at is not None
        if record is None and self._is_of_before(line):
            return None
        lease = None if record is None else record.lease
        found = rules.current(ledger.now, lease, ledger.tokens.get(line.token, 0), line.at, bound)
        if record is None or found is None:
            self._deny(*stale(ledger, line, rule), line)
        if ledger.is_open(record):
            self.undecided[notes.IN_TIME.format(event=line.event)].add(self._line)
        return record

    def _is_of_before(self, line: Line) -> bool:
        """Whether the log begins in the middle and hasn't told of the task."""
        assert self._header is not None
        assert line.task is not None
        if self._header.begins != "middle" or line.task in self.ledger.done or line.task in self.ledger.forgotten:
            return False
        self.unchecked[notes.EARLIER].add(self._line)
        return True

    def _is_earlier(self, record: Record) -> bool:
        assert self._header is not None
        return self._header.begins == "middle" and record.priority is None

    def _deny(self, rule: str, reason: str, allowed: str, line: Line) -> NoReturn:
        raise NotAllowed(rule, reason, self._text.strip(), allowed, context_of(self.ledger, line))
