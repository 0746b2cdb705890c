"""Programs onto devices and off again: whole, kept over a reload, nobody else's touched."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from sandbox import (
    BPFFS,
    DROP,
    ROOT,
    Made,
    Namespace,
    attached_id,
    codes,
    map_is_gone,
    only,
    pin_names,
    program_is_gone,
    put,
    send,
)

from p4xdp.description import ActionChoice, to_json
from p4xdp.diagnostics import CompileError
from p4xdp.runtime import devices, load, pins, ports, status
from p4xdp.runtime.libbpf import BpfMap
from p4xdp.runtime.maps import KernelMaps

Make = Callable[..., Made]
MAC = bytes.fromhex("0200000000010000")
VALUE = struct.pack("I", DROP) + bytes(8)
CELL = bytes(4)


def map_id(path: Path) -> int:
    with BpfMap.pinned(path) as one:
        return one.info.id


def test_load_pins_attaches_and_unload_leaves_nothing(make: Make, namespace: Namespace) -> None:
    loaded = put(make())
    assert (loaded.mode, codes(loaded)) == ("native", [])
    assert attached_id() == loaded.program_id
    maps = [m.name for m in make().description.maps]
    assert pin_names() == sorted([*maps, "program", "description", "attachment"])
    ids = [map_id(loaded.path / name) for name in maps]

    assert load.unload("va").programs == ("by_hand",)
    assert attached_id() is None
    assert not loaded.path.parent.exists()
    assert program_is_gone(loaded.program_id)
    assert all(map_is_gone(id) for id in ids)


def test_pins_are_where_the_contract_says(make: Make, namespace: Namespace) -> None:
    unique = f"w{os.getpid()}"
    namespace.ip("link", "set", "bridge", "name", unique)
    assert put(make(), unique).path == BPFFS / "p4xdp" / unique / "by_hand"


def test_a_device_with_a_dot_gets_a_colon(make: Make, namespace: Namespace) -> None:
    namespace.ip("link", "set", "bridge", "name", f"d{os.getpid()}.5")
    loaded = put(make(), f"d{os.getpid()}.5")
    assert loaded.path.parent.name == f"d{os.getpid()}:5"
    assert codes(loaded) == ["generic-xdp"]
    assert load.unload(f"d{os.getpid()}.5").programs == ("by_hand",)


def test_packets_meet_the_program(make: Make, namespace: Namespace) -> None:
    def fill(maps: KernelMaps) -> None:
        maps.update("macs_default", CELL, VALUE)

    loaded = put(make(), fill=fill)
    send("vb", *[bytes(60)] * 3)
    (found,) = status.status("va").programs
    assert found.program_id == loaded.program_id
    sparse = next(c for c in found.counters if c.name == "Ingress.bytes")
    ((port, count),) = sparse.cells
    assert port == devices.find("va").index
    assert count >= 3 * 14


def test_reload_keeps_entries_counters_and_defaults(make: Make, namespace: Namespace) -> None:
    first = put(make())
    maps = KernelMaps.of_pins(first.path)
    maps.update("macs", MAC, VALUE)
    maps.update("macs_default", CELL, VALUE)
    again = put(make())
    assert codes(again) == []
    assert again.program_id != first.program_id
    assert attached_id() == again.program_id
    assert program_is_gone(first.program_id)
    kept = KernelMaps.of_pins(again.path)
    assert kept.lookup("macs", MAC) == VALUE
    assert kept.lookup("macs_default", CELL) == VALUE
    assert [p.name for p in again.path.parent.iterdir()] == ["by_hand"]


def test_reload_with_another_key_says_what_is_lost(
    make: Make, by_hand: ModuleType, namespace: Namespace
) -> None:
    KernelMaps.of_pins(put(make()).path).update("macs", MAC, VALUE)
    field = replace(by_hand.MACS.keys[0], name="hd.eth.src")
    macs = replace(by_hand.MACS, keys=(field,))
    changed = make().with_description(tables=(by_hand.PORTS, macs, by_hand.ROUTES, by_hand.ACL))
    loaded = put(changed)
    (warning,) = [d for d in loaded.diagnostics if d.code == "entries-lost"]
    assert warning.text == (
        "the entries of table `Ingress.macs` did not live on: its key has changed"
    )
    assert KernelMaps.of_pins(loaded.path).lookup("macs", MAC) is None


def test_reload_with_another_size_says_what_is_lost(
    make: Make, by_hand: ModuleType, namespace: Namespace
) -> None:
    KernelMaps.of_pins(put(make()).path).update("macs", MAC, VALUE)
    bigger = make(
        ("__uint(max_entries, 2);", "__uint(max_entries, 3);"),
        tables=(by_hand.PORTS, replace(by_hand.MACS, size=3), by_hand.ROUTES, by_hand.ACL),
    )
    loaded = put(bigger)
    (warning,) = [d for d in loaded.diagnostics if d.code == "entries-lost"]
    assert "its size has changed from 2 to 3" in warning.text


def test_reload_with_another_declared_default_takes_it(
    make: Make, by_hand: ModuleType, namespace: Namespace
) -> None:
    KernelMaps.of_pins(put(make()).path).update("macs_default", CELL, VALUE)
    macs = replace(by_hand.MACS, default=ActionChoice(2, (7,)))
    other = make(
        (".action = NO_ACTION }", ".action = TO_PORT, .port = {0, 0, 0, 7} }"),
        tables=(by_hand.PORTS, macs, by_hand.ROUTES, by_hand.ACL),
    )
    loaded = put(other)
    (warning,) = [d for d in loaded.diagnostics if d.code == "entries-lost"]
    assert warning.text == (
        "the default action of table `Ingress.macs` did not live on: "
        "the source declares another one"
    )
    value = KernelMaps.of_pins(loaded.path).lookup("macs_default", CELL)
    assert value == struct.pack("I", 2) + bytes(7) + b"\7"


def test_a_driver_without_native_xdp_runs_generic_and_says_so(
    tiny: Make, namespace: Namespace
) -> None:
    loaded = put(tiny(), "bridge")
    assert (loaded.mode, codes(loaded)) == ("generic", ["generic-xdp"])
    (warning,) = [d for d in loaded.diagnostics if d.code == "generic-xdp"]
    assert warning.text.startswith("generic XDP on `bridge`: native was refused: ")
    again = put(tiny(), "bridge")
    assert (again.mode, codes(again)) == ("generic", ["generic-xdp"])


def test_native_alone_is_refused_where_there_is_none(tiny: Make, namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        put(tiny(), "bridge", mode="native")
    assert only(error).code == "no-native-xdp"
    assert only(error).text.startswith("`bridge` does not take a native XDP program: ")
    assert pin_names("bridge") == []
    assert attached_id("bridge") is None


def test_an_mtu_too_large_is_named(tiny: Make, namespace: Namespace) -> None:
    namespace.ip("link", "set", "vb", "mtu", "9000")
    loaded = put(tiny())
    assert loaded.mode == "generic"
    assert "smaller MTU on the peer of va" in next(
        d.text for d in loaded.diagnostics if d.code == "generic-xdp"
    )


def test_the_mode_can_change_on_reload(tiny: Make, namespace: Namespace) -> None:
    assert put(tiny(), mode="generic").mode == "generic"
    assert put(tiny(), mode="native").mode == "native"
    assert [mode for mode, _ in devices.find("va").xdp] == ["native"]


def test_a_failed_change_of_mode_puts_the_old_program_back(
    tiny: Make, namespace: Namespace
) -> None:
    before = put(tiny(), "bridge", mode="generic")
    with pytest.raises(CompileError):
        put(tiny(), "bridge", mode="native")
    assert attached_id("bridge") == before.program_id
    assert load.unload("bridge").programs == ("tiny",)


def test_vlan_offload_is_warned_of(tiny: Make, namespace: Namespace) -> None:
    subprocess.run(["ethtool", "-K", "va", "rxvlan", "on"], capture_output=True)
    (warning,) = [d for d in put(tiny()).diagnostics if d.code == "vlan-offload"]
    assert "`ethtool -K va rxvlan off`" in (warning.help or "")
    subprocess.run(["ethtool", "-K", "va", "rxvlan", "off"], check=True, capture_output=True)
    assert [d.code for d in put(tiny()).diagnostics] == []


def test_an_unknown_device_gets_the_nearest_name(tiny: Make, namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        put(tiny(), "brige")
    assert only(error).code == "no-device"
    assert only(error).text == "there is no device `brige`"
    assert only(error).help == "did you mean `bridge`?"


def test_somebody_elses_program_stays(tiny: Make, foreign_id: int) -> None:
    with pytest.raises(CompileError) as error:
        put(tiny())
    assert only(error).code == "device-busy"
    assert only(error).text == (
        f"`va` runs a program that is not from p4xdp: `somebody` (native, program {foreign_id})"
    )
    assert "--replace" in (only(error).help or "")
    assert attached_id() == foreign_id
    assert pin_names() == []


def test_replace_takes_its_place(tiny: Make, foreign_id: int) -> None:
    loaded = put(tiny(), replace=True)
    assert attached_id() == loaded.program_id
    assert program_is_gone(foreign_id)


def test_unload_leaves_somebody_elses_program_alone(foreign_id: int) -> None:
    with pytest.raises(CompileError) as error:
        load.unload("va")
    assert only(error).code == "device-busy"
    assert "`somebody`" in only(error).text
    assert attached_id() == foreign_id


def test_unload_after_somebody_took_our_place(tiny: Make, namespace: Namespace) -> None:
    put(tiny())
    path = BPFFS / namespace.name
    subprocess.run(["bpftool", "prog", "load", tiny("somebody").object, path], check=True)
    try:
        command = ["bpftool", "net", "attach", "xdp", "pinned", path, "dev", "va", "overwrite"]
        subprocess.run(command, check=True)
    finally:
        os.unlink(path)
    theirs = attached_id()
    assert [p.state for p in status.status("va").programs] == ["detached"]
    assert codes(load.unload("va")) == ["device-busy"]
    assert attached_id() == theirs
    assert pin_names() == []


def test_another_program_of_ours_needs_replace_too(tiny: Make, namespace: Namespace) -> None:
    put(tiny())
    with pytest.raises(CompileError) as error:
        put(tiny("second"))
    assert only(error).code == "device-busy"
    assert only(error).text.startswith("`va` runs the p4xdp program `tiny` (native, program ")
    loaded = put(tiny("second"), replace=True)
    assert [p.name for p in loaded.path.parent.iterdir()] == ["second"]


def test_unload_of_nothing_says_so(namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        load.unload("va")
    assert only(error).code == "not-loaded"
    assert only(error).text == "no program of p4xdp is on `va`"


def test_the_pins_of_a_device_that_is_gone_can_be_removed(tiny: Make, namespace: Namespace) -> None:
    loaded = put(tiny(), "bridge")
    namespace.ip("link", "del", "bridge")
    assert [p.state for p in status.status().programs if p.program_id == loaded.program_id] == [
        "device gone"
    ]
    assert codes(load.unload("bridge")) == ["device-gone"]
    assert not loaded.path.exists()


def test_one_name_in_two_namespaces(
    tiny: Make, namespace: Namespace, new_namespace: Callable[[], Namespace]
) -> None:
    name = f"n{os.getpid()}"
    namespace.ip("link", "set", "va", "name", name)
    first = put(tiny(), name)
    with new_namespace() as second:
        second.ip("link", "set", "va", "name", name)
        other = put(tiny(), name)
        assert first.path.parent.name == name
        assert other.path.parent.name == f"{name}::{second.inode}"
        load.unload(name)
    assert attached_id(name) == first.program_id
    assert first.path.exists()


COMMAND = """
import sys
from pathlib import Path
from p4xdp import description
from p4xdp.diagnostics import CompileError, render
from p4xdp.runtime import load, status
try:
    match sys.argv[1]:
        case "load":
            made = description.from_json(sys.stdin.read())
            load.load(Path(sys.argv[2]), made, "va")
        case "status":
            print(status.render(status.status("va")))
        case "unload":
            load.unload("va")
except CompileError as error:
    sys.exit("\\n".join(render(d, {}) for d in error.diagnostics))
"""


def test_pins_outlive_ip_netns_exec(tiny: Make, namespace: Namespace) -> None:
    """`ip netns exec` hides /sys/fs/bpf behind mounts that end with the command."""
    python = [sys.executable, "-c", COMMAND]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    made = tiny()
    text = to_json(made.description)
    done = namespace.run(*python, "load", made.object, env=environment, input=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert pin_names() == ["attachment", "description", "program"]
    shown = namespace.run(*python, "status", env=environment)
    assert shown.stdout.startswith("va: tiny (by_hand.c), native XDP\n")
    done = namespace.run(*python, "unload", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert (pin_names(), attached_id()) == ([], None)


@pytest.mark.parametrize("command", ["load", "status", "unload"])
def test_an_ordinary_user_is_told_what_is_needed(
    tiny: Make, namespace: Namespace, command: str
) -> None:
    made = tiny()
    done = subprocess.run(
        ["setpriv", "--reuid", "65534", "--clear-groups", "--bounding-set=-all",
         sys.executable, "-c", COMMAND, command, made.object],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=to_json(made.description),
        capture_output=True,
        text=True,
    )  # fmt: skip
    first, _, rest = done.stderr.partition("\n")
    assert done.returncode == 1
    assert first.startswith("error[no-rights]: ")
    assert first.endswith("needs root, or the capabilities CAP_BPF and CAP_NET_ADMIN")
    assert rest.startswith("help: run it with sudo")


ALL_COMMANDS = """
set -e
mount -t bpf bpf /sys/fs/bpf
for command in load load status unload; do
    setpriv --reuid 65534 --clear-groups --inh-caps +bpf,+net_admin \
        --ambient-caps +bpf,+net_admin "$@" $command "$OBJECT" <"$DESCRIPTION"
done
find /sys/fs/bpf -mindepth 1 -not -name '*.debug'
"""


def test_two_capabilities_are_enough(make: Make, namespace: Namespace) -> None:
    """Load, reload and unload as nobody, in a BPF file system that is empty before and after."""
    made = make()
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        object, description = Path(directory, "a.o"), Path(directory, "a.json")
        object.write_bytes(made.object.read_bytes())
        description.write_text(to_json(made.description))
        places = {"OBJECT": str(object), "DESCRIPTION": str(description)}
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", ALL_COMMANDS, "sh", sys.executable, "-c", COMMAND],
            env={**os.environ, "PYTHONPATH": str(ROOT), **places},
            capture_output=True,
            text=True,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "va: by_hand (by_hand.c), native XDP"
    assert "/sys/fs/bpf" not in done.stdout.splitlines()[-1]
    assert attached_id() is None


STEPS = (
    (ports, "connect"),
    (pins, "make_directory"),
    (pins, "pin_text"),
    (pins, "pin_attachment"),
    (load.hooks, "attach"),
    (pins, "rewrite_attachment"),
    (pins, "swap_in"),
)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("module", "name"), STEPS, ids=[name for _, name in STEPS])
@pytest.mark.parametrize("reload", [False, True], ids=["first", "reload"])
def test_an_interruption_leaves_what_was(
    tiny: Make,
    namespace: Namespace,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
    after: bool,
    reload: bool,
) -> None:
    """A signal comes before or behind one of the steps of a load."""
    before = put(tiny()) if reload else None
    step = getattr(module, name)

    def interrupted(*arguments: object) -> object:
        if not after:
            os.kill(os.getpid(), signal.SIGINT)
        result = step(*arguments)
        if after:
            os.kill(os.getpid(), signal.SIGINT)
        return result

    monkeypatch.setattr(module, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        put(tiny(verdict=DROP))
    monkeypatch.undo()
    now, names = attached_id(), pin_names()
    if now and (not before or now != before.program_id):
        assert names == ["attachment", "description", "program"], "loaded, then wholly"
        (one,) = status.status("va").programs
        assert (one.program_id, one.state) == (now, "attached")
    else:
        assert now == (before.program_id if before else None)
        assert names == (["attachment", "description", "program"] if before else [])


@pytest.mark.parametrize("name", ["rewrite_attachment", "swap_in"])
@pytest.mark.parametrize("reload", [False, True], ids=["first", "reload"])
def test_a_failure_after_attaching_is_undone(
    tiny: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch, name: str, reload: bool
) -> None:
    before = put(tiny()) if reload else None

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pins, name, fail)
    with pytest.raises(CompileError) as error:
        put(tiny(verdict=DROP))
    monkeypatch.undo()
    assert only(error).code == "load-failed"
    assert "No space left on device" in only(error).text
    assert attached_id() == (before.program_id if before else None)
    assert pin_names() == (["attachment", "description", "program"] if before else [])


def test_termination_is_undone_too(
    tiny: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminated(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(pins, "pin_text", terminated)
    with pytest.raises(SystemExit) as error:
        put(tiny())
    assert error.value.code == 143
    assert signal.getsignal(signal.SIGTERM) == before
    assert (attached_id(), pin_names()) == (None, [])


def test_a_load_that_was_killed_is_cleared_away(tiny: Make, namespace: Namespace) -> None:
    """What SIGKILL leaves, staged pins and all, goes with the next load and unload."""
    loaded = put(tiny())
    staged = loaded.path.with_name("tiny" + pins.STAGED)
    os.rename(loaded.path, staged)
    again = put(tiny())
    assert [p.name for p in again.path.parent.iterdir()] == ["tiny"]
    os.rename(again.path, staged)
    assert load.unload("va").programs == ("tiny",)
    assert (attached_id(), pin_names()) == (None, [])


def test_tc_attaches_at_ingress_and_leaves_no_qdisc(tiny: Make, namespace: Namespace) -> None:
    made = tiny("filter", verdict=0, target="tc")
    loaded = put(made)
    assert loaded.mode == "tc"
    shown = namespace.run("tc", "filter", "show", "dev", "va", "ingress").stdout
    assert f"id {loaded.program_id}" in shown
    again = put(made)
    assert [p.state for p in status.status("va").programs] == ["attached"]
    assert program_is_gone(loaded.program_id)
    assert load.unload("va").programs == ("filter",)
    assert "clsact" not in namespace.run("tc", "qdisc", "show", "dev", "va").stdout
    assert program_is_gone(again.program_id)


def test_tc_leaves_somebody_elses_qdisc_and_filter(tiny: Make, namespace: Namespace) -> None:
    namespace.run("tc", "qdisc", "add", "dev", "va", "clsact", check=True)
    put(tiny("filter", verdict=0, target="tc"))
    load.unload("va")
    assert "clsact" in namespace.run("tc", "qdisc", "show", "dev", "va").stdout


def test_tc_and_xdp_live_side_by_side(tiny: Make, namespace: Namespace) -> None:
    put(tiny("filter", verdict=0, target="tc"))
    put(tiny())
    assert {p.program for p in status.status("va").programs} == {"filter", "tiny"}
    assert load.unload("va").programs == ("filter", "tiny")
