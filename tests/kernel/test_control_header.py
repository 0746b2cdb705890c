"""The control-plane header against a loaded program: what a C tool enters, packets meet."""

from __future__ import annotations

import struct
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from backend_programs import PROGRAMS, compiled, every_table
from sandbox import BPFFS
from ternary_model import lookup

from p4xdp.backend_c import Output
from p4xdp.description import Table
from p4xdp.runtime import clang, ternary
from p4xdp.runtime.libbpf import BpfMap, BpfObject

HERE = Path(__file__).parent
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"]


@pytest.fixture(scope="module")
def output() -> Output:
    return compiled(every_table())


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("headers")
    for name, source in PROGRAMS.items():
        (path / f"{name}.h").write_text(compiled(source).header)
    return path


@pytest.fixture(scope="module")
def loaded(output: Output, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BpfObject]:
    source = tmp_path_factory.mktemp("object") / "every_table.c"
    source.write_text(output.c)
    built = clang.build(source, source.with_suffix(".o"))
    with BpfObject(built.object) as one:
        one.load()
        yield one


@pytest.fixture(scope="module")
def pins(loaded: BpfObject) -> Iterator[Path]:
    directory = BPFFS / f"p4xdp-test-{uuid.uuid4().hex}"
    directory.mkdir()
    for one in loaded.maps:
        loaded.map(one.name).pin(directory / one.name)
    yield directory
    for pin in directory.iterdir():
        pin.unlink()
    directory.rmdir()


@pytest.fixture(scope="module")
def filled(pins: Path, headers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pins, after the tool has made its changes and found what it expects."""
    tool = tmp_path_factory.mktemp("tool") / "tool"
    command = ["gcc", *WARNINGS, f"-I{headers}", HERE / "control_tool.c", "-o", tool, "-lbpf"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    ran = subprocess.run([tool, pins], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    return pins


@pytest.mark.parametrize("standard", ["gnu++11", "gnu++20"])
@pytest.mark.parametrize("compiler", ["g++", "clang++-16"])
def test_cpp_takes_the_headers(headers: Path, compiler: str, standard: str, tmp_path: Path) -> None:
    source = tmp_path / "tool.cc"
    lines = [f'#include "{name}.h"' for name in PROGRAMS]
    source.write_text(
        "\n".join([*lines, "int main(int, char **argv) { return macs_open(argv[1]) != 0; }\n"])
    )
    command = [compiler, f"-std={standard}", *WARNINGS, f"-I{headers}", "-c", source, "-o"]
    done = subprocess.run([*command, tmp_path / "tool.o"], capture_output=True, text=True)
    assert done.stderr == ""


def table_of(output: Output, name: str) -> Table:
    return next(table for table in output.description.tables if table.c_name == name)


def test_the_loaded_maps_are_those_of_the_description(loaded: BpfObject, output: Output) -> None:
    described = {(m.name, m.key_size, m.value_size, m.max_entries) for m in output.description.maps}
    found = {(m.name, m.key_size, m.value_size, m.max_entries) for m in loaded.maps}
    assert described == found


def test_bytes_stand_where_the_description_says(filled: Path, output: Output) -> None:
    macs = table_of(output, "macs")
    key, value = next(BpfMap.pinned(filled / "macs").items())
    (field,) = macs.keys
    assert key[field.offset :][: field.size] == bytes.fromhex("020304050607")
    port, dst = macs.actions[0].data
    assert struct.unpack_from("=I", value) == (macs.actions[0].id,)
    assert value[port.offset :][: port.size] == bytes.fromhex("11223344")
    assert value[dst.offset :][: dst.size] == bytes.fromhex("0a0b0c0d0e0f")


def test_a_prefix_counts_the_fields_before_it(filled: Path, output: Output) -> None:
    routes = table_of(output, "routes")
    key, _ = next(BpfMap.pinned(filled / "routes").items())
    assert struct.unpack_from("=I", key) == (routes.prefix_base + 16,)
    assert routes.prefix_base == 32  # two bytes of vrf, two of padding


def test_the_ternary_state_names_the_entries_in_force(filled: Path) -> None:
    (_, state), *_ = BpfMap.pinned(filled / "acl_state").items()
    (word,) = struct.unpack("=Q", state)
    assert word & 0xFFFFFFFF == 903
    assert word >> 32 in (0, 1)


def masked(key: bytes, mask: bytes) -> bytes:
    return bytes(a & b for a, b in zip(key, mask, strict=False))


def test_a_search_by_masks_finds_what_the_tool_entered(filled: Path, output: Output) -> None:
    """Each key of an entry meets that entry or a better one: the first that fits."""
    acl = table_of(output, "acl")
    word = BpfMap.pinned(filled / "acl_state").lookup(bytes(4)) or b""
    half = BpfMap.pinned(filled / "acl").lookup(word[4:8]) or b""
    entries = ternary.entries_of(acl, half, 903)
    size, tried = acl.key_size, []
    for entry in entries:
        key = entry[:size]
        found, masks = lookup(acl, half, key)
        assert found is not None
        fits = (
            e
            for e in entries
            if bytes(a & b for a, b in zip(key, e[size:], strict=False)) == e[:size]
        )
        assert ternary.identity(acl, found) == ternary.identity(acl, next(fits))
        tried.append(masks)
    assert max(tried) > 20


def test_a_packet_meets_what_the_tool_entered(filled: Path, loaded: BpfObject) -> None:
    """The entry of `macs` sets the destination first, then `always`, whose default forwards."""
    frame = bytes.fromhex("020304050607" + "02" * 6 + "0806") + bytes(60)
    run = loaded.program().test_run(frame)
    assert run.data[:6] == bytes.fromhex("020000000001")
