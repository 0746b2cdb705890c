"""What this machine has and lacks: one line for each thing, with what to do about it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from p4xdp.diagnostics import CompileError
from p4xdp.records import asdict, dataclass
from p4xdp.runtime import bpffs, capi, clang, devices, machine

OLDEST_PYTHON = (3, 11)
OLDEST_KERNEL = (5, 8)
KERNEL_WITHOUT_MEMLOCK = (5, 11)
MOST_NATIVE_MTU = 3498


class State(Enum):
    """`LACKS` keeps something from working, `NOTE` is worth knowing."""

    OK = "ok"
    LACKS = "lacks"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """`part` is what needs it: compile, build, load or device."""

    part: str
    name: str
    state: State
    found: str
    advice: str | None = None


PARTS = {
    "compile": "to compile P4 to C",
    "build": "to build objects and to run natively",
    "load": "to load programs into the kernel",
    "device": "devices in this network namespace",
}


def examine() -> tuple[Finding, ...]:
    """Look at everything. Needs no rights; what they hide is a note."""
    return tuple(
        found
        for check in (
            _python,
            _core_packages,
            _clangs,
            _headers,
            _c_compiler,
            _run_packages,
            _libbpf,
            _kernel,
            _btf,
            _jit,
            _bpffs,
            _rights,
            _tools,
            _devices,
        )
        for found in check()
    )


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    new_enough = sys.version_info[:2] >= OLDEST_PYTHON
    yield Finding("compile", "Python", State.OK if new_enough else State.LACKS, version)


def _core_packages() -> Iterator[Finding]:
    for name in ("lark", "pcpp"):
        yield _package("compile", name, "pip install p4xdp")


def _run_packages() -> Iterator[Finding]:
    yield _package("load", "pyroute2", "pip install 'p4xdp[run]'")
    for name in ("pyelftools", "rich"):
        one = _package("load", name, "pip install 'p4xdp[run]'")
        yield one if one.state is State.OK else _as_note(one)


def _as_note(one: Finding) -> Finding:
    return Finding(one.part, one.name, State.NOTE, one.found, one.advice)


def _package(part: str, name: str, install: str) -> Finding:
    try:
        return Finding(part, name, State.OK, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(part, name, State.LACKS, "not installed", f"`{install}`")


def _clangs() -> Iterator[Finding]:
    found = list(clang.installed())
    usable = [one for one in found if clang.has_bpf(one.path)]
    for one in found:
        if one in usable:
            used = ", used unless P4XDP_CLANG names another" if one == usable[0] else ""
            yield Finding("build", "clang", State.OK, f"{one.version} ({one.path}){used}")
        else:
            what = f"{one.version} ({one.path}) has no bpf target"
            yield Finding("build", "clang", State.NOTE, what, "use another clang")
    if not usable:
        yield Finding("build", "clang", State.LACKS, "none with a bpf target", clang.INSTALL)
    wanted = os.environ.get("P4XDP_CLANG")
    if wanted:
        try:
            yield Finding("build", "P4XDP_CLANG", State.OK, str(clang.find().path))
        except CompileError as error:
            yield Finding("build", "P4XDP_CLANG", State.LACKS, str(error))


def _headers() -> Iterator[Finding]:
    kernel = Path("/usr/include/linux/bpf.h").exists() and any(
        (directory / "asm/types.h").exists()
        for directory in (Path("/usr/include"), *clang.system_include_dirs())
    )
    for name, there in (
        ("libbpf headers", Path("/usr/include/bpf/bpf_helpers.h").exists()),
        ("kernel headers", kernel),
    ):
        state = State.OK if there else State.LACKS
        what = "in /usr/include" if there else "not in /usr/include"
        yield Finding("build", name, state, what, None if there else clang.HEADERS)


def _c_compiler() -> Iterator[Finding]:
    path = shutil.which("cc")
    if path:
        yield Finding("build", "C compiler", State.OK, path)
    else:
        advice = "native runs need one: `apt install gcc`"
        yield Finding("build", "C compiler", State.LACKS, "no cc on PATH", advice)


def _libbpf() -> Iterator[Finding]:
    try:
        library = capi.library()
    except capi.LibbpfMissing as error:
        what, _, advice = str(error).partition("; ")
        yield Finding("load", "libbpf", State.LACKS, what, advice)
        return
    yield Finding("load", "libbpf", State.OK, f"{library.version()} ({library.name})")


def kernel_version(release: str) -> tuple[int, int]:
    """Return major and minor number of, say, `6.1.0-18-amd64`."""
    match = re.match(r"(\d+)\.(\d+)", release)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _kernel() -> Iterator[Finding]:
    release = os.uname().release
    version = kernel_version(release)
    if version < OLDEST_KERNEL:
        advice = "5.8 or later is needed to load programs"
        yield Finding("load", "kernel", State.LACKS, release, advice)
        return
    yield Finding("load", "kernel", State.OK, release)
    limit, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if version < KERNEL_WITHOUT_MEMLOCK and limit != resource.RLIM_INFINITY:
        what = f"{limit} bytes, and this kernel counts maps against it"
        yield Finding("load", "memlock limit", State.NOTE, what, "`ulimit -l unlimited` as root")


def _btf() -> Iterator[Finding]:
    if Path("/sys/kernel/btf/vmlinux").exists():
        yield Finding("load", "kernel BTF", State.OK, "/sys/kernel/btf/vmlinux")
    else:
        what = "the kernel was built without it; programs of p4xdp do not need it"
        yield Finding("load", "kernel BTF", State.NOTE, what)


def _jit() -> Iterator[Finding]:
    switch = "net.core.bpf_jit_enable"
    try:
        on = Path("/proc/sys/net/core/bpf_jit_enable").read_text().strip() != "0"
    except PermissionError:
        yield Finding("load", "BPF JIT", State.NOTE, f"only root may read {switch}")
    except OSError:
        yield Finding("load", "BPF JIT", State.NOTE, f"the kernel does not say ({switch})")
    else:
        advice = f"programs run several times slower: `sysctl -w {switch}=1`"
        state, what = (State.OK, "on") if on else (State.LACKS, "off")
        yield Finding("load", "BPF JIT", state, what, None if on else advice)


def _bpffs() -> Iterator[Finding]:
    path = bpffs.find()
    if path:
        yield Finding("load", "BPF file system", State.OK, str(path))
    else:
        advice = f"`p4xdp load` mounts it as root, or `mount -t bpf bpf {bpffs.MOUNT}`"
        yield Finding("load", "BPF file system", State.NOTE, "not mounted", advice)


def _rights() -> Iterator[Finding]:
    who = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    have = ", ".join(sorted(machine.capabilities())) or "no capability for BPF"
    if machine.may_load():
        yield Finding("load", "rights", State.OK, f"{who}, {have}")
    else:
        advice = "loading needs sudo, or CAP_BPF and CAP_NET_ADMIN"
        yield Finding("load", "rights", State.LACKS, f"{who}, {have}", advice)


def _tools() -> Iterator[Finding]:
    for tool, package, use in (
        ("bpftool", "bpftool", "looks into loaded programs and maps"),
        ("ip", "iproute2", "makes namespaces for test runs over veth"),
    ):
        path = shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if path:
            yield Finding("load", tool, State.OK, path)
        else:
            advice = f"it {use}: `apt install {package}`"
            yield Finding("load", tool, State.NOTE, "not installed", advice)


def _devices() -> Iterator[Finding]:
    try:
        here = devices.devices()
    except CompileError as error:
        yield Finding("device", "devices", State.NOTE, f"cannot be listed: {error}")
        return
    features = devices.xdp_features()
    for device in here:
        if device.name != "lo":
            yield _device(device, features.get(device.index))


def _device(device: devices.Device, features: int | None) -> Finding:
    facts = [devices.driver(device) or "driver unknown", f"MTU {device.mtu}"]
    if not device.up:
        facts.append("down")
    advice = []
    if features is None:
        facts.append("native XDP unknown (the kernel tells from 6.3 on)")
    elif features & devices.XDP_BASIC:
        facts.append("native XDP")
    else:
        facts.append("generic XDP only")
        advice.append("slower; see the driver's documentation")
    if device.mtu > MOST_NATIVE_MTU and features != 0:
        advice.append(f"too large an MTU for native XDP: `ip link set {device.name} mtu 1500`")
    offloads = devices.offloads(device.name)
    if offloads.rx_vlan:
        advice.append(f"VLAN tags are hidden: `ethtool -K {device.name} rxvlan off`")
    if offloads.lro:
        advice.append(f"packets are merged: `ethtool -K {device.name} lro off`")
    if device.xdp:
        facts.append("runs program " + ", ".join(f"{id} ({mode})" for mode, id in device.xdp))
    state = State.NOTE if advice else State.OK
    return Finding("device", device.name, state, ", ".join(facts), "; ".join(advice) or None)


def render(findings: tuple[Finding, ...], bold: Callable[[str], str] = str) -> str:
    """Return the text for a terminal; `bold` marks headings and what is lacking."""
    width = max(len(one.name) for one in findings)
    lines = []
    for part, heading in PARTS.items():
        lines.append(bold(heading))
        for one in findings:
            if one.part == part:
                lines += _lines(one, width, bold)
    lacking = [one.name for one in findings if one.state is State.LACKS]
    lines.append(bold(f"lacking: {', '.join(lacking)}") if lacking else "nothing is lacking")
    return "\n".join(lines)


def _lines(one: Finding, width: int, bold: Callable[[str], str]) -> Iterator[str]:
    mark = f"{one.state.value:5}"
    yield f"  {bold(mark) if one.state is State.LACKS else mark}  {one.name:{width}}  {one.found}"
    if one.advice:
        yield f"  {'':5}  {'':{width}}  -> {one.advice}"


def to_json(findings: tuple[Finding, ...]) -> list[dict[str, Any]]:
    """Return JSON-ready objects: part, name, state, found, advice."""
    return [{**asdict(one), "state": one.state.value} for one in findings]
