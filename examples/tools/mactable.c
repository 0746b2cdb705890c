// SPDX-License-Identifier: Apache-2.0
/*
 * mactable - fill the MAC table of a running mactable.p4.
 *
 * Everything that this file knows about the table it knows from mactable.h,
 * which p4xdp writes beside mactable.c: names, layouts, byte order, map names.
 *
 *     p4xdp -o build/mactable.c mactable.p4
 *     cc -Ibuild -o build/mactable tools/mactable.c -lbpf
 *
 * The pins of a program are in /sys/fs/bpf/p4xdp/<device>/<program>.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "mactable.h"

static int usage(FILE *to)
{
	fputs("usage: mactable PIN_DIR add MAC pass|drop   enter an address, or change it\n"
	      "       mactable PIN_DIR del MAC             take it out\n"
	      "       mactable PIN_DIR get MAC             show its action\n"
	      "       mactable PIN_DIR list                show all entries\n"
	      "       mactable PIN_DIR default pass|drop   what happens to other addresses\n"
	      "PIN_DIR is, for eth0, /sys/fs/bpf/p4xdp/eth0/mactable\n",
	      to);
	return to == stdout ? 0 : 2;
}

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "mactable: %s %s: %s\n", what, name, strerror(errno));
	return 1;
}

/* "02:00:00:00:00:01" to a number, most significant byte first. */
static int parse_mac(const char *text, __u64 *mac)
{
	unsigned int byte[6];
	int end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2],
		   &byte[3], &byte[4], &byte[5], &end) != 6 ||
	    text[end] != '\0') {
		fprintf(stderr, "mactable: %s is not a MAC address such as 02:00:00:00:00:01\n",
			text);
		return -1;
	}
	*mac = 0;
	for (int i = 0; i < 6; i++)
		*mac = *mac << 8 | byte[i];
	return 0;
}

static int parse_action(const char *text, struct mactable_value *value)
{
	if (strcmp(text, "pass") == 0)
		mactable_value_set_Fallback_action(value);
	else if (strcmp(text, "drop") == 0)
		mactable_value_set_Drop_action(value);
	else {
		fprintf(stderr, "mactable: %s is not an action: pass or drop\n", text);
		return -1;
	}
	return 0;
}

static const char *action_name(const struct mactable_value *value)
{
	return value->action == mactable_Drop_action ? "drop" : "pass";
}

static void show(const struct mactable_key *key, const struct mactable_value *value)
{
	__u64 mac = mactable_key_get_hd_eth_dst(key);

	for (int shift = 40; shift >= 0; shift -= 8)
		printf("%02x%c", (unsigned int)(mac >> shift) & 0xff, shift ? ':' : ' ');
	printf("%s\n", action_name(value));
}

static int open_table(const char *pin_dir)
{
	int fd = mactable_open(pin_dir);

	if (fd < 0)
		fail("cannot open the table " MACTABLE_MAP " in", pin_dir);
	return fd;
}

static int list(const char *pin_dir)
{
	struct mactable_key key, next;
	struct mactable_value value;
	void *from = NULL;
	int fd = open_table(pin_dir);

	if (fd < 0)
		return 1;
	while (bpf_map_get_next_key(fd, from, &next) == 0) {
		key = next;
		from = &key;
		if (mactable_lookup(fd, &key, &value) == 0)
			show(&key, &value);
	}
	return 0;
}

static int get(int fd, const struct mactable_key *key, const char *mac)
{
	struct mactable_value value;

	if (mactable_lookup(fd, key, &value))
		return fail("no entry for", mac);
	show(key, &value);
	return 0;
}

/* The commands that name one address: `add MAC ACTION`, `del MAC`, `get MAC`. */
static int one_entry(const char *pin_dir, int count, char **words)
{
	int adds = strcmp(words[0], "add") == 0, deletes = strcmp(words[0], "del") == 0;
	struct mactable_key key = { 0 };
	struct mactable_value value;
	__u64 mac;
	int fd;

	if (count != (adds ? 3 : 2) || (!adds && !deletes && strcmp(words[0], "get") != 0))
		return usage(stderr);
	if (parse_mac(words[1], &mac) || (adds && parse_action(words[2], &value)))
		return 2;
	mactable_key_set_hd_eth_dst(&key, mac);

	fd = open_table(pin_dir);
	if (fd < 0)
		return 1;
	if (adds)
		return mactable_insert(fd, &key, &value) ? fail("cannot enter", words[1]) : 0;
	if (deletes)
		return mactable_delete(fd, &key) ? fail("no entry for", words[1]) : 0;
	return get(fd, &key, words[1]);
}

static int set_default(const char *pin_dir, const char *action)
{
	struct mactable_value value;

	if (parse_action(action, &value))
		return 2;
	if (mactable_set_default(pin_dir, &value))
		return fail("cannot change the default in", pin_dir);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0))
		return usage(stdout);
	if (argc < 3)
		return usage(stderr);
	if (strcmp(argv[2], "default") == 0)
		return argc == 4 ? set_default(argv[1], argv[3]) : usage(stderr);
	if (strcmp(argv[2], "list") == 0)
		return argc == 3 ? list(argv[1]) : usage(stderr);
	return one_entry(argv[1], argc - 2, argv + 2);
}
