"""Logs of several kernels: the reason, the place, the hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.diagnostics import Span
from p4xdp.runtime import verifier
from p4xdp.runtime.libbpf import VerifierError

NEW = """\
0: R1=ctx() R10=fp0
; hd.ip.ttl = hd.ip.ttl - 1; @ wrong.p4:2
0: (61) r1 = *(u32 *)(r1 +0)          ; R1_w=pkt(r=0)
1: (71) r0 = *(u8 *)(r1 +14)
invalid access to packet, off=14 size=1, R1(id=0,off=14,r=0)
R1 offset is outside of the packet
processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
"""
OLD = NEW.replace(" @ wrong.p4:2", "").replace("R10=fp0", "R10=fp0\n; first")
CAUSE = (
    "invalid access to packet, off=14 size=1, R1(id=0,off=14,r=0); "
    "R1 offset is outside of the packet"
)
EXPLAINED = """\
1: (71) r0 = *(u8 *)(r1 +14)
Reason: the packet may be shorter
At: wrong.p4:2
  more
Suggestion: compare with data_end
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.p4"
    path.write_text("first\n\thd.ip.ttl = hd.ip.ttl - 1;\nthird\n")
    return path


def error(log: str) -> VerifierError:
    return VerifierError(13, "wrong", log, "")


@pytest.mark.parametrize("log", [NEW, OLD], ids=["6.9", "5.15"])
def test_the_place_is_the_last_line_of_the_source(log: str, source: Path) -> None:
    assert verifier.place(log, source) == Span(str(source), 2, 2, 2, 28)


def test_a_line_that_stands_twice_is_no_place_on_an_old_kernel(source: Path) -> None:
    source.write_text(source.read_text() * 2)
    assert verifier.place(OLD, source) is None


def test_a_line_of_another_file_is_no_place(source: Path) -> None:
    assert verifier.place(NEW.replace("wrong.p4:", "p4xdp.h:"), source) is None


def test_without_a_source_there_is_no_place(tmp_path: Path) -> None:
    assert verifier.place(NEW, None) is None
    assert verifier.place(NEW, tmp_path / "gone.p4") is None


def test_the_cause_is_what_stands_at_the_end() -> None:
    assert verifier.cause(NEW) == CAUSE
    assert verifier.cause("") == "no reason given"
    assert verifier.cause("unreachable insn 7\n") == "unreachable insn 7"


def test_explanations_of_new_kernels_are_shown_whole() -> None:
    assert verifier.last_lines(EXPLAINED).splitlines()[0].startswith("Reason:")
    assert verifier.last_lines(EXPLAINED).splitlines()[-1].startswith("Suggestion:")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("combined stack size of 2 calls is 544. Too large", "stack"),
        ("BPF program is too large. Processed 1000001 insn", "size"),
        ("The sequence of 8193 jumps is too complex.", "size"),
        ("invalid access to packet, off=1 size=1, R1(id=0,off=1,r=0)", None),
    ],
)
def test_what_another_layout_may_help(line: str, reason: str | None) -> None:
    found = verifier.too_big(error(line + "\n"))
    assert (found.reason if found else None) == reason


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("unknown func bpf_new_thing#999", "a newer kernel"),
        ("BPF program is too large. Processed 1000001 insn", "--layout scratch"),
        ("R1 invalid mem access 'scalar'", "a fault of p4xdp"),
        ("something new", "please report"),
    ],
)
def test_hints(line: str, words: str) -> None:
    assert words in verifier.hint(error(line + "\n"))


def test_the_diagnostic_holds_it_all(source: Path, tmp_path: Path) -> None:
    (found,) = verifier.explain(error(NEW), source, tmp_path / "wrong.log").diagnostics
    assert found.code == "verifier-refused"
    assert found.text == f"the kernel's verifier refuses `wrong`: {CAUSE}"
    assert found.span == Span(str(source), 2, 2, 2, 28)
    assert (tmp_path / "wrong.log").read_text() == NEW
    assert found.notes[0].text.endswith(NEW.splitlines()[-1])
