"""Every statement that the SQLite store runs, and nothing else.

Each finds its rows by a key or walks an index in its order: none scans a table for a few rows, and none sorts. Only
`TASKS`, `TASKS_WITH` and `WORKERS` read a table from end to end, which is what they answer. Each read tells the serial
first, so that one statement is one consistent look.
"""

from __future__ import annotations

from typing import Final

from ..lifecycle import BORN, LEASED

# -- what is read, as fragments

LEASE: Final = "t.id, t.worker, t.token, t.attempts, t.start, t.expiry, p.payload"
TASK: Final = "t.id, t.priority, p.payload, t.status, t.attempts, t.worker, t.token, t.start, t.expiry"
RUNNING: Final = f"t.status = '{LEASED.value}'"
WITH_PAYLOAD: Final = "left join payload p on p.task_id = t.id"

# -- a call's situation

READ_WORKER: Final = f"""
select s.serial, s.now, s.last_token, w.capacity, w.held, t.id, t.priority, t.attempts, p.payload
from scheduler s
left join worker w on w.name = ?
left join task t on t.id = (select id from task where status = '{BORN.value}' order by priority desc, id limit 1)
{WITH_PAYLOAD}
where s.one = 1"""
READ_LEASE: Final = f"""
select s.serial, s.now, {LEASE}
from scheduler s left join task t on t.id = ? and {RUNNING} {WITH_PAYLOAD}
where s.one = 1"""
READ_TIME: Final = "select serial, now from scheduler where one = 1"
READ_ENDING: Final = f"""
select {LEASE}, t.priority
from task t {WITH_PAYLOAD}
where {RUNNING} and t.expiry <= ?
order by t.expiry, t.token"""
READ_LAST_ID: Final = "select serial, last_id from scheduler where one = 1"
READ_LOAD: Final = """
select s.serial, w.capacity, w.held
from scheduler s left join worker w on w.name = ?
where s.one = 1"""
READ_STATUS: Final = """
select s.serial, t.status
from scheduler s left join task t on t.id = ?
where s.one = 1"""

# -- its outcome

SET_TIME: Final = """
update scheduler
set serial = ?, now = ?, pending = pending + ?, running = running + ?, done = done + ?
where one = 1"""
SET_TIME_AND_TOKEN: Final = """
update scheduler
set serial = ?, now = ?, pending = pending + ?, running = running + ?, last_token = ?
where one = 1"""
GRANT: Final = f"""
update task
set status = '{LEASED.value}', worker = ?, token = ?, attempts = ?, start = ?, expiry = ?
where id = ?"""
RENEW: Final = "update task set expiry = ? where id = ?"
END: Final = """
update task
set status = ?, worker = null, token = null, start = null, expiry = null
where id = ?"""
ADD_HELD: Final = "update worker set held = held + ? where name = ?"

PUT_TASK: Final = f"insert into task (id, priority, status, attempts) values (?, ?, '{BORN.value}', 0)"
PUT_PAYLOAD: Final = "insert into payload (task_id, payload) values (?, ?)"
COUNT_TASK: Final = "update scheduler set serial = ?, last_id = ?, pending = pending + 1 where one = 1"
PUT_WORKER: Final = """
insert into worker (name, capacity, held) values (?, ?, 0)
on conflict (name) do update set capacity = excluded.capacity"""
DROP_TASK: Final = "delete from task where id = ? returning status"
DROP_PAYLOAD: Final = "delete from payload where task_id = ?"
COUNT_DROPPED: Final = "update scheduler set serial = ?, pending = pending - ?, done = done - ? where one = 1"
DROP_WORKER: Final = "delete from worker where name = ?"
SET_SERIAL: Final = "update scheduler set serial = ? where one = 1"

# -- queries

TASK_OF: Final = f"""
select s.serial, {TASK}
from scheduler s left join task t on t.id = ? {WITH_PAYLOAD}
where s.one = 1"""
TASKS: Final = f"select {TASK} from task t {WITH_PAYLOAD} order by t.id"
TASKS_WITH: Final = f"select {TASK} from task t {WITH_PAYLOAD} where t.status = ? order by t.id"
WORKERS: Final = "select name, capacity, held from worker order by rank"
LEASES: Final = f"select {LEASE} from task t {WITH_PAYLOAD} where {RUNNING} order by t.expiry, t.token"
COUNTS: Final = "select serial, pending, running, done from scheduler where one = 1"
NEXT_EXPIRY: Final = f"""
select serial, (select t.expiry from task t where {RUNNING} order by t.expiry, t.token limit 1)
from scheduler where one = 1"""

WHOLE: Final = (TASKS, TASKS_WITH, WORKERS)
"""Those whose answer is a table from end to end."""
EVERY: Final = tuple(
    text
    for name, text in sorted(globals().items())
    if name.isupper() and isinstance(text, str) and text.split()[0] in ("select", "insert", "update", "delete")
)
"""All of them, for a test that asks how each is carried out."""
