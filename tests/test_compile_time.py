"""Compiling stays fast: what is imported, and how the work grows with the program."""

from __future__ import annotations

import cProfile
import os
import pstats
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check, compile
from p4xdp.options import Options

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "bench"))

from compile_programs import program  # noqa: E402

SLOW_MODULES = ("dataclasses", "hashlib", "inspect", "lark", "pcpp", "tempfile", "traceback")


def test_a_compile_imports_no_slow_module(tmp_path: Path) -> None:
    code = (
        "import sys; from p4xdp.cli import main; main();"
        f"print([name for name in {SLOW_MODULES} if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, "-o", "out.c", str(ROOT / "examples" / "xdp1.p4")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "P4XDP_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
    assert done.stdout.splitlines()[-1] == "[]"


def test_generated_programs_have_the_wanted_size_and_are_right(tmp_path: Path) -> None:
    text = program(600, seed=3)
    assert text == program(600, seed=3)
    assert 480 < text.count("\n") < 720
    path = tmp_path / "made.p4"
    path.write_text(text)
    session = Session(path, Options(warnings=("error",)))
    assert "SEC(" in call_deep(lambda: compile(session)).c


def calls(work: Callable[[], object]) -> int:
    """Return how many functions are called: the same in every run, and on any machine."""
    profile = cProfile.Profile()

    def profiled() -> None:
        try:
            profile.runcall(work)
        except CompileError:
            pass

    call_deep(profiled)
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total


def test_the_work_grows_with_the_program_and_no_faster(tmp_path: Path) -> None:
    found = []
    for lines in (400, 1600):
        path = tmp_path / f"made{lines}.p4"
        path.write_text(program(lines, seed=3))
        found.append((calls(lambda p=path: compile(Session(p, Options()))), path))  # type: ignore[misc]
    small, large = found
    assert large[0] / small[0] < 1.5 * large[1].stat().st_size / small[1].stat().st_size


PARTS = """\
#include <core.p4>
#include <xdp_model.p4>
struct Headers {{ bit<8> a; bit<8> b; }}
parser P(packet_in packet, out Headers hd) {{ {states} }}
control C(inout Headers hd, in xdp_input i, out xdp_output o) {{ apply {{ {body} }} }}
control D(in Headers hd, packet_out packet) {{ apply {{ }} }}
xdp(P(), C(), D()) main;
"""
START = "state start { transition accept; }"


def nested(n: int, before: str, inside: str, behind: str) -> str:
    return before * n + inside + behind * n


def states(n: int) -> str:
    way = "transition select(packet.lookahead<bit<8>>())"
    chain = "".join(f"state s{i} {{ {way} {{ 1: s{i + 1}; 2: accept; }} }}\n" for i in range(n))
    return f"state start {{ transition s0; }} {chain} state s{n} {{ transition accept; }}"


SHAPES: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: PARTS.format(
        states=START, body=f"hd.a = {nested(n, '(', 'hd.b', ')')};"
    ),
    "operators": lambda n: PARTS.format(states=START, body=f"hd.a = {'hd.b + ' * n} 1;"),
    "blocks": lambda n: PARTS.format(states=START, body=nested(n, "{", "hd.a = hd.b;", "}")),
    "branches": lambda n: PARTS.format(
        states=START, body="if (hd.a == 1) { hd.b = 2; } else " * n + "{ }"
    ),
    "states": lambda n: PARTS.format(states=states(n), body=""),
    "comment": lambda n: PARTS.format(states=START, body=f"/* {'x ' * 20 * n} */"),
    "unclosed": lambda n: "control c() { apply { x = " + "(" * n,
    "errors": lambda n: PARTS.format(states=START, body="hd.a = nowhere; " * n),
    "constants": lambda n: (
        "const bit<8> c0 = 1;\n"
        + "".join(f"const bit<8> c{i + 1} = c{i} ^ {i % 256};\n" for i in range(n))
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_checking_grows_with_the_program_and_no_faster(shape: str, tmp_path: Path) -> None:
    found = []
    for n in (1, 1, 150, 600):  # the first compiles what all need
        path = tmp_path / f"{shape}{n}.p4"
        path.write_text(SHAPES[shape](n))
        found.append(calls(lambda p=path: check(Session(p, Options()))))  # type: ignore[misc]
    _, none, small, large = found
    assert large - none < 4.5 * (small - none) + 1000


LONG = """\
#include <core.p4>
#include <xdp_model.p4>
header Item {{ bit<16> next; bit<16> value; }}
struct Headers {{ {headers} }}
parser P(packet_in packet, out Headers hd) {{ {states} }}
control C(inout Headers hd, in xdp_input i, out xdp_output o) {{
    apply {{ o.output_port = 0; o.output_action = xdp_action.XDP_TX; {body} }}
}}
control D(in Headers hd, packet_out packet) {{ apply {{ packet.emit(hd); }} }}
xdp(P(), C(), D()) main;
"""
FILL = "packet.extract(hd.item.next); transition select(hd.item.last.next)"


def one_state(n: int, body: str = "") -> str:
    states = f"state start {{ {FILL} {{ 1: start; default: accept; }} }}"
    return LONG.format(headers=f"Item[{n}] item;", states=states, body=body)


def two_states(n: int) -> str:
    choice = f"{FILL} {{ 1: start; 2: other; default: accept; }}"
    states = f"state start {{ {choice} }} state other {{ {choice} }}"
    body = "if (hd.item[1].isValid()) { hd.item[1].value = 1; }"
    return LONG.format(headers=f"Item[{n}] item;", states=states, body=body)


def chain(n: int) -> str:
    states = "state start { transition s0; }" + "".join(
        f"state s{i} {{ packet.extract(hd.h{i});"
        f" transition select(hd.h{i}.next) {{ 1: s{i + 1}; default: accept; }} }}\n"
        for i in range(n)
    )
    states += f"state s{n} {{ transition accept; }}"
    body = "".join(
        f"if (hd.h{i}.isValid()) {{ hd.h{i}.value = hd.h{i}.value + 1; }}" for i in range(n)
    )
    headers = "".join(f"Item h{i};" for i in range(n))
    return LONG.format(headers=headers, states=states, body=body)


def wide(n: int) -> str:
    top = 32 * n - 1
    body = f"""
        bit<{top + 1}> a = hd.h.value ++ {top - 15}w5;
        bit<{top + 1}> b = a + (a >> 3);
        hd.h.value = b[15:0] ^ b[{top}:{top - 15}];"""
    state = "state start { packet.extract(hd.h); transition accept; }"
    return LONG.format(headers="Item h;", states=state, body=body)


LONG_SHAPES: dict[str, Callable[[int], str]] = {
    "one state": one_state,
    "moved": lambda n: one_state(n, "hd.item.pop_front(1);"),
    "read": lambda n: one_state(n, f"if (hd.item[{n - 1}].isValid()) {{ hd.item[0].value = 7; }}"),
    "indexed": lambda n: one_state(
        n, "bit<8> k = hd.item[0].value[7:0]; if (hd.item[k].isValid()) { hd.item[k].value = 7; }"
    ),
    "two states": two_states,
    "chain": chain,
    "wide": wide,
}


@pytest.mark.parametrize("shape", LONG_SHAPES)
def test_long_parsers_compile_in_time_that_grows_with_them(shape: str, tmp_path: Path) -> None:
    found = []
    for n in (2, 2, 30, 120):  # the first compiles what all need
        path = tmp_path / f"long{n}.p4"
        path.write_text(LONG_SHAPES[shape](n))
        found.append(calls(lambda p=path: compile(Session(p, Options()))))  # type: ignore[misc]
    _, none, small, large = found
    assert none < small
    assert large - none < 6 * (small - none)


def test_long_parsers_are_flat(tmp_path: Path) -> None:
    path = tmp_path / "long.p4"
    path.write_text(one_state(300))
    c = call_deep(lambda: compile(Session(path, Options()))).c
    assert max(len(line) - len(line.lstrip("\t")) for line in c.splitlines()) < 40
