"""Logs of several kernels: the reason, the place, the hint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from p4xdp.diagnostics import Span
from p4xdp.runtime import verifier
from p4xdp.runtime.libbpf import VerifierError
from p4xdp.runtime.verifier import Origin

NEW = """\
0: R1=ctx() R10=fp0
; hd_ip_ttl = p4xdp_load8(data + 14); @ wrong.c:6
0: (61) r1 = *(u32 *)(r1 +0)          ; R1_w=pkt(r=0)
; return *(const __u8 *)at; @ p4xdp.h:100
1: (71) r0 = *(u8 *)(r1 +14)
invalid access to packet, off=14 size=1, R1(id=0,off=14,r=0)
R1 offset is outside of the packet
processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
"""
OLD = NEW.replace(" @ wrong.c:6", "").replace(" @ p4xdp.h:100", "")
LINES = NEW.replace("wrong.c:6", "wrong.p4:2")
LINES_OF_OLD_CLANG = NEW.replace("wrong.c:6", "wrong.c:2")
C = """\
int wrong(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);

	/* wrong.p4:2: hd.ip.ttl */
	hd_ip_ttl = p4xdp_load8(data + 14);
	/* wrong.p4:3 */
	return XDP_PASS;
}
"""
C_WITH_LINES = C.replace("/* wrong.p4:2: hd.ip.ttl */", '\n#line 2 "wrong.p4"')
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


def origin(source: Path | None, c: str = C) -> Origin:
    return Origin("wrong", source, c, Path("wrong.log"))


@pytest.mark.parametrize(
    ("log", "c"),
    [(NEW, C), (OLD, C), (LINES, C_WITH_LINES), (LINES_OF_OLD_CLANG, C_WITH_LINES)],
    ids=["6.9", "5.15", "-g", "-g with clang 14"],
)
def test_the_place_is_a_line_of_the_p4_file(log: str, c: str, source: Path) -> None:
    assert verifier.place(log, origin(source, c)) == Span(str(source), 2, 2, 2, 28)


def test_a_line_of_c_that_stands_twice_is_no_place_on_an_old_kernel(source: Path) -> None:
    assert verifier.place(OLD, origin(source, C * 2)) is None


def test_a_comment_in_a_closed_block_is_not_meant(source: Path) -> None:
    block = "\tif (x) {\n\t\t/* wrong.p4:3 */\n\t\ty = 1;\n\t}\n"
    c = C.replace("\thd_ip_ttl", f"{block}\thd_ip_ttl")
    found = verifier.place(NEW.replace("wrong.c:6", "wrong.c:10"), origin(source, c))
    assert found == Span(str(source), 2, 2, 2, 28)


def test_c_above_the_first_comment_is_no_place(source: Path) -> None:
    assert verifier.place(NEW.replace("wrong.c:6", "wrong.c:3"), origin(source)) is None


def test_without_a_source_there_is_no_place(tmp_path: Path) -> None:
    assert verifier.place(NEW, origin(None)) is None
    assert verifier.place(NEW, origin(tmp_path / "wrong.p4")) is None


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
        ("BPF program is too large. Processed 1000001 insn", "--layout tail-calls"),
        ("R1 invalid mem access 'scalar'", "a fault of p4xdp"),
        ("pointer arithmetic of map value goes out of range, prohibited for !root", "CAP_PERFMON"),
        ("something new", "please report"),
    ],
)
def test_hints(line: str, words: str) -> None:
    assert words in verifier.hint(error(line + "\n"))


def test_the_diagnostic_holds_it_all(source: Path, tmp_path: Path) -> None:
    log = tmp_path / "wrong.log"
    (found,) = verifier.explain(error(NEW), replace(origin(source), log=log)).diagnostics
    assert found.code == "verifier-refused"
    assert found.text == f"the kernel's verifier refuses `wrong`: {CAUSE}"
    assert found.span == Span(str(source), 2, 2, 2, 28)
    assert log.read_text() == NEW
    assert found.notes[0].text.endswith(NEW.splitlines()[-1])
