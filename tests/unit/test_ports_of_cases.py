"""Ports that a test file names, those that it does not, and those that no packet can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.cli import main
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.places import run_statements
from p4xdp.stf.runner import compiler

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "ports.p4"
PLACES = [
    "interp",
    "native",
    pytest.param("kernel", marks=pytest.mark.kernel),
    pytest.param("veth", marks=pytest.mark.veth),
]


def failures(place: str, text: str, directory: Path) -> tuple[str, ...]:
    options = PlaceOptions(build_dir=directory)
    result = run_statements(parse_case(text, "t.stf"), compiler(PROGRAM, options), place, options)
    if result.skipped:
        pytest.skip(result.skipped)
    return result.failures


@pytest.mark.parametrize("place", PLACES)
def test_a_packet_to_a_port_that_is_not_named_fails(place: str, tmp_path: Path) -> None:
    text = "packet 0 000000000001 000000000002 0800 01000000\n"
    (failure,) = failures(place, text, tmp_path)
    assert failure.startswith("t.stf:1: ")
    assert "port 3" in failure
    assert failures(place, f"{text}expect 3 000000000001\n", tmp_path) == ()


@pytest.mark.parametrize("place", PLACES)
def test_a_packet_by_a_port_that_cannot_be_fails(place: str, tmp_path: Path) -> None:
    text = "wait\npacket 512 000000000001 000000000002 0800 02000000\n"
    (failure,) = failures(place, text, tmp_path)
    greatest = "the greatest that the architecture has is 511"
    assert failure == f"t.stf:2: there is no port 512 here: {greatest}"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--port", "-1"),
        ("run", "--port", "4294967296"),
        ("trace", "--port", "\N{SUPERSCRIPT TWO}"),
        ("trace", "--packet", "\N{SUPERSCRIPT TWO}"),
        ("run", "--host-port", "9" * 5000),
    ],
)
def test_numbers_of_options(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    command, option, text = arguments
    with pytest.raises(SystemExit) as ended:
        main([command, str(PROGRAM), "in.pcap", f"{option}={text}"])
    assert ended.value.code == 2
    assert "invalid _" not in capsys.readouterr().err
