"""The doctor: what it says when something is missing, as text and as JSON."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import pytest

from p4xdp.runtime import bpffs, capi, devices, doctor, machine
from p4xdp.runtime.doctor import Finding, State


def named(name: str) -> list[Finding]:
    return [one for one in doctor.examine() if one.name == name]


@pytest.fixture(autouse=True)
def no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "devices", tuple)
    monkeypatch.setattr(devices, "xdp_features", dict)


def test_every_finding_belongs_to_a_part_and_what_lacks_has_advice() -> None:
    for one in doctor.examine():
        assert one.part in doctor.PARTS
        assert one.advice or one.state is not State.LACKS


def test_no_clang(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("P4XDP_CLANG", raising=False)
    (found,) = named("clang")
    assert (found.state, found.found) == (State.LACKS, "none with a bpf target")
    assert "apt install clang" in (found.advice or "")
    (found,) = named("C compiler")
    assert found.state is State.LACKS


def test_a_clang_that_was_asked_for_and_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P4XDP_CLANG", "/no/such/clang")
    (found,) = named("P4XDP_CLANG")
    assert found.state is State.LACKS
    assert "/no/such/clang" in found.found


def test_no_libbpf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capi, "NAMES", ("libbpf.so.none",))
    capi.library.cache_clear()
    try:
        (found,) = named("libbpf")
    finally:
        capi.library.cache_clear()
    assert found.state is State.LACKS
    assert (found.advice or "").startswith("install it: `apt install libbpf1`")


def test_packages_of_the_extra_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    states = {name: named(name)[0].state for name in ("lark", "pyroute2", "rich")}
    assert states == {"lark": State.LACKS, "pyroute2": State.LACKS, "rich": State.NOTE}
    assert named("pyroute2")[0].advice == "`pip install 'p4xdp[run]'`"


def test_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "capabilities", frozenset)
    (found,) = named("rights")
    assert found.state is State.LACKS
    assert found.advice == "loading needs sudo, or CAP_BPF and CAP_NET_ADMIN"


def test_capabilities_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "capabilities", lambda: frozenset(("CAP_BPF", "CAP_NET_ADMIN")))
    assert named("rights")[0].state is State.OK


def test_no_bpf_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bpffs, "find", lambda: None)
    (found,) = named("BPF file system")
    assert (found.state, found.found) == (State.NOTE, "not mounted")


@pytest.mark.parametrize(
    ("release", "version"),
    [("6.1.0-18-amd64", (6, 1)), ("5.8", (5, 8)), ("5.15.0-generic", (5, 15)), ("x", (0, 0))],
)
def test_kernel_versions(release: str, version: tuple[int, int]) -> None:
    assert doctor.kernel_version(release) == version


def device(monkeypatch: pytest.MonkeyPatch, mtu: int, features: int | None) -> Finding:
    one = devices.Device("eth9", 9, mtu, True, "veth", ())
    monkeypatch.setattr(devices, "devices", lambda: (one,))
    monkeypatch.setattr(devices, "xdp_features", lambda: {} if features is None else {9: features})
    (found,) = named("eth9")
    return found


@pytest.mark.parametrize(
    ("mtu", "features", "found", "advice"),
    [
        (1500, 35, "veth, MTU 1500, native XDP", None),
        (1500, 0, "veth, MTU 1500, generic XDP only", "slower; see the driver's documentation"),
        (
            9000,
            35,
            "veth, MTU 9000, native XDP",
            "too large an MTU for native XDP: `ip link set eth9 mtu 1500`",
        ),
        (
            1500,
            None,
            "veth, MTU 1500, native XDP unknown (the kernel tells from 6.3 on)",
            None,
        ),
    ],
)
def test_devices(
    monkeypatch: pytest.MonkeyPatch, mtu: int, features: int | None, found: str, advice: str | None
) -> None:
    one = device(monkeypatch, mtu, features)
    assert (one.found, one.advice) == (found, advice)


def test_offloads_that_hide_packets_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "offloads", lambda _: devices.Offloads(True, True))
    assert device(monkeypatch, 1500, 35).advice == (
        "VLAN tags are hidden: `ethtool -K eth9 rxvlan off`; "
        "packets are merged: `ethtool -K eth9 lro off`"
    )


FINDINGS = (
    Finding("compile", "Python", State.OK, "3.11.2"),
    Finding("load", "libbpf", State.LACKS, "not there", "install it"),
)


def test_text() -> None:
    assert doctor.render(FINDINGS).splitlines() == [
        "to compile P4 to C",
        "  ok     Python  3.11.2",
        "to build objects and to run natively",
        "to load programs into the kernel",
        "  lacks  libbpf  not there",
        "                 -> install it",
        "devices in this network namespace",
        "lacking: libbpf",
    ]


def test_json() -> None:
    assert json.loads(json.dumps(doctor.to_json(FINDINGS)))[1] == {
        "part": "load",
        "name": "libbpf",
        "state": "lacks",
        "found": "not there",
        "advice": "install it",
    }
