"""Expressions in C: random ones against the reference, and the look of a few."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from backend_reference import WIDTHS, Generator, evaluate

from p4xdp.backend_c.cexpr import Env, render_loose
from p4xdp.backend_c.layout import variable_size, variable_type
from p4xdp.midend import ir
from p4xdp.midend.fold import fold
from p4xdp.midend.rewrite import rewrite

HEADERS = Path(__file__).parents[2] / "p4xdp" / "runtime_headers"
VARIABLES = {f"v{width}": f"v{width}" for width in (ir.BOOL, *range(1, 65))}
ENV = Env(VARIABLES, {"data": "data"})

SHELL = """
#include <stdio.h>
#include <stdlib.h>
#include <p4xdp.h>

%(globals)s
static __u8 *data;
%(functions)s
int main(void)
{
	static __u64 (*const functions[])(void) = { %(names)s };
	unsigned int i, count;

	while (scanf("%%u", &count) == 1) {
		unsigned int byte;

		/* exactly as large as the packet, so that the sanitizer sees a byte too many */
		data = malloc(count);
		for (i = 0; i < count && scanf("%%2x", &byte) == 1; i++)
			data[i] = byte;
%(reads)s
		for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
			printf("%%llu\\n", functions[i]());
		free(data);
	}
	return 0;
}
%(rest)s
"""
REST = """
struct { int unused; } no_map;
static const struct p4xdp_native_map p4xdp_native_maps[] = { { 0 } };
#define main p4xdp_native_main_unused
static int no_program(struct xdp_md *ctx) { return (int)ctx->data; }
#define P4XDP_NATIVE_ENTRY no_program
#include <p4xdp_native_main.h>
"""


def program(exprs: list[ir.Expr]) -> str:
    functions = []
    for i, expr in enumerate(exprs):
        width = ir.width_of(expr)
        kind, size = variable_type(width), variable_size(width) * 8
        text = render_loose(expr, ENV, size)
        functions.append(f"static __u64 f{i}(void)\n{{\n\t{kind} r = {text};\n\n\treturn r;\n}}")
    widths = (ir.BOOL, *range(1, 65))
    return SHELL % {
        "globals": "\n".join(f"{variable_type(w)} v{w};" for w in widths),
        "functions": "\n".join(functions),
        "names": ", ".join(f"f{i}" for i in range(len(exprs))),
        "reads": "\n".join(
            f'\t\t{{ __u64 x; if (scanf("%llu", &x) != 1) return 1; v{w} = x; }}' for w in widths
        ),
        "rest": REST,
    }


def run(binary: Path, inputs: list[tuple[dict[str, int], bytes]]) -> list[int]:
    lines = [
        f"{len(packet)} {packet.hex()} {' '.join(str(values[name]) for name in VARIABLES)}"
        for values, packet in inputs
    ]
    done = subprocess.run([binary], input="\n".join(lines), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def compile_c(compiler: str, flags: list[str], text: str, directory: Path) -> Path:
    source, binary = directory / "exprs.c", directory / f"exprs-{compiler}"
    source.write_text(text)
    command = [compiler, *flags, "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}"]
    done = subprocess.run(
        [*command, source, "-o", binary], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:4000]
    return binary


COMPILERS = {
    "gcc": ["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"],
    "clang-16": ["-O2"],
}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_random_expressions_equal_the_reference(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    generator = Generator(1)
    exprs = [generator.expr(generator.random.choice((0, *WIDTHS)), 3) for _ in range(400)]
    folded = [rewrite(expr, fold) for expr in exprs]
    binary = compile_c(compiler, COMPILERS[compiler], program(folded), tmp_path)
    inputs = [
        ({f"v{w}": generator.value(w) for w in range(65)}, generator.random.randbytes(30))
        for _ in range(25)
    ]
    results = iter(run(binary, inputs))
    for values, packet in inputs:
        for i, expr in enumerate(exprs):
            assert next(results) == evaluate(expr, values, packet), (i, expr, values)
