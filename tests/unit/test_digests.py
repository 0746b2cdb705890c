"""Digests: what a test file says of them, and records that are no messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.description import Description
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime.messages import HEAD, Digest, MessageError, decode
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.places import run_statements
from p4xdp.stf.runner import compiler

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "digests.p4"
PACKET = "packet 0 000000000001 0000000000dd 0800 00040102\nexpect 1\n"


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        ("expect_digest H4(a:0, b:4, c:1, d:2) to 0", None),
        ("expect_digest H4", None),
        ("expect_digest H4(b:5)", "2: digest: b is 0x4, expected 0x5"),
        ("expect_digest H4(e:5)", "2: digest: `e` is no field of it"),
        ("expect_digest H4 to 3", "2: digest: the receiver is 0"),
        ("expect_digest learn_t", "2: no digest `learn_t` for this expectation"),
        ("no_digest", "2: no digest was expected, but one was sent: H4("),
    ],
)
def test_what_is_expected_of_a_digest(said: str, failure: str | None) -> None:
    failures = run(f"{PACKET}{said}\n")
    if failure is None:
        assert failures == ()
    else:
        assert any(f":{failure.replace('2:', '3:', 1)}" in text for text in failures), failures


def test_digests_count_only_where_the_case_speaks_of_them() -> None:
    assert run(PACKET) == ()
    (failure,) = run(f"{PACKET}{PACKET}expect_digest H4\n")
    assert failure.startswith("case.stf:3: an unexpected digest: H4(valid:0x1, a:0x0, b:0x4")


def run(text: str) -> tuple[str, ...]:
    options = PlaceOptions()
    case = parse_case(text, "case.stf")
    return run_statements(case, compiler(PROGRAM, options), "interp", options).failures


@pytest.fixture(scope="module")
def described() -> Description:
    return compile(Session(PROGRAM, Options())).description


def test_a_record_is_its_fields(described: Description) -> None:
    (number,) = (d.number for d in described.digests if d.name == "digest_8_8")
    record = HEAD.pack(1, number, 5, 1234) + bytes([3, 250]) + bytes(6)
    assert decode(described, record) == Digest("digest_8_8", 5, {"field0": 3, "field1": 250}, 1234)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (b"", "a record of 0 bytes is no message"),
        (HEAD.pack(1, 99, 0, 0), "a message of kind 1, number 99 is not known"),
        (HEAD.pack(77, 0, 0, 0), "a message of kind 77, number 0 is not known"),
        (HEAD.pack(1, 0, 0, 0) + b"\0", "is cut off"),
    ],
)
def test_what_is_no_message_is_said(described: Description, record: bytes, text: str) -> None:
    with pytest.raises(MessageError, match=text):
        decode(described, record)
