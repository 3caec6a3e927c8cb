"""A workload log is read exactly, or one line says where and why it can't be."""

from __future__ import annotations

import gzip
import os
import pickle
from pathlib import Path

import pytest

from tenure.simulate.jobs import Job
from tenure.simulate.swf import LogError, read

LINE = "{number} {submit} -1 {run} 1 {cpu} -1 1 {asked} -1 1 -1 -1 -1 {queue} -1 -1 -1"


def line(**fields: object) -> str:
    return LINE.format(**{"number": 1, "submit": 0, "run": 10, "cpu": -1, "asked": 20, "queue": 3, **fields})


def written(path: Path, *lines: str) -> str:
    path.write_text("".join(text + "\n" for text in lines))
    return str(path)


def refusal(path: str) -> tuple[int | None, str]:
    with pytest.raises(LogError) as caught:
        read(path)
    assert caught.value.file == path
    return caught.value.line, caught.value.reason


def test_a_log_gives_its_jobs_in_order_and_skips_comments_and_blank_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.swf", "; Version: 2.2", line(number=7, submit=5), "", "  ", "  ;", line(number=8, submit=5)
    )
    log = read(path)
    assert log.jobs == (Job(7, 5, 10, 20, 3), Job(8, 5, 10, 20, 3))
    assert (log.name, log.unusable, log.was_sorted) == (path, {}, True)


@pytest.mark.parametrize("field", ["12.5", "-0.25", ".5", "3.", "1e3", "+4"])
def test_a_field_that_is_not_used_may_be_any_decimal(tmp_path: Path, field: str) -> None:
    assert len(read(written(tmp_path / "a.swf", line(cpu=field))).jobs) == 1


def test_blanks_of_every_kind_separate_and_lines_may_end_as_windows_has_them(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_bytes(b"\xef\xbb\xbf;x\r\n\t" + line().replace(" ", " \t ").encode() + b" \r\n")
    assert read(str(tmp_path / "a.swf")).jobs == (Job(1, 0, 10, 20, 3),)


def test_a_byte_order_mark_before_the_first_job_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_bytes(b"\xef\xbb\xbf" + line().encode())
    assert read(str(tmp_path / "a.swf")).jobs == (Job(1, 0, 10, 20, 3),)


def test_a_packed_log_reads_as_the_plain_one_whatever_its_name(tmp_path: Path) -> None:
    for name in ("a.swf.gz", "a.swf"):
        (tmp_path / name).write_bytes(gzip.compress((line() + "\n").encode()))
        assert read(str(tmp_path / name)).jobs == (Job(1, 0, 10, 20, 3),)


def test_jobs_that_can_not_be_used_are_named_under_their_reason(tmp_path: Path) -> None:
    lines = [line(number=1), line(number=2, run=-1), line(number=3, submit=-5), line(number=4, run=-1, submit=-1)]
    log = read(written(tmp_path / "a.swf", *lines))
    assert [job.number for job in log.jobs] == [1]
    assert log.unusable == {"no run time": (2, 4), "submit time below 0": (3,)}


def test_an_unsorted_log_is_sorted_by_submit_time_equal_ones_as_they_stood(tmp_path: Path) -> None:
    lines = [line(number=number, submit=submit) for number, submit in ((1, 9), (2, 5), (3, 9), (4, 5))]
    log = read(written(tmp_path / "a.swf", *lines))
    assert [job.number for job in log.jobs] == [2, 4, 1, 3]
    assert not log.was_sorted


def test_only_jobs_that_can_be_used_decide_whether_a_log_was_sorted(tmp_path: Path) -> None:
    lines = [line(number=1, submit=9, run=-1), line(number=2, submit=5)]
    assert read(written(tmp_path / "a.swf", *lines)).was_sorted


def test_a_run_time_of_0_and_the_greatest_numbers_can_be_used(tmp_path: Path) -> None:
    lines = [line(run=0), line(submit=2**40, run=2**40, asked=2**40)]
    assert read(written(tmp_path / "a.swf", *lines)).jobs[1][1:4] == (2**40, 2**40, 2**40)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("1 2 3", "a job has 18 fields, not 3"),
        (line() + " 0", "a job has 18 fields, not 19"),
        (line(run="ten"), "field 4, run time, must be a whole number, not 'ten'"),
        (line(submit="1.5"), "field 2, submit time, must be a whole number, not '1.5'"),
        (line(asked="1_0"), "field 9, time asked, must be a whole number, not '1_0'"),
        (line(queue="\u0661"), "field 15, queue, must be a whole number, not '\u0661'"),
        (
            line(cpu="x" * 50),
            f"field 6, CPU time, must be a number, not '{'x' * 30}'... of 50 characters",
        ),
        (line(cpu="nan"), "field 6, CPU time, must be a number, not 'nan'"),
        (line(cpu="1.2.3"), "field 6, CPU time, must be a number, not '1.2.3'"),
        (line(submit=2**40 + 1), "field 2, submit time, must be from -2**40 to 2**40, not '1099511627777'"),
        (line(run=2**40 + 1), "field 4, run time, must be from -2**40 to 2**40, not '1099511627777'"),
        (line(asked=10**15), "field 9, time asked, must be from -2**40 to 2**40, not '1000000000000000'"),
        (line(number=-(2**63)), "field 1, job number, must be from -2**40 to 2**40, not '-9223372036854775808'"),
        (
            line(run="9" * 5000),
            f"field 4, run time, must be from -2**40 to 2**40, not '{'9' * 30}'... of 5000 characters",
        ),
        (line() + " " * 10_000, "longer than 10,000 bytes: not a workload log"),
    ],
)
def test_a_line_that_is_not_of_the_form_is_told_with_its_number(tmp_path: Path, bad: str, reason: str) -> None:
    path = written(tmp_path / "a.swf", ";", line(), bad, line())
    assert refusal(path) == (3, reason)


def test_text_that_is_not_utf_8_is_told_with_its_line_even_in_a_comment(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_bytes(b"; ok\n; caf\xe9\n" + line().encode())
    assert refusal(str(tmp_path / "a.swf")) == (2, "not UTF-8: byte 0xe9; convert it first, for example with iconv")


def test_a_log_without_a_job_is_refused_and_says_what_one_is(tmp_path: Path) -> None:
    for text in ("", "; only a comment\n\n"):
        (tmp_path / "a.swf").write_text(text)
        assert refusal(str(tmp_path / "a.swf")) == (None, "no job lines: each is 18 numbers between blanks")


def test_a_log_of_which_nothing_can_be_used_says_why(tmp_path: Path) -> None:
    path = written(tmp_path / "a.swf", line(run=-1), line(run=-1), line(submit=-1))
    reason = "of its 3 jobs none can be used: 2 have no run time, 1 has submit time below 0"
    assert refusal(path) == (None, reason)
    path = written(tmp_path / "a.swf", line(run=-1))
    assert refusal(path) == (None, "of its 1 job none can be used: 1 has no run time")


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(str(tmp_path / "none")) == (None, "can't be read: No such file or directory")
    assert refusal(str(tmp_path)) == (None, "can't be read: Is a directory")
    assert refusal("a\0b") == (None, "can't be read: no file has the name 'a\\x00b'")


def test_a_file_that_is_only_called_gzip_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.swf.gz", line())
    assert refusal(path) == (None, "not gzip, though its name says so; rename or pack it")


def test_gzip_data_that_end_early_or_are_damaged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.swf.gz"
    packed = gzip.compress("".join(line(number=i, cpu=i * i) + "\n" for i in range(5000)).encode())
    path.write_bytes(packed[: len(packed) // 2])
    assert refusal(str(path)) == (None, "its gzip data end too early; get the whole file again")
    path.write_bytes(packed[:-8] + b"\0\0\0\0" + packed[-4:])
    assert refusal(str(path))[1].startswith("its gzip data are damaged (CRC check failed")
    path.write_bytes(packed[:100] + bytes(100) + packed[200:])
    assert refusal(str(path))[1].startswith("its gzip data are damaged (")


def test_a_log_is_read_from_standard_input_plain_or_packed(tmp_path: Path) -> None:
    for content in (line().encode(), gzip.compress(line().encode())):
        (tmp_path / "in").write_bytes(content)
        kept, given = os.dup(0), os.open(tmp_path / "in", os.O_RDONLY)
        try:
            os.dup2(given, 0)
            log = read("-")
        finally:
            os.dup2(kept, 0)
            os.close(kept)
            os.close(given)
        assert (log.name, len(log.jobs)) == ("standard input", 1)


def test_the_error_reads_as_compilers_write_it_keeps_its_fields_and_pickles() -> None:
    error = pickle.loads(pickle.dumps(LogError("a.swf", 3, "is bad")))
    assert (str(error), error.file, error.line, error.reason) == ("a.swf:3: is bad", "a.swf", 3, "is bad")
    assert str(LogError("a.swf", None, "is bad")) == "a.swf: is bad"
