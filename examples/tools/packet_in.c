// SPDX-License-Identifier: Apache-2.0
/*
 * packet_in - receive the packets that a running packet_in.p4 sends to user space.
 *
 * Prints each packet, and with -w writes them to a capture file. What stands in
 * front of a packet, and which map the packets come through, is in packet_in.h,
 * which p4xdp writes beside packet_in.c.
 *
 *     p4xdp -o build/packet_in.c packet_in.p4
 *     cc -Ibuild -o build/packet_in tools/packet_in.c -lbpf
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "packet_in.h"

#define RING_PAGES 64 /* for each CPU; a power of two */
#define POLL_MS 200

struct reader {
	FILE *capture; /* NULL: print only */
	unsigned long seen;
	unsigned long wanted; /* 0: until interrupted */
	unsigned long lost;
	int error;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static int usage(FILE *to)
{
	fputs("usage: packet_in [-c COUNT] [-w FILE] PIN_DIR\n"
	      "  -c COUNT  end after this many packets (else: until interrupted)\n"
	      "  -w FILE   write the packets to a capture file too\n"
	      "PIN_DIR is, for eth0, /sys/fs/bpf/p4xdp/eth0/packet_in\n",
	      to);
	return to == stdout ? 0 : 2;
}

static void print_packet(__u32 port, const __u8 *bytes, __u32 length)
{
	printf("port %u, %u bytes", port, length);
	for (__u32 i = 0; i < length; i++)
		printf("%s%02x", i % 16 ? " " : "\n  ", bytes[i]);
	printf("\n");
	fflush(stdout);
}

/* The classic capture format: 32-bit fields in this machine's order, link type Ethernet. */
static int capture_start(FILE *file)
{
	const __u32 magic = 0xa1b2c3d4, zone = 0, accuracy = 0, longest = 65535, ethernet = 1;
	const __u16 version[2] = { 2, 4 };

	return fwrite(&magic, sizeof(magic), 1, file) == 1 &&
	       fwrite(version, sizeof(version), 1, file) == 1 &&
	       fwrite(&zone, sizeof(zone), 1, file) == 1 &&
	       fwrite(&accuracy, sizeof(accuracy), 1, file) == 1 &&
	       fwrite(&longest, sizeof(longest), 1, file) == 1 &&
	       fwrite(&ethernet, sizeof(ethernet), 1, file) == 1;
}

static int capture_packet(FILE *file, const __u8 *bytes, __u32 length)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	const __u32 record[4] = { now.tv_sec, now.tv_nsec / 1000, length, length };

	return fwrite(record, sizeof(record), 1, file) == 1 &&
	       fwrite(bytes, 1, length, file) == length && fflush(file) == 0;
}

static void on_event(void *context, int cpu, void *data, __u32 size)
{
	struct reader *reader = context;
	const struct packet_in_event *event = data;
	const __u8 *bytes = (const __u8 *)(event + 1);

	(void)cpu;
	/* The kernel pads an event; its own length says how much is packet. */
	if (size < sizeof(*event) || size - sizeof(*event) < event->length)
		return;
	if (reader->wanted && reader->seen == reader->wanted)
		return;
	reader->seen++;
	print_packet(event->input_port, bytes, event->length);
	if (reader->capture && !capture_packet(reader->capture, bytes, event->length))
		reader->error = errno;
}

static void on_loss(void *context, int cpu, __u64 count)
{
	struct reader *reader = context;

	reader->lost += count;
	fprintf(stderr, "packet_in: CPU %d lost %llu packets\n", cpu, (unsigned long long)count);
}

static int fail(const char *what, const char *name, int error)
{
	fprintf(stderr, "packet_in: %s %s: %s\n", what, name, strerror(error));
	return 1;
}

static int receive(struct perf_buffer *ring, struct reader *reader)
{
	while (!stop && !reader->error && (!reader->wanted || reader->seen < reader->wanted)) {
		int got = perf_buffer__poll(ring, POLL_MS);

		if (got < 0 && got != -EINTR)
			return fail("cannot read", "the packets", -got);
	}
	if (reader->error)
		return fail("cannot write", "the capture", reader->error);
	fprintf(stderr, "packet_in: %lu packets, %lu lost\n", reader->seen, reader->lost);
	return 0;
}

static int run(const char *pin_dir, struct reader *reader)
{
	int map = p4xdp_open(pin_dir, PACKET_IN_PERF_MAP);
	struct perf_buffer *ring;
	int result;

	if (map < 0)
		return fail("cannot open " PACKET_IN_PERF_MAP " in", pin_dir, -map);
	ring = perf_buffer__new(map, RING_PAGES, on_event, on_loss, reader, NULL);
	if (!ring)
		return fail("cannot set up", "the rings", errno);
	fprintf(stderr, "packet_in: listening\n");
	result = receive(ring, reader);
	perf_buffer__free(ring);
	close(map);
	return result;
}

static int parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (errno || end == text || *end || *count == 0 || *text == '-') {
		fprintf(stderr, "packet_in: %s is not a number of packets\n", text);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct reader reader = { 0 };
	const char *file = NULL;
	int option, result;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	while ((option = getopt(argc, argv, "c:hw:")) != -1) {
		if (option == 'c' && parse_count(optarg, &reader.wanted))
			return 2;
		if (option == 'w')
			file = optarg;
		if (option == 'h')
			return usage(stdout);
		if (option == '?')
			return usage(stderr);
	}
	if (optind != argc - 1)
		return usage(stderr);

	if (file) {
		reader.capture = fopen(file, "wb");
		if (!reader.capture || !capture_start(reader.capture))
			return fail("cannot write", file, errno);
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	result = run(argv[optind], &reader);
	if (reader.capture && fclose(reader.capture))
		result = fail("cannot write", file, errno);
	return result;
}
