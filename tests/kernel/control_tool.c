/* Drive the header of `every_table` (and of a second program beside it) over pinned maps. */
#include <assert.h>
#include "every_table.h"
#include "every_statement.h"

#undef NDEBUG
#define EXPECT(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
			exit(1); \
		} \
	} while (0)

static const __u8 source[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

static void exact(const char *dir)
{
	struct macs_value value, again;
	struct macs_key key;
	int fd = macs_open(dir);

	EXPECT(fd >= 0);
	memset(&key, 0, sizeof(key));
	macs_key_set_hd_eth_dst(&key, 0x020304050607);
	EXPECT(macs_key_get_hd_eth_dst(&key) == 0x020304050607);
	EXPECT(macs_lookup(fd, &key, &again) == -ENOENT);
	macs_value_set_forward(&value, 0x11223344, 0x0a0b0c0d0e0f);
	EXPECT(!macs_insert(fd, &key, &value));
	EXPECT(!macs_lookup(fd, &key, &again));
	EXPECT(again.action == macs_forward);
	EXPECT(macs_value_get_forward_port(&again) == 0x11223344);
	EXPECT(macs_value_get_forward_dst(&again) == 0x0a0b0c0d0e0f);
	key.field0[5] = 8;
	EXPECT(macs_delete(fd, &key) == -ENOENT);
}

static void prefix(const char *dir)
{
	struct routes_value value;
	struct routes_key key;
	int fd = routes_open(dir);

	memset(&key, 0, sizeof(key));
	routes_key_set_vrf(&key, 0xfabc);
	EXPECT(routes_key_get_vrf(&key) == 0xabc);
	routes_key_set_hd_ipv4_dst_prefix(&key, 0x0a010000, 16);
	routes_value_set_Drop_action(&value);
	EXPECT(!routes_insert(fd, &key, &value));
	routes_key_set_hd_ipv4_dst(&key, 0x0a01ffff);
	EXPECT(!routes_lookup(fd, &key, &value));
	EXPECT(value.action == routes_Drop_action);
}

static void ternary(const char *dir)
{
	struct acl_entry entries[8];
	struct acl_key key, mask;
	struct acl_value value;
	__u32 priority;

	memset(&key, 0, sizeof(key));
	acl_mask_all(&mask);
	EXPECT(acl_key_get_port(&mask) == 0x7f);
	acl_mask_set_dst_prefix(&mask, 8);
	acl_key_set_src(&key, source);
	acl_key_set_dst(&key, 0x0a123456);
	acl_key_set_port(&key, 5);
	for (priority = 1; priority <= 4; priority++) {
		acl_value_set_forward(&value, priority, 0);
		EXPECT(!acl_insert(dir, &key, &mask, priority * 10, &value));
	}
	acl_value_set_Drop_action(&value);
	EXPECT(!acl_insert(dir, &key, &mask, 20, &value));
	EXPECT(acl_list(dir, entries, 8) == 4);
	EXPECT(!acl_delete(dir, &key, &mask, 30));
	EXPECT(acl_delete(dir, &key, &mask, 30) == -ENOENT);
	EXPECT(acl_list(dir, entries, 8) == 3);
	EXPECT(entries[0].priority == 40 && entries[1].priority == 20 && entries[2].priority == 10);
	EXPECT(entries[1].value.action == acl_Drop_action);
	EXPECT(acl_value_get_forward_port(&entries[2].value) == 1);
	EXPECT(acl_key_get_dst(&entries[0].key) == 0x0a000000);
}

/* Many rules at once: 40 masks, some keys several times, in a mixed order. */
static void many(const char *dir)
{
	static struct acl_entry entries[900], listed[1000];
	struct acl_key key, mask;
	__u32 i;

	memset(&key, 0, sizeof(key));
	for (i = 0; i < 900; i++) {
		acl_mask_all(&mask);
		acl_mask_set_dst_prefix(&mask, (int)(i % 40) % 33);
		if (i % 40 > 32)
			memset(&mask.field0, 0, i % 40 - 32);
		acl_key_set_dst(&key, i * 0x9e3779b1U);
		acl_key_set_port(&key, i % 3);
		acl_entry_set(&entries[i], &key, &mask, i * 7919 % 997);
		acl_value_set_forward(&entries[i].value, i, 0);
	}
	EXPECT(!acl_insert_many(dir, entries, 600));
	EXPECT(!acl_insert_many(dir, entries + 500, 400));
	EXPECT(acl_list(dir, listed, 1000) == 903);
	for (i = 0; i < 902; i++)
		EXPECT(listed[i].priority >= listed[i + 1].priority);
	EXPECT(!acl_insert_many(dir, entries, 900));
	EXPECT(acl_list(dir, listed, 1000) == 903);
	for (i = 0; i < 98; i++)
		entries[i].priority = 1000 + i;
	EXPECT(acl_insert_many(dir, entries, 98) == -E2BIG);
	EXPECT(acl_list(dir, listed, 1000) == 903);
}

static void exact_many(const char *dir)
{
	static struct macs_value values[20], value;
	static struct macs_key keys[20];
	int fd = macs_open(dir), i;

	for (i = 0; i < 20; i++) {
		macs_key_set_hd_eth_dst(&keys[i], 0x100 + i);
		macs_value_set_forward(&values[i], i, 0);
	}
	EXPECT(!macs_insert_many(fd, keys, values, 20));
	EXPECT(!macs_lookup(fd, &keys[17], &value));
	EXPECT(macs_value_get_forward_port(&value) == 17);
	for (i = 0; i < 20; i++)
		EXPECT(!macs_delete(fd, &keys[i]));
}

static void slots(const char *dir)
{
	struct slots_value value;
	struct slots_key key;
	int fd = slots_open(dir);

	memset(&key, 0, sizeof(key));
	slots_key_set_index(&key, 3);
	EXPECT(slots_lookup(fd, &key, &value) == -ENOENT);
	slots_value_set_mark(&value);
	EXPECT(!slots_insert(fd, &key, &value));
	EXPECT(!slots_lookup(fd, &key, &value));
	slots_key_set_index(&key, 64);
	EXPECT(slots_insert(fd, &key, &value) == -E2BIG);
	slots_key_set_index(&key, 4);
	EXPECT(!slots_insert(fd, &key, &value));
	EXPECT(!slots_delete(fd, &key));
	EXPECT(slots_lookup(fd, &key, &value) == -ENOENT);
}

static void defaults(const char *dir)
{
	struct macs_value value;
	struct slots_value plain;

	EXPECT(!macs_get_default(dir, &value));
	EXPECT(value.action == macs_Drop_action);
	macs_value_set_forward(&value, 77, 0x0102);
	EXPECT(!macs_set_default(dir, &value));
	EXPECT(!macs_get_default(dir, &value));
	EXPECT(macs_value_get_forward_port(&value) == 77);
	macs_value_set_forward(&value, 78, 0x0102);
	EXPECT(!macs_set_default(dir, &value));
	EXPECT(!macs_get_default(dir, &value));
	EXPECT(macs_value_get_forward_port(&value) == 78);
	EXPECT(!slots_get_default(dir, &plain));
	EXPECT(plain.action == slots_Drop_action);
	slots_value_set_mark(&plain);
	EXPECT(!slots_set_default(dir, &plain));
	EXPECT(!slots_get_default(dir, &plain));
	EXPECT(plain.action == slots_mark);
	EXPECT(macs_set_default("/sys/fs/bpf/nowhere", &value) == -ENOENT);
}

int main(int argc, char **argv)
{
	char dir[64];

	EXPECT(argc == 2);
	EXPECT(!strcmp(EVERY_TABLE_PIN_DIR("eth0"), "/sys/fs/bpf/p4xdp/eth0/every_table"));
	EXPECT(!every_table_pin_dir(dir, sizeof(dir), "eth0"));
	EXPECT(!strcmp(dir, EVERY_TABLE_PIN_DIR("eth0")));
	EXPECT(every_statement_pin_dir(dir, 8, "eth0") == -ENAMETOOLONG);
	exact(argv[1]);
	prefix(argv[1]);
	ternary(argv[1]);
	many(argv[1]);
	exact_many(argv[1]);
	slots(argv[1]);
	defaults(argv[1]);
	return 0;
}
