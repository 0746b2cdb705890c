"""p4xdp.h as C on its own: checksums and byte access, built by the host's compiler."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HEADERS = Path(__file__).parents[2] / "p4xdp" / "runtime_headers"
TOOL = """
#include <stdio.h>
#include <stdlib.h>
#include <p4xdp.h>

#define ALL_OF(a) a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]
#define ROUND_TRIP(size) case size: \\
	printf("%llx ", (unsigned long long)p4xdp_load##size(bytes)); \\
	p4xdp_store##size(bytes, ~p4xdp_load##size(bytes)); \\
	break

#define SAME(size) case size: \\
	printf("%d\\n", p4xdp_head##size(bytes, at) == p4xdp_copy##size(bytes, at)); \\
	break

static void same(int size, int at)
{
	static const __u8 bytes[8] = { 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8 };

	switch (size) {
	SAME(24); SAME(40); SAME(48); SAME(56);
	}
}

static void round_trip(int size, const char *hex)
{
	__u8 *bytes = malloc(size / 8);
	unsigned int byte;
	int i;

	for (i = 0; i < size / 8; i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		bytes[i] = byte;
	}
	switch (size) {
	ROUND_TRIP(8); ROUND_TRIP(16); ROUND_TRIP(24); ROUND_TRIP(32);
	ROUND_TRIP(40); ROUND_TRIP(48); ROUND_TRIP(56); ROUND_TRIP(64);
	}
	for (i = 0; i < size / 8; i++)
		printf("%02x", bytes[i]);
	printf("\\n");
	free(bytes);
}

int main(void)
{
	unsigned int a[11];
	unsigned long long sum;
	char word[8], hex[32];
	int i;

	while (scanf("%7s", word) == 1) {
		if (word[0] == 'b') {
			if (scanf("%d %31s", &i, hex) == 2)
				round_trip(i, hex);
			continue;
		}
		if (word[0] == 's') {
			if (scanf("%u %d", a, &i) == 2)
				same(a[0], i);
			continue;
		}
		if (word[0] == 'f') {
			if (scanf("%llu", &sum) == 1)
				printf("%u\\n", p4xdp_csum_fold(sum));
			continue;
		}
		for (i = 0; i < (word[0] == 'i' ? 11 : 3); i++)
			if (scanf("%u", &a[i]) != 1)
				return 1;
		if (word[0] == '1')
			printf("%u\\n", p4xdp_csum_replace1(a[0], a[1], a[2]));
		else if (word[0] == '2')
			printf("%u\\n", p4xdp_csum_replace2(a[0], a[1], a[2]));
		else if (word[0] == '4')
			printf("%u\\n", p4xdp_csum_replace4(a[0], a[1], a[2]));
		else
			printf("%u\\n", p4xdp_ipv4_checksum(ALL_OF(a)));
	}
	return 0;
}

static int no_program(struct xdp_md *ctx)
{
	return (int)ctx->data;
}

static const struct p4xdp_native_map p4xdp_native_maps[] = { { 0 } };

#define main p4xdp_native_unused_main
#define P4XDP_NATIVE_ENTRY no_program
#include <p4xdp_native_main.h>
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc here")
    directory = tmp_path_factory.mktemp("header")
    source = directory / "tool.c"
    source.write_text(TOOL)
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    command = ["gcc", *flags, "-fno-sanitize-recover=all", f"-I{HEADERS}", source, "-o"]
    done = subprocess.run([*command, directory / "tool"], capture_output=True, text=True)
    assert done.stderr == ""
    return directory / "tool"


def ask(tool: Path, requests: list[str]) -> list[str]:
    text = "\n".join(requests)
    done = subprocess.run([tool], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def checksum(words: list[int]) -> int:
    """RFC 1071, word by word."""
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def test_folding_is_what_adding_carries_gives(tool: Path) -> None:
    """Of every sum below 2**48; multiples of 65535 fold to that, but 0 to 0."""
    source = random.Random(3)
    sums = [0, 1, 0xFFFF, 0x10000, 0x1FFFE, 2**32 - 1, 2**48 - 1, 2**48 - 2**16, 2**48 - 2**32]
    sums += [65535 * source.getrandbits(32) + more for more in (0, 1, 2, 65534) for _ in range(50)]
    sums += [source.getrandbits(bits) for bits in range(1, 49) for _ in range(10)]
    expected = [int.from_bytes(checksum([sum]).to_bytes(2, sys.byteorder), "big") for sum in sums]
    assert ask(tool, [f"f {sum}" for sum in sums]) == [str(one) for one in expected]


def test_the_ipv4_checksum_of_a_known_header(tool: Path) -> None:
    """45000073 0000 4000 40 11 c0a80001 c0a800c7 has checksum b861."""
    fields = (4, 5, 0, 0x73, 0, 2, 0, 0x40, 0x11, 0xC0A80001, 0xC0A800C7)
    assert ask(tool, ["i " + " ".join(map(str, fields))]) == [str(0xB861)]


def test_ipv4_checksums(tool: Path) -> None:
    source = random.Random(1)
    widths = (4, 4, 8, 16, 16, 3, 13, 8, 8, 32, 32)
    requests, expected = [], []
    for number in range(300):
        f = [(1 << w) - 1 if number == 0 else source.getrandbits(w) for w in widths]
        words = [f[0] << 12 | f[1] << 8 | f[2], f[3], f[4], f[5] << 13 | f[6], f[7] << 8 | f[8]]
        words += [f[9] >> 16, f[9] & 0xFFFF, f[10] >> 16, f[10] & 0xFFFF]
        requests.append("i " + " ".join(map(str, f)))
        expected.append(str(checksum(words)))
    assert ask(tool, requests) == expected


@pytest.mark.parametrize("width", [16, 32])
def test_an_updated_checksum_is_that_of_the_new_words(tool: Path, width: int) -> None:
    """As long as some other word is not 0, the update gives what a new sum would give."""
    source = random.Random(width)
    top = (1 << width) - 1
    special = [0, 1, top, top - 1, 0xFFFF, 0xFFFE]
    requests, expected = [], []
    for number in range(400):
        rest = source.randrange(1, 0xFFFF)
        old, new = (
            source.choice(special) if number % 2 else source.getrandbits(width) for _ in range(2)
        )
        before = checksum([rest, old >> 16, old & 0xFFFF])
        requests.append(f"{width // 8} {before} {old} {new}")
        expected.append(str(checksum([rest, new >> 16, new & 0xFFFF])))
    assert ask(tool, requests) == expected


@pytest.mark.parametrize("size", [8, 16, 24, 32, 40, 48, 56, 64])
def test_loads_and_stores(tool: Path, size: int) -> None:
    data = bytes(range(0xA1, 0xA1 + size // 8))
    inverted = bytes(byte ^ 0xFF for byte in data)
    assert ask(tool, [f"b {size} {data.hex()}"]) == [f"{data.hex()} {inverted.hex()}"]


def test_bytes_loaded_with_those_behind_are_the_same(tool: Path) -> None:
    sizes = (24, 40, 48, 56)
    asked = [f"s {size} {at}" for size in sizes for at in range(9 - size // 8)]
    assert ask(tool, asked) == ["1"] * len(asked)


def test_an_updated_checksum_of_a_first_byte_is_that_of_the_word(tool: Path) -> None:
    source = random.Random(5)
    triples = [(source.getrandbits(16), source.getrandbits(8), source.getrandbits(8))]
    triples += [(s, old, new) for s in (0, 0xFFFF) for old in (0, 255) for new in (0, 255)]
    bytes_ = [f"1 {s} {old} {new}" for s, old, new in triples]
    words = [f"2 {s} {old << 8 | 7} {new << 8 | 7}" for s, old, new in triples]
    assert ask(tool, bytes_) == ask(tool, words)
