"""The scripts that show the v1model examples with real hosts, and the lab that they run in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox import ROOT, eventually

from p4xdp.runtime import pins

EXAMPLES = ROOT / "examples" / "v1model"
SCRIPTS = EXAMPLES / "scripts"
SHOWN = sorted(path for path in SCRIPTS.glob("*.py") if path.stem != "lab")
SECONDS = 90
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}:{SCRIPTS}", "PYTHONUNBUFFERED": "1"}
NOBODY = 65534


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=ENVIRONMENT,
        **options,  # type: ignore[call-overload]
    )


LOAD = 'lab.load("basic.p4", entries="entries/basic.txt")'


def script(directory: Path, *lines: str) -> Path:
    """Write a script of two hosts that does what the lines say."""
    path = directory / "script.py"
    start = ["h1, h2 = lab.hosts(2)"]
    body = "".join(f"    {line}\n" for line in (*start, *lines))
    path.write_text(f'"""A title."""\nimport lab\ndef show(lab):\n{body}lab.main(show, __doc__)\n')
    return path


def descendants(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    children = [int(c) for t in tasks.iterdir() for c in (t / "children").read_text().split()]
    return [*children, *(d for c in children for d in descendants(c))]


def loaded_for(pid: int) -> set[str]:
    """Return the names of the network namespaces' files that a process holds."""
    found = set()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.add(os.readlink(one))
        except FileNotFoundError:
            continue
    return {name for name in found if name.startswith("net:")}


def pinned() -> set[str]:
    """Return the network namespaces that p4xdp has programs pinned for."""
    return {f"net:[{one.attachment.namespace}]" for one in pins.installs()}


@pytest.mark.veth
@pytest.mark.parametrize("shown", SHOWN, ids=lambda path: path.stem)
def test_what_a_script_shows_is_as_it_should_be(shown: Path) -> None:
    done = run(shown)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "WRONG" not in done.stdout
    assert done.stdout.splitlines()[-1].endswith("observations are as they should be.")


def test_every_program_has_a_script_and_a_line_in_the_readme() -> None:
    programs = {path.stem for path in EXAMPLES.glob("*.p4")}
    assert {path.stem for path in SHOWN} == programs
    readme = (EXAMPLES / "README.md").read_text()
    assert [name for name in sorted(programs) if f"| [{name}]({name}.p4) |" not in readme] == []


@pytest.mark.veth
def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    done = run(script(tmp_path, 'lab.expect("answers", h1.ping("10.0.9.9", 1), 1)'))
    assert done.returncode == 1
    assert "WRONG  answers: 0, but should be 1" in done.stdout


@pytest.mark.veth
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_script_that_is_stopped_leaves_nothing_behind(
    tmp_path: Path, how: signal.Signals
) -> None:
    waiting = script(
        tmp_path,
        LOAD,
        'h1.start("sleep", "300")',
        'print("ready")',
        "import time",
        "time.sleep(60)",
    )
    process = subprocess.Popen(
        [sys.executable, waiting],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    assert any(line == "ready\n" for line in process.stdout)
    mine = loaded_for(process.pid)
    children = descendants(process.pid)
    assert mine & pinned()
    assert children
    process.send_signal(how)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert not mine & pinned()
    assert eventually(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


@pytest.mark.veth
def test_in_the_shell_the_hosts_are_commands(tmp_path: Path) -> None:
    path = script(tmp_path, LOAD, 'lab.check("so it is", True)')
    done = run(
        path, "--shell", input="h1 ping -c 1 10.0.2.1\np4xdp status --dev port1\nh2 ip addr\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 received" in done.stdout
    assert "port1: basic (basic.p4), native XDP" in done.stdout
    assert "10.0.2.1/24" in done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('h1.run("no-such-command")', "error: `no-such-command` is not installed\n"),
        ('h1.ip("link set nothing up")', 'Cannot find device "nothing"\n'),
        ('lab.p4xdp("load", "no.p4", "--dev", "port1")', "no.p4"),
        ('h1.run("sleep", "9", seconds=0.1)', "error: `sleep 9` does not end\n"),
    ],
)
@pytest.mark.veth
def test_what_cannot_be_is_told_in_a_line(tmp_path: Path, line: str, said: str) -> None:
    done = run(script(tmp_path, line))
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_root_it_says_so(tmp_path: Path) -> None:
    drop = shutil.which("setpriv")
    assert drop
    command = [drop, "--reuid", str(NOBODY), "--clear-groups", sys.executable, SHOWN[0]]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (
        1,
        "network namespaces need root: run it with sudo\n",
    )
