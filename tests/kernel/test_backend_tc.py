"""Programs for the tc hook in the kernel's test run: the same answers in tc's own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from backend_programs import (
    ABORTED,
    PASS,
    PROGRAMS,
    VERDICT,
    check,
    compiled,
    load,
    parse_only,
    program,
)

from p4xdp.midend.ir import (
    BOOL,
    AdjustHead,
    Assign,
    Binary,
    BinaryOp,
    Const,
    Finish,
    Program,
    Store,
    Var,
)
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject

OK, SHOT, REDIRECT = 0, 2, 7
FRAME = bytes.fromhex("020000000001 020000000002 0800") + bytes(range(60))


@contextmanager
def loaded(source: Program, tmp_path: Path, cpu: str = "v3") -> Iterator[BpfObject]:
    path = tmp_path / "program.c"
    path.write_text(compiled(source, target="tc").c)
    with BpfObject(clang.build(path, path.with_suffix(".o"), cpu=cpu).object) as one:
        one.load()
        yield one


@pytest.mark.parametrize("cpu", ["v1", "v3"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_loads(name: str, cpu: str, tmp_path: Path) -> None:
    with loaded(PROGRAMS[name], tmp_path, cpu) as one:
        assert one.program().info().jited_size > 0


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [(FRAME, OK), (FRAME[:12] + b"\x08\x06" + FRAME[14:], SHOT)],
    ids=["ipv4", "arp"],
)
def test_verdicts(frame: bytes, verdict: int, tmp_path: Path) -> None:
    with loaded(parse_only(), tmp_path) as one:
        assert one.program().test_run(frame).verdict == verdict


def test_every_verdict_that_only_the_packet_decides(tmp_path: Path) -> None:
    body = (check(18), Assign(VERDICT, load(112, 32)), Finish(VERDICT, Const(1, 32)))
    with loaded(program(body), tmp_path) as one:
        for xdp, tc in ((0, SHOT), (1, SHOT), (2, OK), (3, REDIRECT), (4, REDIRECT)):
            frame = FRAME[:14] + xdp.to_bytes(4, "big") + bytes(40)
            assert one.program().test_run(frame).verdict == tc


def test_a_filter(tmp_path: Path) -> None:
    accept = Binary(BinaryOp.EQ, load(96, 16), Const(0x800, 16))
    source = program((check(14), Finish(accept)), model="filter", verdict=Var("a", BOOL), port=None)
    with loaded(source, tmp_path) as one:
        assert one.program().test_run(FRAME).verdict == OK
        assert one.program().test_run(FRAME[:12] + bytes(40)).verdict == SHOT


def test_the_head_grows(tmp_path: Path) -> None:
    """Four bytes in front, as for a VLAN tag; what stood there moves on unchanged."""
    grow = AdjustHead(Const(4, 32), (Finish(ABORTED),))
    tag = Store("data", 0, 32, Const(0xCAFEF00D, 32))
    source = program((check(14), grow, check(4), tag, Finish(PASS)))
    with loaded(source, tmp_path) as one:
        run = one.program().test_run(FRAME)
    assert run.verdict == OK
    assert run.data == bytes.fromhex("cafef00d") + FRAME
