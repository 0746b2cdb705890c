"""The C file: clean under every compiler, small where the program is, and for every hook."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from backend_programs import (
    ABORTED,
    DROP,
    HIT,
    PASS,
    PROGRAMS,
    TABLES,
    VERDICT,
    applied,
    check,
    compiled,
    every_statement,
    every_table,
    key,
    load,
    parse_only,
    program,
    table,
)

from p4xdp.diagnostics import CompileError
from p4xdp.midend.ir import (
    BOOL,
    AdjustHead,
    Assign,
    Binary,
    BinaryOp,
    Const,
    Counter,
    Effect,
    Finish,
    If,
    Mux,
    Program,
    Var,
)
from p4xdp.runtime import clang

HEADERS = Path(__file__).parents[2] / "p4xdp" / "runtime_headers"
FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", f"-I{HEADERS}"]


def code_of(source: Program, **options: object) -> str:
    """Return the entry point without comments."""
    text = compiled(source, **options).c
    return re.sub(r"\s*/\*.*?\*/", "", text[text.index("\nSEC(") :])


# Compilers


@pytest.mark.clang
@pytest.mark.parametrize("layout", ["stack", "scratch"])
@pytest.mark.parametrize("target", ["xdp", "tc"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("compiler", list(clang.installed()), ids=lambda c: f"clang-{c.version}")
def test_clang_has_nothing_to_say(
    compiler: clang.Clang, name: str, target: str, layout: str, tmp_path: Path
) -> None:
    source = tmp_path / f"{name}.c"
    source.write_text(compiled(PROGRAMS[name], target=target, layout=layout, trace=True).c)
    for cpu in ("v1", "v3"):
        built = clang.build(source, tmp_path / f"{name}.o", cpu=cpu, clang=compiler)
        assert built.warnings == ""


@pytest.mark.parametrize("layout", ["stack", "scratch"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_host_compiler_has_nothing_to_say(name: str, layout: str, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc here")
    source = tmp_path / f"{name}.c"
    source.write_text(compiled(PROGRAMS[name], target="native", layout=layout).c)
    done = subprocess.run(
        ["gcc", *FLAGS, source, "-o", tmp_path / name], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_same_program_gives_the_same_text() -> None:
    first, second = compiled(every_table()), compiled(every_table())
    assert (first.c, first.header) == (second.c, second.header)


# What stands there, and what does not


def test_a_program_that_only_parses_has_no_map_and_no_store() -> None:
    output = compiled(parse_only())
    assert output.description.maps == ()
    assert output.description.stack == 0
    assert "p4xdp_store" not in output.c
    assert "adjust_head" not in output.c
    assert output.summary == "parse_only: 0 tables, 0 maps, stack ~0 bytes, layout stack"


def test_a_program_that_drops_everything_looks_at_nothing() -> None:
    code = code_of(program((Finish(DROP),)))
    assert "data" not in code
    assert "return XDP_DROP;" in code


def test_every_line_is_tabs_and_at_most_100_columns() -> None:
    for source in PROGRAMS.values():
        for text in (compiled(source).c, compiled(source).header):
            for line in text.splitlines():
                assert len(line.expandtabs(8)) <= 100, line
                assert not re.match(r"\t* {8,}", line), line
                assert line == line.rstrip(), line


def test_statements_say_where_they_come_from() -> None:
    text = compiled(parse_only()).c
    assert "\t/* demo.p4:25 */\n\tif (p4xdp_load16(data + 12) == 0x800) {" in text


def test_debug_lines_name_the_p4_file() -> None:
    text = compiled(parse_only(), debug_lines=True).c
    place = '#line 25 "examples/demo.p4"\n'
    assert f"{place}\tif (p4xdp_load16(data + 12) == 0x800) {{" in text


def test_traces_are_only_there_when_asked_for() -> None:
    assert "bpf_printk" not in compiled(every_statement()).c
    traced = compiled(every_statement(), trace=True).c
    assert 'bpf_printk("sent 0x%llx", (__u64)(sent));' in traced
    assert 'bpf_printk("Switch.macs: miss");' in compiled(every_table(), trace=True).c


def test_a_variable_that_nobody_reads_is_not_there() -> None:
    unread = Assign(Var("unread", 16), load(96, 16))
    assert "unread" not in compiled(program((check(14), unread, Finish(PASS)))).c


def test_a_variable_that_may_be_read_first_starts_at_zero() -> None:
    maybe, always = Var("maybe", 8), Var("always", 8)
    body = (
        check(14),
        Assign(always, load(8, 8)),
        If(Binary(BinaryOp.EQ, load(0, 8), Const(1, 8)), (Assign(maybe, load(8, 8)),)),
        Finish(Mux(Binary(BinaryOp.LT, maybe, always), PASS, DROP)),
    )
    assert "__u8 always, maybe = 0;" in compiled(program(body)).c


def test_a_jump_and_its_label() -> None:
    code = code_of(every_statement())
    assert "goto done;" in code
    assert "\ndone:\n" in code


# Verdicts


@pytest.mark.parametrize(
    ("model", "target", "accepted", "dropped"),
    [
        ("filter", "xdp", "XDP_PASS", "XDP_DROP"),
        ("filter", "tc", "TC_ACT_OK", "TC_ACT_SHOT"),
    ],
)
def test_a_filter_accepts_or_drops(model: str, target: str, accepted: str, dropped: str) -> None:
    accept = Binary(BinaryOp.EQ, load(0, 8), Const(1, 8))
    source = program((check(14), Finish(accept)), model=model, verdict=Var("a", BOOL), port=None)
    code = code_of(source, target=target)
    assert f"return (p4xdp_load8(data) == 1) ? {accepted} : {dropped};" in code


def test_tc_says_verdicts_in_its_own_words() -> None:
    def code(verdict: int) -> str:
        return code_of(program((Finish(Const(verdict, 32), Const(3, 32)),)), target="tc")

    assert "return TC_ACT_SHOT;" in code(0)
    assert "return TC_ACT_SHOT;" in code(1)
    assert "return TC_ACT_OK;" in code(2)
    assert "return p4xdp_skb_transmit(ctx);" in code(3)
    assert "return p4xdp_skb_redirect(ctx, 3);" in code(4)


def test_tc_pulls_what_it_looks_at_to_the_front() -> None:
    assert "p4xdp_skb_pull(ctx, 94);" in code_of(every_statement(), target="tc")


def test_a_run_time_redirect_goes_through_the_devmap() -> None:
    assert "p4xdp_redirect_map(ctx, &tx_ports, " in compiled(every_statement()).c
    direct = replace(every_statement(), devmap_size=None)
    assert "p4xdp_redirect(ctx, " in compiled(direct).c


# Names


AWKWARD = ("register", "volatile", "data", "ctx", "u8", "main", "htons", "BYTES", "long", "int8")


def test_names_of_c_and_its_headers_get_out_of_the_way(tmp_path: Path) -> None:
    names = [*AWKWARD, "printf", "index", "offset", "memcpy", "a.b", "a_b", "errno", "bpf_redirect"]
    total = Var("total", 32)
    variables = [Var(name, 32) for name in names]
    body = [check(14), *(Assign(v, load(8 * i, 32)) for i, v in enumerate(variables[:8]))]
    for variable in variables:
        body.append(Assign(total, Binary(BinaryOp.ADD, total, variable)))
    tables = tuple(table(name, key(name, 32)) for name in ("printf", "index", "log", "program"))
    applications = tuple(applied(t.name.split(".")[1], variables[0]) for t in tables)
    counters = (Counter("a.exit", 5, False), Counter("b.exit", 5, False))
    effects = tuple(Effect("count", c.name, (total, Const(1, 32))) for c in counters)
    source = program(
        (*body, *applications, *effects, Finish(VERDICT, total)),
        name="main",
        tables=tables,
        counters=counters,
    )
    output = compiled(source, target="native")
    (tmp_path / "names.c").write_text(output.c)
    (tmp_path / "names.h").write_text(output.header)
    (tmp_path / "tool.c").write_text('#include "names.h"\nint main(void) { return 0; }\n')
    for name in ("names.c", "tool.c"):
        command = ["gcc", *FLAGS, tmp_path / name, "-o", tmp_path / "out"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.stderr == ""
    assert output.description.function == "main_"
    assert [m.name for m in output.description.maps if m.type == "hash"] == [
        "printf_",
        "index_",
        "log_",
        "program_",
    ]


def test_the_entry_point_makes_way_for_a_table_of_the_same_name() -> None:
    source = replace(every_table(), name="macs")
    description = compiled(source).description
    assert description.function == "macs_program"
    assert description.tables[0].map == "macs"


# Layouts


def test_many_live_variables_go_to_scratch_memory() -> None:
    values = [Var(f"v{i}", 32) for i in range(80)]
    total = Var("total", 32)
    body = [check(54), *(Assign(v, load(i * 4, 32)) for i, v in enumerate(values))]
    body += [Effect("count", "c", (Const(0, 32), Const(1, 32)))]
    body += [Assign(total, Binary(BinaryOp.ADD, total, v)) for v in values]
    source = program((*body, Finish(VERDICT, total)), counters=(Counter("c", 1, False),))
    chosen, forced = compiled(source), compiled(source, layout="stack")
    assert chosen.description.layout == "scratch"
    assert chosen.description.stack <= 64
    assert forced.description.layout == "stack"
    assert forced.description.stack > 512
    why = "the stack of 512 bytes may not hold ~632"
    assert chosen.summary == f"demo: 0 tables, 2 maps, stack ~8 bytes, layout scratch ({why})"


def error_of(source: Program, **options: object) -> tuple[str, str]:
    with pytest.raises(CompileError) as caught:
        compiled(source, **options)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code, diagnostic.text


def test_variables_beyond_the_last_rung() -> None:
    values = [Var(f"hd.stack.v{i}", 64) for i in range(5000)]
    total = Var("total", 64)
    body = [check(54), *(Assign(v, load(8, 64)) for v in values)]
    body += [Effect("count", "c", (Const(0, 32), Const(1, 32)))]
    body += [Assign(total, Binary(BinaryOp.ADD, total, v)) for v in values]
    test = Binary(BinaryOp.LT, total, Const(9, 64))
    counters = (Counter("c", 1, False),)
    source = program((*body, Finish(Mux(test, PASS, DROP))), counters=counters)
    code, text = error_of(source)
    assert code == "stack-too-large"
    assert "40008 bytes" in text
    assert "32768" in text


# Limits


def test_a_table_with_too_many_entries() -> None:
    many = table("acl", key("k", 32, "ternary"), size=5000000)
    source = program((applied("acl", Const(1, 32)), Finish(VERDICT)), tables=(many,))
    assert error_of(source) == (
        "table-too-large",
        "table `Switch.acl` is to hold 5000000 entries; a ternary table holds at most 1048576",
    )


def test_a_ternary_table_of_more_memory_than_an_index_can_reach() -> None:
    keys = tuple(key(f"k{i}", 128, "ternary") for i in range(20))
    text = error_of(program((Finish(VERDICT),), tables=(table("acl", *keys, size=1 << 20),)))[1]
    assert "in one piece" in text


@pytest.mark.parametrize(("count", "masks"), [(20, False), (40, True)])
def test_short_lists_are_scanned_while_branches_allow(count: int, masks: bool) -> None:
    lists = tuple(table(f"acl{i}", key("k", 32, "ternary"), size=64) for i in range(count))
    body = tuple(applied(one.name.removeprefix("Switch."), Const(1, 32)) for one in lists)
    text = compiled(program((*body, Finish(VERDICT)), tables=lists)).c
    assert ("bpf_loop" in text) == masks


def test_a_key_beyond_the_stack() -> None:
    wide = table("wide", *(key(f"k{i}", 128) for i in range(33)))
    source = program((Finish(VERDICT),), tables=(wide,))
    code, text = error_of(source)
    assert code == "table-too-large"
    assert "528 bytes" in text


def test_a_counter_with_too_many_cells() -> None:
    source = program((Finish(DROP),), counters=(Counter("c", 1 << 30, False),))
    assert error_of(source)[0] == "counter-too-large"


def test_shrinking_the_head_on_tc_is_refused() -> None:
    shrink = AdjustHead(Const((1 << 32) - 8, 32), (Finish(ABORTED),))
    source = program((check(54), shrink, Finish(PASS)))
    assert "bpf_xdp_adjust_head(ctx, 8)" in compiled(source).c
    assert error_of(source, target="tc")[0] == "unsupported"


def test_tables_and_hits_that_nobody_reads_leave_no_variable() -> None:
    silent = replace(applied("macs", load(0, 48)), arms=(), hit=HIT)
    source = program((check(14), silent, Finish(PASS)), tables=TABLES[:1])
    code = code_of(source)
    assert "hit" not in code
    assert "macs_entry" not in code
