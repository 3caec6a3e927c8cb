"""The words for what a minimal log leaves open: inferred, not checked, undecided."""

from __future__ import annotations

OVER = "an expiry that no line tells, since its time had come by this line (T3)"
OVER_SINCE_AGAIN = "a lease without an expiry was over: its task was dispatched again (T4)"
OVER_SINCE_FORGOTTEN = "a lease without an expiry was over: its task or its worker was forgotten (O10, O11)"
OVER_SINCE_FULL = "a lease without an expiry was over: its worker had no other slot for this line (O4)"
ONLY_WORKER = "dispatched to the one worker that had a free slot, since the line names none (O4)"
FROM_HEADER = "the expiry follows from the header's duration (T4)"

LEFT_OUT = "refused and rejected calls, which this form leaves out (R1, R2, P9)"
NUMBERING = "that ids, and tokens unless declared exact, are 1, 2, 3, ... without a gap (I1, I2)"
ORDER = "the order of dispatch (O4), where no line added the task"
CAPACITY = "capacity (O4), where no line declares the worker"
HOLDER = "capacity (O4), where no line names the worker and several had a free slot"
UNKNOWN = "what was forgotten (O10, O11), where no line added the task or declared the worker"
TOKEN_ORDER = "that tokens increase (I2), since they are opaque; only that each is new was checked"
EARLIER = "what a line says of a task that the log, which begins in the middle, has not told of before"

NOTHING = "whether any of it is allowed: every event is of a task that the log has not told of before"
IN_TIME = "{event} under a lease whose expiry no line tells: it may have been over then (T4)"
WHICH_OVER = "dispatched to a full worker, some of whose leases without an expiry must be over, but not all (O4)"
