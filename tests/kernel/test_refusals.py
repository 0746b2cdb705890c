"""What can be wrong with a machine, an object or a request: code, first sentence, way out."""

from __future__ import annotations

import importlib
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox import BPFFS, Made, Namespace, attached_id, codes, only, pin_names, put

from p4xdp.description import Map
from p4xdp.diagnostics import CompileError, Span, render
from p4xdp.runtime import bpffs, capi, clang, devices, load, status
from p4xdp.runtime.libbpf import BpfMap

Make = Callable[..., Made]
NO_CHECK = ("if (data + 14 > data_end)", "if (0)")
WRONG_C = """
#include <p4xdp.h>
SEC("xdp") int wrong(struct xdp_md *ctx) {{
	__u8 *data = p4xdp_data(ctx);

	/* {p4}:2: hd.second */
	if (data[14] == 7)
		return XDP_DROP;
	/* {p4}:3 */
	return XDP_PASS;
}}
char _license[] SEC("license") = "GPL";
"""
PORTS_C = """
#include <p4xdp.h>
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} tx_ports SEC(".maps");
SEC("xdp") int ports(struct xdp_md *ctx) { return bpf_redirect_map(&tx_ports, 7, XDP_ABORTED); }
char _license[] SEC("license") = "GPL";
"""


@pytest.fixture
def ports(make: Make) -> Made:
    return make(
        c=PORTS_C,
        program="ports",
        function="ports",
        maps=(Map("tx_ports", "devmap_hash", 4, 8, 4),),
        tables=(),
        counters=(),
        devmap="tx_ports",
    )


def test_the_verifiers_refusal_names_the_p4_line(
    make: Make, namespace: Namespace, tmp_path: Path
) -> None:
    p4 = tmp_path / "wrong.p4"
    p4.write_text("first\n\tsecond(hd);\nthird\n")
    c = WRONG_C.format(p4=p4.name)
    bad = make(c=c, program="wrong", function="wrong", tables=(), counters=())
    with pytest.raises(CompileError) as error:
        put(bad, source=p4, c=c)
    found = only(error)
    assert found.code == "verifier-refused"
    assert found.text.startswith("the kernel's verifier refuses `wrong`: invalid access to packet")
    assert found.span == Span(str(p4), 2, 2, 2, 13)
    log = bad.object.with_suffix(".verifier.log")
    assert found.notes[1].text == f"the whole log is in {log}"
    assert log.read_text().rstrip().splitlines()[-1].startswith("processed ")
    assert found.notes[0].text.splitlines()[-1] in log.read_text()
    assert "please report" in (found.help or "")
    assert (attached_id(), pin_names()) == (None, [])


def test_the_verifiers_log_goes_where_it_is_wanted(
    make: Make, namespace: Namespace, tmp_path: Path
) -> None:
    with pytest.raises(CompileError) as error:
        put(make(NO_CHECK), log=tmp_path / "here.log")
    assert only(error).notes[1].text == f"the whole log is in {tmp_path}/here.log"
    with pytest.raises(CompileError) as error:
        put(make(NO_CHECK), log=tmp_path / "no" / "here.log")
    assert only(error).notes[1].text.startswith("the whole log could not be kept: cannot write")


def test_a_program_that_is_too_big_can_be_told_apart(make: Make, tmp_path: Path) -> None:
    deep = "\n".join(
        f"static __noinline int f{n}(struct xdp_md *ctx) {{ volatile char b[200] = {{}};"
        f" return b[ctx->ingress_ifindex & 127] + {f'f{n - 1}(ctx)' if n else '0'}; }}"
        for n in range(4)
    )
    c = f"""#include <p4xdp.h>
{deep}
SEC("xdp") int deep(struct xdp_md *ctx) {{ return f3(ctx); }}
char _license[] SEC("license") = "GPL";
"""
    made = make(c=c, program="deep", function="deep")
    with pytest.raises(clang.TooBig) as error:
        load.verify(made.object, "deep")
    assert error.value.reason == "stack"


def test_verify_accepts_what_loads(make: Make) -> None:
    load.verify(make().object, "by_hand")


def test_a_map_that_the_kernel_refuses_is_named(make: Make, namespace: Namespace) -> None:
    huge = make(("__uint(max_entries, 16);", "__uint(max_entries, 0xffffffff);"))
    with pytest.raises(CompileError) as error:
        put(huge)
    assert only(error).code == "load-failed"
    assert only(error).text.startswith("the kernel refuses map `bytes`: ")


def test_something_else_than_an_object(make: Make, namespace: Namespace, tmp_path: Path) -> None:
    (tmp_path / "a.o").write_text("hello")
    with pytest.raises(CompileError) as error:
        load.load(tmp_path / "a.o", make().description, "va")
    assert only(error).code == "load-failed"
    assert only(error).text.startswith(f"cannot load `{tmp_path}/a.o`: ")


def test_every_device_that_is_up_is_a_port(ports: Made, namespace: Namespace) -> None:
    loaded = put(ports)
    assert codes(loaded) == []
    with BpfMap.pinned(loaded.path / "tx_ports") as one:
        found = {struct.unpack("I", k)[0]: struct.unpack("Ii", v)[0] for k, v in one.items()}
    up = [d.index for d in devices.devices() if d.up]
    assert found == {index: index for index in up}
    assert len(found) >= 3


def test_ports_can_be_named(ports: Made, namespace: Namespace) -> None:
    loaded = put(ports, ports=((7, "vb"),))
    with BpfMap.pinned(loaded.path / "tx_ports") as one:
        ((key, value),) = one.items()
    assert struct.unpack("I", key) == (7,)
    assert struct.unpack("Ii", value)[0] == devices.find("vb").index


def test_a_port_that_takes_no_redirected_packets_is_named(
    ports: Made, namespace: Namespace
) -> None:
    """A veth can be redirected to only when its peer polls: with an XDP program or with GRO."""
    (warning,) = [d for d in put(ports, ports=((7, "va"),)).diagnostics if "port" in d.text]
    assert warning.code == "redirect-target"
    assert warning.text == "port 7: `va` drops what native XDP redirects to it"
    namespace.run("ethtool", "-K", "vb", "gro", "on", check=True)
    assert codes(put(ports, ports=((7, "va"),))) == []


def test_a_port_on_no_device(ports: Made, namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        put(ports, ports=((7, "vc"),))
    assert only(error).code == "no-device"
    assert (attached_id(), pin_names()) == (None, [])


def test_more_ports_than_the_map_holds(ports: Made, namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        put(ports, ports=tuple((n, "vb") for n in range(5)))
    assert only(error).code == "port-map"
    assert only(error).text == "5 ports, but the port map of `ports` holds 4"


def test_a_port_said_twice(ports: Made, namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        put(ports, ports=((1, "va"), (1, "vb")))
    assert only(error).text == "port 1 is said to be several devices"
    assert (attached_id(), pin_names()) == (None, [])


def test_ports_for_a_program_without_a_port_map(make: Make, namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        put(make(), ports=((1, "va"),))
    assert only(error).code == "port-map"
    assert only(error).text == ("`by_hand` has no port map: its ports are interface numbers")


def test_no_libbpf(make: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capi, "NAMES", ("libbpf.so.none",))
    capi.library.cache_clear()
    try:
        with pytest.raises(CompileError) as error:
            put(make())
    finally:
        capi.library.cache_clear()
    assert only(error).code == "libbpf-missing"
    assert only(error).text == "libbpf is not on this machine (looked for libbpf.so.none)"
    assert (only(error).help or "").startswith("install it: `apt install libbpf1`")


def test_no_pyroute2(make: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyroute2", None)
    with pytest.raises(CompileError) as error:
        put(make())
    assert only(error).code == "missing-package"
    assert only(error).text == "pyroute2 is not installed"
    assert only(error).help == "install it: `pip install 'p4xdp[run]'`"


def test_no_bpf_file_system_that_would_last(
    make: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bpffs, "find", lambda: None)
    monkeypatch.setattr(bpffs, "_mount_namespace", lambda pid: pid)
    with pytest.raises(CompileError) as error:
        put(make())
    assert only(error).code == "no-bpffs"
    assert only(error).text.startswith("no BPF file system at /sys/fs/bpf, and it cannot be")
    assert only(error).help == ("mount it from a login shell: `sudo mount -t bpf bpf /sys/fs/bpf`")


def test_a_kernel_that_says_no_though_the_user_is_root(
    make: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container with capabilities of its own user namespace."""
    attach = importlib.import_module("p4xdp.runtime.attach")
    refused = attach.Refused(1, "Operation not permitted")

    def refuse(*_: object) -> None:
        raise refused

    monkeypatch.setattr(attach, "_set", refuse)
    with pytest.raises(CompileError) as error:
        put(make())
    assert only(error).code == "no-rights"
    assert only(error).text.startswith("attaching a program needs root")
    assert pin_names() == []


def test_an_attach_that_fails_in_both_modes(
    make: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    attach = importlib.import_module("p4xdp.runtime.attach")

    def refuse(*_: object) -> None:
        raise attach.Refused(12, "Cannot allocate memory")

    monkeypatch.setattr(attach, "_set", refuse)
    with pytest.raises(CompileError) as error:
        put(make())
    assert only(error).code == "attach-failed"
    assert only(error).text == ("`va` does not take a generic XDP program: Cannot allocate memory")


def test_lro_is_warned_of(
    make: Make, namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "offloads", lambda _: devices.Offloads(False, True))
    (warning,) = put(make()).diagnostics
    assert warning.code == "lro"
    assert warning.help == "`ethtool -K va lro off`"


def test_status_shows_tables_counters_and_whats_not_ours(make: Make, namespace: Namespace) -> None:
    loaded = put(make())
    with BpfMap.pinned(loaded.path / "macs") as macs:
        macs.update(bytes(8), bytes(12))
    text = status.render(status.status("va"))
    assert text.startswith(f"va: by_hand (by_hand.c), native XDP\n  program {loaded.program_id}, ")
    assert f"  pins in {BPFFS}/p4xdp/" in text
    assert "  table Ingress.macs: 1 of 2 entries\n" in text
    assert "  table Ingress.fixed: 1 const entries\n" in text
    assert "  counter Ingress.seen: all zero" in text


def test_status_of_nothing(namespace: Namespace) -> None:
    assert status.render(status.status("va")) == "nothing is loaded"
    with pytest.raises(CompileError) as error:
        status.status("vc")
    assert only(error).code == "no-device"


def test_status_names_somebody_elses_program(foreign_id: int) -> None:
    text = status.render(status.status("va"))
    assert text == f"va: `somebody` (not from p4xdp), native XDP, program {foreign_id}"


def test_a_refusal_reads_like_the_others(make: Make, namespace: Namespace, tmp_path: Path) -> None:
    with pytest.raises(CompileError) as error:
        put(make(NO_CHECK), log=tmp_path / "a.log")
    lines = render(only(error), {}).splitlines()
    assert lines[0].startswith("error[verifier-refused]: the kernel's verifier refuses `by_hand`")
    assert lines[1] == "note: the verifier's log ends with"
    assert lines[-2].startswith("note: the whole log is in ")
    assert lines[-1].startswith("help: ")
