"""One hand-written program in every place: the answers are the same, and failures are named."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from by_hand import DESCRIPTION, SOURCE, compile_by_hand

from p4xdp.runtime import clang
from p4xdp.stf.check import Left, align, compare
from p4xdp.stf.native import WARNINGS
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import Compile, Compiled, PlaceOptions
from p4xdp.stf.places import CaseResult, run_statements
from p4xdp.stf.syntax import Expect

PLACES = [
    "native",
    pytest.param("kernel", marks=pytest.mark.kernel),
    pytest.param("veth", marks=pytest.mark.veth),
]

WALK = """\
packet 0 000000000001 000000000002 0800 01
expect 0 0000000000010000000000020800 01 $
verdict pass
add macs hd.eth.dst:1 drop()
packet 0 000000000001 000000000002 0800 01
no_packet
verdict drop
expect 3 00000000000* 000000000002 0800
add macs dst:2 to_port(port:3)
packet 1 000000000002 000000000002 0800 0101
verdict redirect
setdefault macs tag(vlan:5)
packet 1 000000000003 000000000002 0800 01
expect 1 000000000003 000000000002 8100 0005 0800 01 $
verdict tx
add acl 10 src:0x2* type:0x0800 drop()
add acl 20 src:0x23 tag(vlan:0x123)
packet 1 000000000003 000000000024 0800 01
verdict drop
packet 1 000000000003 000000000023 0800 01
expect 1 000000000003 000000000023 8100 0123
add routes type:0x9 dst:0x010000000000/8 to_port(port:7)
add routes type:0x9 dst:0x010000000001 to_port(port:8)
add routes type:0x9 dst:0x010000000000/47 to_port(port:9)
packet 1 017000000003 000000000035 0009 01
expect 7
packet 1 010000000001 000000000035 0009 01
expect 8
packet 1 010000000000 000000000035 0009 01
expect 9
packet 1 010000000000 000000000035 8100 0007 0806 01
expect 1 010000000000 000000000035 8100 0005 8100 0007 0806 01 $
add ports input_port:1 drop()
packet 1 010000000000 000000000035 0019 01
no_packet
check_counter seen(1) packets == 9
check_counter bytes(1) packets == 126
check_counter bytes(7) packets == 0
remove all
packet 1 010000000000 000000000035 8100 0005 0019 01
expect 1 010000000000 000000000035 8100 0005 8100 0005 0019 01 $
wait
"""


Run = Callable[..., CaseResult]


@pytest.fixture
def options(build_dir: Path) -> PlaceOptions:
    return PlaceOptions(build_dir=build_dir)


@pytest.fixture
def run(options: PlaceOptions, require_place: Callable[[str, CaseResult], None]) -> Run:
    def run_in(
        text: str,
        place: str,
        options: PlaceOptions = options,
        compile: Compile = compile_by_hand,
    ) -> CaseResult:
        result = run_statements(parse_case(text, "t.stf"), compile, place, options)
        require_place(place, result)
        return result

    return run_in


@pytest.mark.parametrize("place", PLACES)
def test_the_walk_passes(place: str, run: Run) -> None:
    assert run(WALK, place).failures == ()


TOO_SHORT = (
    "the kernel's test run takes no frame under 14 bytes, this has {}; interp and native run it"
)

FRAME = "000000000001 000000000002 0800"
HEX = FRAME.replace(" ", "")


@pytest.mark.parametrize("place", PLACES)
def test_every_kind_of_failure_is_found(place: str, run: Run) -> None:
    text = (
        f"packet 0 {FRAME} 01\n"
        "expect 0 0000000000010000000000020801\n"
        f"packet 0 {FRAME} 02\n"
        f"packet 0 {FRAME} 0304\n"
        f"expect 1 {FRAME}\n"
        "no_packet\n"
        "verdict drop\n"
        f"expect 0 {FRAME} $\n"
        "check_counter seen(0) packets < 3\n"
    )
    assert run(text, place).failures == (
        "t.stf:6: no packet was expected, but one left by port 0",
        "t.stf:7: expected verdict drop, got pass",
        "t.stf:9: counter seen(0) is 3, expected < 3",
        f"t.stf:2: port 0: byte 13 is 00\n  expected {HEX[:-1]}1\n  received {HEX}01",
        "t.stf:8: port 0: the packet has 15 bytes, exactly 14 were expected\n"
        f"  expected {HEX} $\n  received {HEX}02",
        f"t.stf:4: an unexpected packet left by port 0: {HEX}0304",
        "t.stf:5: no packet left by port 1 for this expectation",
    )


@pytest.mark.parametrize("place", PLACES)
def test_a_longer_expectation_than_the_packet(place: str, run: Run) -> None:
    (failure,) = run(f"packet 0 {FRAME}\nexpect 0 {FRAME} **\n", place).failures
    assert failure.startswith("t.stf:2: port 0: the packet has 14 bytes, 15 were expected")


def test_one_packet_too_many_or_too_few_is_one_failure() -> None:
    expected = [Expect(0, digits) for digits in ("01", "02", "0*", "05")]

    def failing(*data: int) -> list[tuple[str | None, int | None]]:
        pairs = align(expected, [Left(bytes([one]), None) for one in data])
        return [
            (e.nibbles if e else None, one.data[0] if one else None)
            for e, one in pairs
            if not (e and one and compare(e, one.data) is None)
        ]

    assert failing(1, 2, 3, 5) == []
    assert failing(1, 7, 2, 3, 5) == [(None, 7)]
    assert failing(1, 3, 5) == [("02", None)]
    assert failing(1, 0x22, 3, 5) == [("02", 0x22)]
    assert failing(1, 2, 3, 5, 5) == [(None, 5)]
    assert failing() == [("01", None), ("02", None), ("0*", None), ("05", None)]
    assert align([], [Left(b"", None)]) == [(None, Left(b"", None))]


@pytest.mark.parametrize("place", PLACES)
def test_tables_refuse_in_every_place_alike(place: str, run: Run) -> None:
    fill = "add macs dst:1 drop()\nadd macs dst:2 drop()\n"
    assert run(f"{fill}add macs dst:2 tag(vlan:1)\n", place).passed
    (failure,) = run(f"{fill}add macs dst:3 drop()\n", place).failures
    assert failure.startswith("t.stf:3:1: error[entry-full]: table `Ingress.macs` is full")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mirroring_add 1 2", "error[entry-unsupported]: `by_hand` replicates no packets"),
        ("mc_mgrp_create 1", "error[entry-unsupported]: `by_hand` replicates no packets"),
        ("register_read r 1", "error[entry-object]: `r` is no register"),
        ("check_counter seen(0) bytes == 1", "error[entry-counter]: counter `Ingress.seen` counts"),
    ],
)
def test_what_compiled_programs_cannot_do(line: str, message: str, run: Run) -> None:
    (failure,) = run(line, "native").failures
    assert failure.startswith("t.stf:1:")
    assert message in failure


def test_short_packets_run_natively(run: Run) -> None:
    assert run("packet 0 0102\nverdict aborted\nno_packet\n", "native").passed


def test_tcc_builds_without_sanitizers(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script stands for tcc: it builds as `cc` does what is asked without sanitizers."""
    tcc = tmp_path / "tcc"
    tcc.write_text('#!/bin/sh\ncase "$*" in *-fsanitize*) exit 1;; esac\nexec cc "$@"\n')
    tcc.chmod(0o755)
    monkeypatch.setenv("CC", str(tcc))
    assert run("packet 0 0102\nverdict aborted\nno_packet\n", "native").passed


def test_a_case_may_say_where_it_runs(options: PlaceOptions) -> None:
    text = "# places: native; 2 bytes are too few elsewhere\npacket 0 0102\n"
    result = run_statements(parse_case(text, "t.stf"), compile_by_hand, "kernel", options)
    assert result == CaseResult(False, (), "not on kernel: 2 bytes are too few elsewhere", True)


@pytest.mark.kernel
def test_a_packet_too_short_for_a_test_run_is_named(run: Run) -> None:
    (failure,) = run("wait\npacket 0 0102\n", "kernel").failures
    assert failure == f"t.stf:2: {TOO_SHORT.format(2)}"


@pytest.mark.veth
def test_a_packet_too_short_for_a_device_is_named(run: Run) -> None:
    (failure,) = run("wait\npacket 0 0102\n", "veth").failures
    assert failure == "t.stf:2: a packet of 2 bytes cannot be sent: Invalid argument"


@pytest.mark.veth
def test_a_redirect_to_no_port_is_named(run: Run) -> None:
    text = f"add macs dst:1 to_port(port:6)\npacket 0 {FRAME}\n"
    (failure,) = run(text, "veth").failures
    expected = "the kernel could not redirect the packet: no such port in this case"
    assert failure == f"t.stf:2: {expected}"


def changed(before: str, after: str) -> Compile:
    text = SOURCE.read_text()
    assert before in text
    return lambda target, layout: Compiled(text.replace(before, after), DESCRIPTION)


ABORTS = ("if (data + 14 > data_end)", "if (data + 14 > data_end || data[13] == 0xff)")
DROPS_AND_ABORTS = (
    "add macs dst:1 drop()\n"
    "packet 0 000000000001 000000000002 0800\nverdict drop\n"
    "packet 0 000000000001 000000000002 08ff\nverdict aborted\n"
    "packet 0 000000000001 000000000002 0800\nverdict drop\n"
    "packet 0 000000000001 000000000002 0800\nverdict aborted\n"
)


@pytest.mark.parametrize("place", PLACES)
def test_aborted_is_told_from_dropped(place: str, run: Run) -> None:
    failures = run(DROPS_AND_ABORTS, place, compile=changed(*ABORTS)).failures
    assert failures == ("t.stf:9: expected verdict aborted, got drop",)


@pytest.mark.veth
def test_without_tracing_aborted_counts_as_dropped(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> int:
        raise PermissionError(1, "no tracing")

    monkeypatch.setattr("p4xdp.stf.tracing._tracepoint_id", fail)
    assert run(DROPS_AND_ABORTS, "veth", compile=changed(*ABORTS)).passed


def test_a_read_behind_the_packet_is_reported(run: Run) -> None:
    compile = changed("if (data + 14 > data_end)", "if (data + 13 > data_end)")
    (failure,) = run(f"packet 0 {HEX[:26]}\n", "native", compile=compile).failures
    assert failure.startswith("t.stf:1: the native build broke off")
    assert "heap-buffer-overflow" in failure


def test_bytes_before_the_packet_are_not_the_programs(run: Run) -> None:
    compile = changed("route.prefixlen = 64;", "route.prefixlen = 56 + (data[-8] == 8) * 8;")
    (failure,) = run(f"packet 0 {FRAME}\n", "native", compile=compile).failures
    assert "use-after-poison" in failure


def test_undefined_behaviour_is_reported(run: Run) -> None:
    compile = changed("route.prefixlen = 64;", "route.prefixlen = 64; port <<= data[13] + 40;")
    (failure,) = run(f"packet 0 {FRAME}\n", "native", compile=compile).failures
    assert "shift exponent 40 is too large" in failure


def test_an_endless_program_is_ended(run: Run, options: PlaceOptions) -> None:
    compile = changed("route.prefixlen = 64;", "while (data[13] != 1) *(volatile int *)&i += 0;")
    short = PlaceOptions(build_dir=options.build_dir, timeout=0.5)
    (failure,) = run(f"packet 0 {FRAME}\n", "native", short, compile).failures
    assert failure == "t.stf:1: no answer from the native build in 0.5 seconds"


def test_a_warning_of_the_host_compiler_is_a_failure(run: Run) -> None:
    compile = changed("int i;\n\n\tif", "int i, unused;\n\n\tif")
    (failure,) = run("wait\n", "native", compile=compile).failures
    assert "unused variable" in failure


def test_without_a_compiler_there_is_a_reason(
    options: PlaceOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    case = parse_case("wait", "t.stf")
    result = run_statements(case, compile_by_hand, "native", options)
    assert result.skipped == "`no-such-cc` is not there: set CC to a C compiler"


@pytest.mark.kernel
def test_a_refusal_of_the_verifier_shows_the_end_of_its_log(run: Run) -> None:
    compile = changed("if (data + 14 > data_end)", "if (data + 13 > data_end)")
    (failure,) = run("wait\n", "kernel", compile=compile).failures
    assert failure.startswith("t.stf: the verifier refused `by_hand`")
    assert "invalid access to packet" in failure


def test_builds_are_kept_and_nothing_else(run: Run, tmp_path: Path) -> None:
    options = PlaceOptions(build_dir=tmp_path / "b")
    for _ in range(2):
        assert run("wait\n", "native", options).passed
    assert [p.name.split("-")[0] for p in (tmp_path / "b").iterdir()] == ["native"]


@pytest.mark.clang
def test_another_compiler_takes_the_stand_ins_without_a_warning() -> None:
    command = [str(clang.find().path), "-fsyntax-only", *WARNINGS, f"-I{clang.include_dir()}"]
    done = subprocess.run([*command, str(SOURCE)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.veth
def test_a_case_over_veth_leaves_nothing_behind(run: Run) -> None:
    def held() -> list[str]:
        return sorted(p.readlink().name for p in Path("/proc/self/fd").iterdir() if p.exists())

    run(WALK, "veth")
    before = held()
    run(WALK, "veth")
    run(f"packet 0 {FRAME}\npacket 0 0102\n", "veth")
    assert len(held()) == len(before)
