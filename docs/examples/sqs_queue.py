"""A queue of Amazon SQS, as moto keeps one in memory, behind the operations of the contract.

docs/how-to/check-a-peer.md tells what comes of checking it. Nothing is sent anywhere: importing this module starts
moto, which answers every call of boto3 in this process until `AWS.stop()`.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, ClassVar, NamedTuple

import boto3
import time_machine
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import ClientError
from moto import mock_aws

AWS = mock_aws(config={"core": {"mock_credentials": False}})
AWS.start()
SQS = boto3.client(
    "sqs",
    region_name="eu-central-1",
    config=Config(
        signature_version=UNSIGNED,  # no credentials are asked for
        ignore_configured_endpoint_urls=True,
        retries={"total_max_attempts": 1},
    ),
)
TIME_0 = 1_767_225_600
"""The scheduler's time 0 in Unix seconds: the first second of 2026. One unit of time is a second, as SQS has it."""
DAY = 86_400
DAYS_KEPT = 14
"""The longest that SQS keeps a message."""
LONG = 30 * DAY
"""A longer wait is made this one, so that the year 9999 isn't reached: no message and no timeout outlasts it."""
NAMES = map("queue-{}".format, count(1))


class Received(NamedTuple):
    """A message that was received, with the fields of a lease."""

    task_id: str
    worker: str
    token: str
    attempt: int
    start: int
    expiry: int
    payload: bytes | None


class Queue:
    """One SQS queue. With `fifo` it is a FIFO queue in which each message is a group of its own.

    With `careful` its consumers look at their own clocks, and use no handle once its timeout is over. `seconds_apart`
    is how much later each call is made than the one before, within the same second.
    """

    abilities: ClassVar[dict[str, Any]] = {
        "lacks": ["workers", "priority", "set_capacity", "forget", "forget_worker", "queries", "expired"],
        "numbering": "opaque",
        "typed_arguments": False,
        "rejects": "error",
    }

    def __init__(self, *, fifo: bool = False, careful: bool = False, seconds_apart: float = 0.0001) -> None:
        name = next(NAMES) + (".fifo" if fifo else "")
        attributes = {"MessageRetentionPeriod": str(DAYS_KEPT * DAY)} | ({"FifoQueue": "true"} if fifo else {})
        self._fifo, self._careful, self._seconds_apart = fifo, careful, seconds_apart
        self._now, self._skipped, self._calls, self._sent = 0, 0, 0, 0
        self._received: dict[str, Received] = {}
        """The newest message by each receipt handle, so that a renewed lease can be told whole."""
        with self._at(0):
            self._url = SQS.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> str:
        """SendMessage: the id is the message's. SQS takes text that isn't empty, so bytes go as base64."""
        self._sent += 1
        body = "no payload" if payload is None else f"base64:{b64encode(payload).decode()}"
        group = {"MessageGroupId": str(self._sent), "MessageDeduplicationId": str(self._sent)} if self._fifo else {}
        with self._at(self._now):
            return str(SQS.send_message(QueueUrl=self._url, MessageBody=body, **group)["MessageId"])

    def dispatch(self, worker: str, *, now: int, duration: int) -> Received | None:
        """ReceiveMessage, one message, with the duration as its visibility timeout."""
        with self._at(now, duration):
            messages = SQS.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=1,
                VisibilityTimeout=duration,
                MessageSystemAttributeNames=["ApproximateReceiveCount"],
            ).get("Messages", [])
        for message in messages:
            _, is_base64, text = message["Body"].partition("base64:")
            lease = Received(
                task_id=message["MessageId"],
                worker=worker,
                token=message["ReceiptHandle"],
                attempt=int(message["Attributes"]["ApproximateReceiveCount"]),
                start=now,
                expiry=now + duration,
                payload=b64decode(text) if is_base64 else None,
            )
            self._received[lease.token] = lease
            return lease
        return None

    def complete(self, task_id: str, token: str, *, now: int) -> bool:
        """DeleteMessage; it counts if there is a message less, since the answer of SQS is the same when there isn't."""
        with self._at(now):
            if not self._can_be_used(task_id, token, now):
                return False
            before = self._messages()
            return self._asked(SQS.delete_message, ReceiptHandle=token) and self._messages() < before

    def renew(self, task_id: str, token: str, *, now: int, duration: int) -> Received | None:
        """ChangeMessageVisibility."""
        with self._at(now, duration):
            if not self._can_be_used(task_id, token, now):
                return None
            if not self._asked(SQS.change_message_visibility, ReceiptHandle=token, VisibilityTimeout=duration):
                return None
        self._received[token] = self._received[token]._replace(expiry=now + duration)
        return self._received[token]

    def release(self, task_id: str, token: str, *, now: int) -> bool:
        """ChangeMessageVisibility to 0."""
        with self._at(now):
            if not self._can_be_used(task_id, token, now):
                return False
            if not self._asked(SQS.change_message_visibility, ReceiptHandle=token, VisibilityTimeout=0):
                return False
        self._received[token] = self._received[token]._replace(expiry=now)
        return True

    def advance(self, *, now: int) -> None:
        """Time alone: SQS tells nobody that a timeout is over."""
        with self._at(now):
            pass

    # -- how it is asked

    @contextmanager
    def _at(self, now: int, duration: int = 1) -> Iterator[None]:
        """Calls are made at this time; it stands if they aren't rejected. SQS has no `now` that it could reject."""
        if now < self._now or duration < 1:
            raise ValueError(f"now must be {self._now} or more, and duration 1 or more, not {now} and {duration}")
        skipped = self._skipped + max(0, now - self._now - LONG)
        self._calls += 1
        with time_machine.travel(TIME_0 + now - skipped + self._calls * self._seconds_apart, tick=False):
            yield
        self._now, self._skipped = now, skipped

    def _can_be_used(self, task_id: str, token: str, now: int) -> bool:
        """A handle says of which message it is; a call with another's can't be put to SQS, and is refused here."""
        lease = self._received.get(token)
        return lease is None or (lease.task_id == task_id and not (self._careful and now >= lease.expiry))

    def _asked(self, operation: Any, **arguments: Any) -> bool:
        """Whether SQS took the receipt handle. Other errors are raised."""
        try:
            operation(QueueUrl=self._url, **arguments)
        except ClientError as error:
            if error.response["Error"]["Code"] in ("ReceiptHandleIsInvalid", "MessageNotInflight"):
                return False
            raise
        return True

    def _messages(self) -> int:
        """How many there are, in flight or not. Exact in moto; the attributes of SQS are approximate, as they say."""
        found = SQS.get_queue_attributes(QueueUrl=self._url, AttributeNames=["All"])["Attributes"]
        return int(found["ApproximateNumberOfMessages"]) + int(found["ApproximateNumberOfMessagesNotVisible"])


def standard() -> Queue:
    """A standard queue."""
    return Queue()


def fifo() -> Queue:
    """A FIFO queue, each message in a group of its own, so that one in flight holds up no other."""
    return Queue(fifo=True)


def careful() -> Queue:
    """A standard queue whose consumers give up what they couldn't finish in time."""
    return Queue(careful=True)


def on_the_second() -> Queue:
    """A standard queue that is asked at whole seconds, as if no call took any time."""
    return Queue(seconds_apart=0)
