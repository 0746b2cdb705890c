"""Random expressions in the kernel: what clang makes of the C for BPF, against the reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from backend_programs import PASS, check, compiled, program
from backend_reference import PACKET_BITS, WIDTHS, Generator, evaluate

from p4xdp.midend import ir
from p4xdp.midend.fold import fold
from p4xdp.midend.rewrite import rewrite
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject

COUNT = 40
HEAD = PACKET_BITS // 8
INPUTS = 30


def random_program(generator: Generator) -> tuple[ir.Program, list[ir.Expr], dict[str, ir.Load]]:
    """Variables come from the packet's head; each result goes into 8 bytes behind it."""
    sources = {
        f"v{width}": ir.Load("data", generator.random.randrange(PACKET_BITS - 64), width or 1)
        for width in range(65)
    }
    exprs = [generator.expr(generator.random.choice((0, *WIDTHS)), 3) for _ in range(COUNT)]
    body: list[ir.Stmt] = [check(HEAD + 8 * COUNT)]
    for name, load in sources.items():
        width = 0 if name == "v0" else load.width
        value = load if width else ir.Unary(ir.UnaryOp.TO_BOOL, load)
        body.append(ir.Assign(ir.Var(name, width), value))
    for i, expr in enumerate(exprs):
        result = ir.Var(f"r{i}", ir.width_of(expr))
        body.append(ir.Assign(result, rewrite(expr, fold)))
    for i, expr in enumerate(exprs):
        width = ir.width_of(expr)
        result = ir.Var(f"r{i}", width)
        bits = result if width else ir.Unary(ir.UnaryOp.TO_BITS, result)
        whole = bits if width == 64 else ir.Extend(bits, 64)
        body.append(ir.Store("data", PACKET_BITS + 64 * i, 64, whole))
    return program((*body, ir.Finish(PASS))), exprs, sources


@pytest.mark.parametrize("compiler", list(clang.installed()), ids=lambda c: f"clang-{c.version}")
@pytest.mark.parametrize("cpu", ["v1", "v3"])
@pytest.mark.parametrize("seed", [1, 2])
def test_random_expressions(seed: int, cpu: str, compiler: clang.Clang, tmp_path: Path) -> None:
    generator = Generator(seed)
    source, exprs, sources = random_program(generator)
    path = tmp_path / "random.c"
    path.write_text(compiled(source, layout="scratch").c)
    built = clang.build(path, path.with_suffix(".o"), cpu=cpu, clang=compiler)
    with BpfObject(built.object) as one:
        one.load()
        for _ in range(INPUTS):
            head = generator.random.randbytes(HEAD)
            values = {name: evaluate(load, {}, head) for name, load in sources.items()}
            data = one.program().test_run(head + bytes(8 * COUNT)).data
            for i, expr in enumerate(exprs):
                place = HEAD + 8 * i
                result = int.from_bytes(data[place : place + 8], "big")
                assert result == evaluate(expr, values, head), (i, expr)
