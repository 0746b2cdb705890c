"""Hosts around one switch, for the scripts that show an example with real traffic.

A script is a function that gets a `Lab`: it asks for hosts, loads a P4 program onto the switch
between them, sends something and says what should be seen. `main` runs it and cleans up, whatever
happens. Each host, and the switch, is a network namespace of this process alone:

        h1 eth0 ---- port1 |        | port2 ---- eth0 h2
                           | switch |
                           |        | port3 ---- eth0 h3

Nothing is left behind, and any number of scripts can run at the same time. Root only.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "v1model"
sys.path.insert(0, str(ROOT))

from p4xdp.diagnostics import CompileError  # noqa: E402
from p4xdp.runtime import capi, load as loader  # noqa: E402
from p4xdp.stf.frames import FrameSocket  # noqa: E402
from p4xdp.stf.namespace import Namespace, silence  # noqa: E402
from p4xdp.stf.place import PlaceMissing  # noqa: E402

SECONDS = 60
"""What a script may take, but for the time in its shell."""

PASS = bytes.fromhex("b700000002000000 9500000000000000")
"""Two instructions of BPF: the result is XDP_PASS; exit."""

XDP = 6
NATIVE = 4
"""The kernel's numbers of the kind of a program, and of the mode of a device."""

WAIT = 1.0
"""How many seconds sockets wait for what should come."""


class LabError(Exception):
    """What keeps a script from going on, in words for its user."""


class Node:
    """A network namespace in which commands run and sockets are opened."""

    def __init__(self, name: str, lab: Lab) -> None:
        self.name = name
        self.lab = lab
        self._namespace = Namespace()
        lab.at_end(self._namespace.close)
        with self.inside():
            silence()
            # An address is answered for by the device that has it, not by any other of the host.
            Path("/proc/sys/net/ipv4/conf/all/arp_ignore").write_text("1")
        self.ip("link set lo up")

    @property
    def path(self) -> str:
        """The file of the namespace, for `ip` and `nsenter`."""
        return f"/proc/{os.getpid()}/fd/{self._namespace.fd}"

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Let what the block opens and starts belong to this node."""
        with self._namespace.inside():
            yield

    def run(self, *command: str | Path, seconds: float = 20, must: bool = True) -> str:
        """Run a command here and return what it prints; raises LabError if it fails and `must`."""
        words = [str(word) for word in command]
        self.lab.tell(f"{self.name}$ {shlex.join(words)}")
        try:
            with self.inside():
                done = subprocess.run(
                    words,
                    capture_output=True,
                    text=True,
                    timeout=seconds,
                    env=environment(),
                    cwd=ROOT,
                )
        except FileNotFoundError as error:
            raise LabError(f"`{words[0]}` is not installed") from error
        except subprocess.TimeoutExpired as error:
            raise LabError(f"`{shlex.join(words)}` does not end") from error
        if must and done.returncode:
            raise LabError(f"`{shlex.join(words)}` failed on {self.name}:\n{done.stderr.strip()}")
        self.lab.tell(done.stdout.rstrip())
        return done.stdout

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        """Start a command here that runs until the script ends; its output is a pipe."""
        words = [str(word) for word in command]
        self.lab.tell(f"{self.name}$ {shlex.join(words)} &")
        with self.inside():
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment(),
                cwd=ROOT,
                start_new_session=True,
            )
        self.lab.at_end(lambda: stop(process))
        return process

    def ip(self, arguments: str) -> str:
        """Run `ip` here, say `host.ip("addr add 10.1.0.1/16 dev eth0")`."""
        return self.run("ip", *arguments.split())


class Host(Node):
    """A host: its device `eth0` is wired to a port of the switch."""

    def __init__(self, lab: Lab, port: int, address: str) -> None:
        super().__init__(f"h{port}", lab)
        self.port = port
        self.address = address
        self.mac = host_mac(port)
        self.devices: list[str] = []

    def ping(self, target: Host | str, count: int = 3, *options: str) -> int:
        """Ping and return how many answers came."""
        address = target.address if isinstance(target, Host) else target
        command = ["ping", "-n", "-c", str(count), "-i", "0.02", "-W", "0.5", *options, address]
        said = self.run(*command, must=False)
        return sum("bytes from" in line and "DUP!" not in line for line in said.splitlines())

    def udp(self, port: int = 0, seconds: float = WAIT) -> socket.socket:
        """Return a UDP socket of this host that waits so long for a datagram."""
        return self._socket(socket.SOCK_DGRAM, port, seconds)

    def listen(self, port: int, seconds: float = WAIT) -> socket.socket:
        """Return a listening TCP socket of this host."""
        one = self._socket(socket.SOCK_STREAM, port, seconds)
        one.listen()
        return one

    def connect(self, to: Host | str, port: int, own_port: int = 0) -> socket.socket | None:
        """Return a TCP connection, None when none comes about."""
        one = self._socket(socket.SOCK_STREAM, own_port, WAIT)
        try:
            one.connect((to.address if isinstance(to, Host) else to, port))
        except OSError:
            one.close()
            return None
        return one

    def tcp(self, to: Host, port: int, message: bytes) -> bytes | None:
        """Send a message over TCP; return the answer, which is the same in capitals.

        None says that no connection comes about, or no answer.
        """
        with to.listen(port) as listening, suppress(TimeoutError):
            connection = self.connect(to, port)
            if connection is None:
                return None
            with connection, listening.accept()[0] as served:
                served.settimeout(WAIT)
                connection.sendall(message)
                served.sendall(served.recv(65536).upper())
                return connection.recv(65536)
        return None

    def frames(self, device: str = "eth0") -> Frames:
        """Return what sends raw frames, and has those that arrive from now on."""
        with self.inside():
            frames = Frames(device)
        self.lab.at_end(frames.close)
        return frames

    def _socket(self, kind: int, port: int, seconds: float) -> socket.socket:
        with self.inside():
            one = socket.socket(socket.AF_INET, kind)
        self.lab.at_end(one.close)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("", port))
        one.settimeout(seconds)
        return one


class Frames(FrameSocket):
    """Raw frames of a device, from the Ethernet header on."""

    def next(self, seconds: float = WAIT) -> bytes | None:
        """Return the next frame, None when none comes in that time."""
        select.select([self], [], [], seconds)
        return self.receive()

    def all(self, quiet: float = 0.2) -> list[bytes]:
        """Return the frames that have come, once none follows for `quiet` seconds."""
        found = []
        while (frame := self.next(quiet)) is not None:
            found.append(frame)
        return found


class Lab:
    """The hosts of one script, the switch between them, and what was seen."""

    def __init__(self, stack: ExitStack, verbose: bool = False) -> None:
        self._stack = stack
        self._verbose = verbose
        self.checks = 0
        self.wrong = 0
        self.nodes: list[Host] = []
        self.ports: list[int] = []
        self.switch = Node("switch", self)

    def hosts(self, count: int) -> list[Host]:
        """Return h1, h2, …: each in a network of its own, 10.0.N.1/24, behind port N.

        The switch is their router, 10.0.N.254 with the MAC 02:00:00:00:01:NN.
        """
        for port in range(1, count + 1):
            host = self._host(port, f"10.0.{port}.1")
            router = f"10.0.{port}.254"
            host.ip(f"neigh replace {router} lladdr {router_mac(port)} dev eth0 nud permanent")
            host.ip(f"route add default via {router}")
        return self.nodes

    def lan(self, count: int, arp: bool = False) -> list[Host]:
        """Return h1, h2, …, all in one network: 10.0.0.N/24 behind port N.

        They know each other's MAC, 02:00:00:00:00:NN, or seek it by `arp`.
        """
        for port in range(1, count + 1):
            self._host(port, f"10.0.0.{port}")
        for host in self.nodes if not arp else []:
            for other in self.nodes:
                if other is not host:
                    neighbour = f"{other.address} lladdr {other.mac} dev eth0"
                    host.ip(f"neigh replace {neighbour} nud permanent")
        return self.nodes

    def load(self, program: str, *options: str, entries: str | None = None) -> None:
        """Load a program of examples/v1model onto the ports, with an entries file from there."""
        ports = [word for port in self.ports for word in ("--port", f"{port}=port{port}")]
        more = ["--entries", relative(EXAMPLES / entries)] if entries else []
        self.at_end(self._unload)
        self.p4xdp("load", relative(EXAMPLES / program), *ports, *more, *options)

    def p4xdp(self, *arguments: str) -> str:
        """Run a command of p4xdp on the switch and return what it prints."""
        self.say(f"switch$ {shlex.join(['p4xdp', *arguments])}")
        return self.switch.run(sys.executable, "-m", "p4xdp.cli", *arguments, seconds=SECONDS)

    def say(self, text: str) -> None:
        """Tell what comes now."""
        print(f"\n{text}", flush=True)

    def tell(self, text: str) -> None:
        """Print a detail if the user asks for details."""
        if self._verbose and text:
            print(f"    {text}", flush=True)

    def expect(self, what: str, seen: object, should_be: object) -> None:
        """Say what is seen, and if that is not as it should be, what should."""
        if seen == should_be:
            self.check(f"{what}: {seen}", True)
        else:
            self.check(f"{what}: {seen}, but should be {should_be}", False)

    def check(self, claim: str, is_so: bool) -> None:
        """Say something, and whether it is so."""
        self.checks += 1
        self.wrong += not is_so
        print(f"  {'ok   ' if is_so else 'WRONG'}  {claim}", flush=True)

    def at_end(self, action: Callable[[], object]) -> None:
        """Do something at the end, before what was there earlier ends."""
        self._stack.callback(action)

    def wire(self, host: Host, port: int) -> str:
        """Wire a host to one more port of the switch, and return its device for it."""
        device = f"eth{len(host.devices)}"
        host.devices.append(device)
        mac = host_mac(port)
        self._pair(port, f"peer name {device} address {mac} netns {host.path}")
        # Checksums are in the frames only when no device is said to add them later.
        host.run("ethtool", "-K", device, "tx", "off", "rxvlan", "off")
        host.ip(f"link set {device} up")
        with host.inside():
            let_pass(device)
        self._start(port)
        return device

    def cable(self, one: int, other: int) -> None:
        """Wire two ports of the switch to each other: what leaves by one comes in by the other."""
        self._pair(one, f"peer name port{other} address {router_mac(other)}")
        self._start(one)
        self._start(other)

    def _pair(self, port: int, peer: str) -> None:
        self.switch.ip(f"link add port{port} address {router_mac(port)} type veth {peer}")

    def _start(self, port: int) -> None:
        device = f"port{port}"
        self.ports.append(port)
        self.switch.run("ethtool", "-K", device, "rxvlan", "off")
        self.switch.ip(f"link set {device} up")

    def _host(self, port: int, address: str) -> Host:
        host = Host(self, port, address)
        self.nodes.append(host)
        self.wire(host, port)
        host.ip(f"addr add {address}/24 dev eth0")
        return host

    def _unload(self) -> None:
        with self.switch.inside():
            for port in self.ports:
                with suppress(CompileError):  # it was not loaded, or the script took it off
                    loader.unload(f"port{port}")

    def shell(self) -> None:
        """Let the user play: a shell on the switch, in which h1, h2, … run commands on hosts."""
        self.say(f"A shell on the switch. Try: p4xdp status; {self.nodes[0].name} ip addr")
        print("exit ends it. From another terminal:")
        for node in (self.switch, *self.nodes):
            print(f"  {node.name}: sudo nsenter --net={node.path}")
        print(flush=True)
        commands = {node.name: f'nsenter --net={node.path} "${{@:-bash}}"' for node in self.nodes}
        commands["p4xdp"] = f'{shlex.quote(sys.executable)} -m p4xdp.cli "$@"'
        functions = {f"BASH_FUNC_{name}%%": f"() {{ {run}\n}}" for name, run in commands.items()}
        with self.switch.inside():
            subprocess.run(
                ["bash", "--norc"], env={**environment(), **functions, "PS1": "switch# "}, cwd=ROOT
            )


def main(show: Callable[[Lab], None], doc: str | None) -> None:
    """Run a script whose docstring begins with a line that says what it shows, then exit: with 0
    if everything was as it should be, with 1 if not."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("-v", "--verbose", action="store_true", help="show every command")
    parser.add_argument("--shell", action="store_true", help="then open a shell to play in")
    options = parser.parse_args()
    if not all(map(find_spec, ("lark", "pcpp", "pyroute2"))):
        name = Path(sys.argv[0]).stem
        sys.exit(f"p4xdp is not installed for this Python: try `sudo make example EX={name}`")
    if os.geteuid():
        sys.exit("network namespaces need root: run it with sudo")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    print((doc or "").partition("\n")[0])
    try:
        with ExitStack() as stack:
            stack.callback(hold_signals)
            sys.exit(run(show, Lab(stack, options.verbose), options.shell))
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
    except (LabError, PlaceMissing, OSError) as error:
        sys.exit(f"error: {error}")


def run(show: Callable[[Lab], None], lab: Lab, shell: bool) -> int:
    """Run a script in a lab and return its exit status."""
    signal.signal(signal.SIGALRM, time_is_up)
    signal.alarm(SECONDS)
    show(lab)
    signal.alarm(0)
    right = lab.checks - lab.wrong
    lab.say(f"{right} of {lab.checks} observations are as they should be.")
    if shell:
        signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for what runs in the shell
        lab.shell()
    return 0 if right == lab.checks > 0 else 1


def time_is_up(*_: object) -> None:
    raise LabError(f"not done after {SECONDS} seconds")


def hold_signals() -> None:
    """Let nothing come between while everything is cleaned up."""
    signal.alarm(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def stop(process: subprocess.Popen[str]) -> None:
    """End a process and those that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def let_pass(device: str) -> None:
    """Put a program onto a device that lets all frames pass.

    A veth takes what XDP sends by it only when its peer runs a program, too.
    """
    libbpf = capi.library().functions
    program = libbpf.bpf_prog_load(XDP, b"pass", b"GPL", PASS, ctypes.c_size_t(2), None)
    if program < 0 or libbpf.bpf_xdp_attach(socket.if_nametoindex(device), program, NATIVE, None):
        raise LabError(f"{device} takes no XDP program")
    os.close(program)


def environment() -> dict[str, str]:
    """Return the environment of commands: it finds this p4xdp."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def host_mac(port: int) -> str:
    """Return the MAC of the host behind a port."""
    return f"02:00:00:00:00:{port:02x}"


def router_mac(port: int) -> str:
    """Return the MAC of the switch behind a port."""
    return f"02:00:00:00:01:{port:02x}"


def ethernet(dst: str, src: str, type: int, payload: bytes) -> bytes:
    """Return a frame; MACs are written as in 02:00:00:00:00:01."""
    macs = bytes.fromhex(f"{dst}{src}".replace(":", ""))
    return macs + type.to_bytes(2, "big") + payload


def datagram(
    source: tuple[str, int], to: tuple[str, int], data: bytes, ttl: int = 64, tos: int = 0
) -> bytes:
    """Return an IPv4 packet with a UDP datagram, which has no checksum of its own."""
    udp = struct.pack(">HHHH", source[1], to[1], 8 + len(data), 0) + data
    addresses = socket.inet_aton(source[0]) + socket.inet_aton(to[0])
    size = 20 + len(udp)
    protocol = socket.IPPROTO_UDP
    start = struct.pack(">BBHHHBB", 0x45, tos, size, 0, 0, ttl, protocol)
    total = sum(struct.unpack(">8H", start[:8] + addresses)) + (ttl << 8 | protocol)
    checksum = 0xFFFF - (total % 0xFFFF)
    return start + struct.pack(">H", checksum) + addresses + udp


def relative(path: Path) -> str:
    return os.path.relpath(path, ROOT)
