"""The binding: maps, programs, test runs and refusals, against the running kernel."""

from __future__ import annotations

import errno
import json
import struct
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandbox import BPFFS, Made, eventually

from p4xdp.runtime import capi
from p4xdp.runtime.libbpf import (
    NOEXIST,
    BpfError,
    BpfMap,
    BpfObject,
    BpfProgram,
    VerifierError,
    get_pinned,
)

Make = Callable[..., Made]
FRAME = bytes.fromhex("0200000000010200000000020800") + bytes(46)
CELL = bytes(4)


@pytest.fixture
def loaded(make: Make) -> Iterator[BpfObject]:
    with BpfObject(make().object) as one:
        one.load()
        yield one


@pytest.fixture
def pin() -> Iterator[Path]:
    path = BPFFS / f"p4xdp-test-{uuid.uuid4().hex}"
    yield path
    path.unlink(missing_ok=True)


def new_map(type: str, key_size: int = 4, value_size: int = 8, entries: int = 8) -> BpfMap:
    return BpfMap.create("test", type, key_size, value_size, entries)


def test_an_object_lists_its_maps_by_symbol(make: Make) -> None:
    with BpfObject(make().object) as one:
        maps = {m.name: m for m in one.maps}
        assert one.programs == ("by_hand",)
    assert set(maps) == {m.name for m in make().description.maps}
    assert maps["macs_default"].section == ".data.macs_default"
    macs = maps["macs"]
    assert (macs.type, macs.key_size, macs.value_size, macs.max_entries) == ("hash", 8, 12, 2)


def test_an_object_opens_from_bytes_too(make: Make) -> None:
    with BpfObject(make().object.read_bytes(), "from_memory") as one:
        assert one.programs == ("by_hand",)


def test_something_else_is_no_object() -> None:
    with pytest.raises(BpfError, match="open the object: not a BPF object") as error:
        BpfObject(b"hello")
    assert "not a proper ELF object" in error.value.log


def test_a_data_map_holds_what_the_source_says(make: Make) -> None:
    with BpfObject(make().object) as one:
        one.set_initial("macs_default", struct.pack("I8x", 1))
        one.load()
        assert one.map("macs_default").lookup(CELL) == struct.pack("I8x", 1)
        assert one.map("acl_state").lookup(CELL) == bytes(8)


def test_an_unknown_map_is_an_error(loaded: BpfObject) -> None:
    with pytest.raises(BpfError, match="map `nothing`: No such file") as error:
        loaded.map("nothing")
    assert error.value.errno == errno.ENOENT


def test_hash_entries_come_and_go() -> None:
    with new_map("hash", entries=2) as one:
        assert one.lookup(CELL) is None
        assert not one.delete(CELL)
        one.update(CELL, b"12345678", NOEXIST)
        assert one.lookup(CELL) == b"12345678"
        with pytest.raises(BpfError) as error:
            one.update(CELL, bytes(8), NOEXIST)
        assert error.value.errno == errno.EEXIST
        one.update(b"\1\0\0\0", bytes(8))
        with pytest.raises(BpfError) as error:
            one.update(b"\2\0\0\0", bytes(8))
        assert error.value.errno == errno.E2BIG
        assert dict(one.items()) == {CELL: b"12345678", b"\1\0\0\0": bytes(8)}
        one.clear()
        assert list(one.keys()) == []


@pytest.mark.parametrize("type", ["hash", "array", "percpu_array", "percpu_hash"])
def test_many_entries_are_walked_through_whole(type: str) -> None:
    count = 10_000
    with new_map(type, entries=count) as one:
        for n in range(count):
            one.update(struct.pack("I", n), struct.pack("Q", n))
        found = dict(one.items())
    assert len(found) == count
    assert all(found[struct.pack("I", n)][:8] == struct.pack("Q", n) for n in range(count))


@pytest.mark.parametrize("type", ["hash", "array"])
def test_many_entries_are_stored_at_once(type: str) -> None:
    count = 10_000
    with BpfMap.create("many", type, 4, 8, count) as one:
        keys = b"".join(struct.pack("I", n) for n in range(count))
        one.update_many(keys, b"".join(struct.pack("Q", n) for n in range(count)))
        assert dict(one.items()) == {struct.pack("I", n): struct.pack("Q", n) for n in range(count)}
        with pytest.raises(BpfError) as refused:
            one.update_many(struct.pack("I", count), bytes(8))
        assert refused.value.errno == errno.E2BIG
        with pytest.raises(ValueError, match="other sizes"):
            one.update_many(bytes(4), bytes(16))


def test_a_wrong_size_is_a_mistake_of_the_caller() -> None:
    with new_map("hash") as one:
        with pytest.raises(ValueError, match="key of 3 bytes, expected 4"):
            one.lookup(b"abc")
        with pytest.raises(ValueError, match="value of 1 bytes, expected 8"):
            one.update(CELL, b"a")


def test_per_cpu_values_are_one_for_each_cpu() -> None:
    cpus = capi.possible_cpus()
    with new_map("percpu_array", value_size=4) as one:
        one.update_cpus(CELL, tuple(struct.pack("I", n) for n in range(cpus)))
        assert one.lookup_cpus(CELL) == tuple(struct.pack("I", n) for n in range(cpus))
        one.update(CELL, b"abcd")
        assert one.lookup_cpus(CELL) == (b"abcd",) * cpus


def test_a_test_run_gives_verdict_bytes_and_time(loaded: BpfObject) -> None:
    program = loaded.program()
    run = program.test_run(FRAME)
    assert (run.verdict, run.data) == (2, FRAME)
    loaded.map("macs_default").update(CELL, struct.pack("IBBH4x", 3, 0x0A, 0xBC, 0))
    run = program.test_run(FRAME)
    assert run.verdict == 3
    assert run.data == FRAME[:12] + b"\x81\x00\x0a\xbc" + FRAME[12:]
    assert program.test_run(FRAME, repeat=1000).wall_ns > 0


def test_a_short_packet_is_refused_by_the_kernel(loaded: BpfObject) -> None:
    with pytest.raises(BpfError, match="test run: Invalid argument") as error:
        loaded.program().test_run(FRAME[:10])
    assert error.value.errno == errno.EINVAL


def test_a_program_says_what_it_is(loaded: BpfObject) -> None:
    info = loaded.program().info()
    assert (info.name, info.type, len(info.tag)) == ("by_hand", 6, 16)
    assert info.instructions > 50
    assert info.verified >= info.instructions // 2
    # the array of ports is read inline, yet belongs to the program
    assert len(info.map_ids) == len(loaded.maps)
    with BpfProgram.by_id(info.id) as same:
        assert same.info() == info


def test_pins_open_again_and_reuse_keeps_the_map(loaded: BpfObject, make: Make, pin: Path) -> None:
    loaded.map("macs").pin(pin)
    with pytest.raises(BpfError) as error:
        loaded.map("macs").pin(pin)
    assert error.value.errno == errno.EEXIST
    with BpfMap.pinned(pin) as macs, BpfObject(make().object) as second:
        macs.update(bytes(8), bytes(12))
        second.reuse("macs", macs)
        second.load()
        assert second.map("macs").info.id == macs.info.id
        assert list(second.map("macs").keys()) == [bytes(8)]


def test_a_missing_pin_is_an_error(pin: Path) -> None:
    with pytest.raises(BpfError) as error:
        get_pinned(pin)
    assert error.value.errno == errno.ENOENT


def test_a_closed_map_cannot_be_used(loaded: BpfObject) -> None:
    one = new_map("hash")
    one.close()
    with pytest.raises(ValueError, match="closed"):
        one.lookup(CELL)


def test_closing_frees_the_program(make: Make) -> None:
    with BpfObject(make().object) as one:
        one.load()
        id = one.program().info().id

    def gone() -> bool:
        try:
            BpfProgram.by_id(id).close()
        except BpfError:
            return True
        return False

    assert eventually(gone)


def test_a_refusal_of_the_verifier_comes_with_its_whole_log(make: Make) -> None:
    bad = make(("if (data + 14 > data_end)", "if (0)"))
    with BpfObject(bad.object) as one, pytest.raises(VerifierError) as error:
        one.load()
    assert str(error.value) == "the verifier refused `by_hand`"
    assert "invalid access to packet" in error.value.verifier_log
    assert error.value.verifier_log.rstrip().splitlines()[-1].startswith("processed ")


def test_bpftool_dumps_maps_with_field_names(loaded: BpfObject, pin: Path) -> None:
    macs = loaded.map("macs")
    macs.update(bytes.fromhex("0200000000010000"), struct.pack("I8x", 1))
    macs.pin(pin)
    command = ["bpftool", "-j", "map", "dump", "pinned", str(pin)]
    (entry,) = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert set(entry["formatted"]["key"]) == {"dst", "pad_"}
    assert entry["formatted"]["value"]["action"] == 1
