/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The other half of p4xdp_native.h: maps, helpers and a main() that runs packets. Included once,
 * at the end of C generated with --target native, behind the table `p4xdp_native_maps` (ended by
 * an empty row) and P4XDP_NATIVE_ENTRY.
 *
 * The program reads requests from its standard input, one a line, and answers each with one line.
 * Bytes are hexadecimal digits, `-` where there are none.
 *
 *   update MAP KEY VALUE FLAGS    ok
 *   lookup MAP KEY                ok VALUE
 *   delete MAP KEY                ok
 *   next MAP KEY                  ok KEY        (the first key for `-`)
 *   run PORT PACKET SHORTEST [TO NUMBER]
 *                                 ok VERDICT OUTPUT_PORT PACKET [SESSION WHERE TO]
 *   events                        ok EVENT...   (perf events since the last time)
 *
 * A request that fails is answered `error ERRNO`. SHORTEST is how many bytes a packet must keep when
 * a program takes some from it, 14 in the kernel. With TO the packet is a copy on its way to that
 * port, with its NUMBER there. The verdict 5 asks for copies.
 */
#ifndef P4XDP_NATIVE_MAIN_H
#define P4XDP_NATIVE_MAIN_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define P4XDP_NATIVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define P4XDP_NATIVE_ASAN 1
#endif
#endif
#ifdef P4XDP_NATIVE_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

/* What the kernel leaves in front of a packet, and the part of it that it keeps for itself. */
#define P4XDP_NATIVE_HEADROOM 256
#define P4XDP_NATIVE_FRAME 40

#define P4XDP_NATIVE_BUCKETS 1024
#define P4XDP_NATIVE_STATES (sizeof(p4xdp_native_maps) / sizeof(p4xdp_native_maps[0]))

/* Key and value stand in allocations of their own, so that the sanitizer sees an overrun. */
struct p4xdp_native_entry {
	struct p4xdp_native_entry *next;
	void *key;
	void *value;
};

struct p4xdp_native_state {
	struct p4xdp_native_entry *buckets[P4XDP_NATIVE_BUCKETS];
	void **cells;
	__u32 count;
};

struct p4xdp_native_event {
	struct p4xdp_native_event *next;
	size_t size;
	__u8 bytes[];
};

static struct p4xdp_native_state p4xdp_native_states[P4XDP_NATIVE_STATES];

/* Maps that the user's C declared, and an empty row behind the last. */
#define P4XDP_NATIVE_OWN_MAPS 64
static struct p4xdp_native_map p4xdp_native_own_maps[P4XDP_NATIVE_OWN_MAPS + 1];
static struct p4xdp_native_state p4xdp_native_own_states[P4XDP_NATIVE_OWN_MAPS];

static struct p4xdp_native_event *p4xdp_native_events, **p4xdp_native_last_event;
static __u32 p4xdp_native_output_port;
static long p4xdp_native_shortest;
#ifdef P4XDP_NATIVE_COPIES
#define P4XDP_NATIVE_REPLICATED 5
static const char *p4xdp_native_to, *p4xdp_native_number;
#endif
static uintptr_t p4xdp_native_buffer;

static void *p4xdp_native_allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

static const struct p4xdp_native_map *p4xdp_native_by_address(const void *map)
{
	const struct p4xdp_native_map *m;

	for (m = p4xdp_native_maps; m->name; m++)
		if (m->map == map)
			return m;
	for (m = p4xdp_native_own_maps; m->map; m++)
		if (m->map == map)
			return m;
	fprintf(stderr, "a map that is not in p4xdp_native_maps was used\n");
	abort();
}

static const struct p4xdp_native_map *p4xdp_native_by_name(const char *name)
{
	const struct p4xdp_native_map *m;

	for (m = p4xdp_native_maps; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

static struct p4xdp_native_state *p4xdp_native_state_of(const struct p4xdp_native_map *m)
{
	if (m >= p4xdp_native_own_maps && m < p4xdp_native_own_maps + P4XDP_NATIVE_OWN_MAPS)
		return &p4xdp_native_own_states[m - p4xdp_native_own_maps];
	return &p4xdp_native_states[m - p4xdp_native_maps];
}

P4XDP_NATIVE_STATIC void *p4xdp_native_own(void *map, int type, __u32 key_size, __u32 value_size,
					   __u32 max_entries)
{
	struct p4xdp_native_map *m;

	for (m = p4xdp_native_own_maps; m->map; m++)
		if (m->map == map)
			return map;
	if (m == p4xdp_native_own_maps + P4XDP_NATIVE_OWN_MAPS) {
		fprintf(stderr, "more than %d maps of functions in C\n", P4XDP_NATIVE_OWN_MAPS);
		abort();
	}
	m->map = map;
	m->name = "";
	m->type = type;
	m->key_size = key_size;
	m->value_size = value_size;
	m->max_entries = max_entries;
	return map;
}

static int p4xdp_native_is_array(const struct p4xdp_native_map *m)
{
	return m->type == BPF_MAP_TYPE_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       m->type == P4XDP_NATIVE_DATA;
}

static __u32 p4xdp_native_index(const void *key)
{
	__u32 index;

	memcpy(&index, key, sizeof(index));
	return index;
}

/* The value of an array's cell, NULL for an index past the end. Cells appear when first asked for. */
static void *p4xdp_native_cell(const struct p4xdp_native_map *m, __u32 index)
{
	struct p4xdp_native_state *state = p4xdp_native_state_of(m);

	if (m->type == P4XDP_NATIVE_DATA)
		return index ? NULL : (void *)(uintptr_t)m->map;
	if (index >= m->max_entries)
		return NULL;
	if (!state->cells)
		state->cells = p4xdp_native_allocate(m->max_entries * sizeof(void *));
	if (!state->cells[index])
		state->cells[index] = p4xdp_native_allocate(m->value_size);
	return state->cells[index];
}

static __u32 p4xdp_native_hash(const struct p4xdp_native_map *m, const void *key)
{
	const __u8 *bytes = key;
	__u32 hash = 2166136261U;
	__u32 i;

	if (m->type == BPF_MAP_TYPE_LPM_TRIE)
		return 0;
	for (i = 0; i < m->key_size; i++)
		hash = (__u32)(((__u64)(hash ^ bytes[i]) * 16777619U) & 0xffffffffU);
	return hash % P4XDP_NATIVE_BUCKETS;
}

/* Whether the first `bits` bits are the same. */
static int p4xdp_native_same_bits(const __u8 *a, const __u8 *b, __u32 bits)
{
	__u32 rest = bits % 8;

	if (memcmp(a, b, bits / 8))
		return 0;
	return !rest || !((a[bits / 8] ^ b[bits / 8]) >> (8 - rest));
}

static int p4xdp_native_same_key(const struct p4xdp_native_map *m, const void *a, const void *b)
{
	if (m->type != BPF_MAP_TYPE_LPM_TRIE)
		return !memcmp(a, b, m->key_size);
	return p4xdp_native_index(a) == p4xdp_native_index(b) &&
	       p4xdp_native_same_bits((const __u8 *)a + 4, (const __u8 *)b + 4,
				      p4xdp_native_index(a));
}

/* The link that holds the entry, or the one behind the last. */
static struct p4xdp_native_entry **p4xdp_native_find(const struct p4xdp_native_map *m,
						     const void *key)
{
	struct p4xdp_native_entry **link;

	link = &p4xdp_native_state_of(m)->buckets[p4xdp_native_hash(m, key)];
	while (*link && !p4xdp_native_same_key(m, (*link)->key, key))
		link = &(*link)->next;
	return link;
}

static void *p4xdp_native_longest(const struct p4xdp_native_map *m, const void *key)
{
	struct p4xdp_native_entry *entry, *best = NULL;
	__u32 bits, most = p4xdp_native_index(key);

	for (entry = p4xdp_native_state_of(m)->buckets[0]; entry; entry = entry->next) {
		bits = p4xdp_native_index(entry->key);
		if (bits > most || (best && bits <= p4xdp_native_index(best->key)))
			continue;
		if (p4xdp_native_same_bits((const __u8 *)entry->key + 4, (const __u8 *)key + 4,
					   bits))
			best = entry;
	}
	return best ? best->value : NULL;
}

static void *p4xdp_native_exact(const struct p4xdp_native_map *m, const void *key)
{
	struct p4xdp_native_entry *entry;

	if (p4xdp_native_is_array(m))
		return p4xdp_native_cell(m, p4xdp_native_index(key));
	entry = *p4xdp_native_find(m, key);
	return entry ? entry->value : NULL;
}

static long p4xdp_native_store(const struct p4xdp_native_map *m, const void *key, const void *value,
			       __u64 flags)
{
	void *cell = p4xdp_native_cell(m, p4xdp_native_index(key));

	if (!cell)
		return -E2BIG;
	if (flags == BPF_NOEXIST)
		return -EEXIST;
	memcpy(cell, value, m->value_size);
	return 0;
}

static long p4xdp_native_insert(const struct p4xdp_native_map *m, const void *key, const void *value,
				__u64 flags)
{
	int is_trie = m->type == BPF_MAP_TYPE_LPM_TRIE;
	struct p4xdp_native_entry **link = p4xdp_native_find(m, key), *entry;

	if (is_trie && p4xdp_native_index(key) > (m->key_size - 4) * 8)
		return -EINVAL;
	if (*link && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!*link && flags == BPF_EXIST)
		return -ENOENT;
	if (!*link && p4xdp_native_state_of(m)->count == m->max_entries)
		return is_trie ? -ENOSPC : -E2BIG;
	if (!*link) {
		entry = p4xdp_native_allocate(sizeof(*entry));
		entry->key = p4xdp_native_allocate(m->key_size);
		entry->value = p4xdp_native_allocate(m->value_size);
		memcpy(entry->key, key, m->key_size);
		*link = entry;
		p4xdp_native_state_of(m)->count++;
	}
	memcpy((*link)->value, value, m->value_size);
	return 0;
}

static long p4xdp_native_update(const struct p4xdp_native_map *m, const void *key, const void *value,
				__u64 flags)
{
	if (flags > BPF_EXIST)
		return -EINVAL;
	if (p4xdp_native_is_array(m))
		return p4xdp_native_store(m, key, value, flags);
	return p4xdp_native_insert(m, key, value, flags);
}

static long p4xdp_native_delete(const struct p4xdp_native_map *m, const void *key)
{
	struct p4xdp_native_entry **link, *entry;

	if (p4xdp_native_is_array(m))
		return -EINVAL;
	link = p4xdp_native_find(m, key);
	entry = *link;
	if (!entry)
		return -ENOENT;
	*link = entry->next;
	free(entry->key);
	free(entry->value);
	free(entry);
	p4xdp_native_state_of(m)->count--;
	return 0;
}

/* The key behind `key`, or the first; NULL at the end. `cell` takes an array's key. */
static const void *p4xdp_native_next(const struct p4xdp_native_map *m, const void *key, __u32 *cell)
{
	struct p4xdp_native_state *state = p4xdp_native_state_of(m);
	struct p4xdp_native_entry *entry = key ? *p4xdp_native_find(m, key) : NULL;
	__u32 bucket = key ? p4xdp_native_hash(m, key) + 1 : 0;

	if (p4xdp_native_is_array(m)) {
		*cell = key ? p4xdp_native_index(key) + 1 : 0;
		return *cell < (m->type == P4XDP_NATIVE_DATA ? 1 : m->max_entries) ? cell : NULL;
	}
	if (entry && entry->next)
		return entry->next->key;
	for (; bucket < P4XDP_NATIVE_BUCKETS; bucket++)
		if (state->buckets[bucket])
			return state->buckets[bucket]->key;
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	const struct p4xdp_native_map *m = p4xdp_native_by_address(map);

	if (m->type == BPF_MAP_TYPE_LPM_TRIE)
		return p4xdp_native_longest(m, key);
	return p4xdp_native_exact(m, key);
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	return p4xdp_native_update(p4xdp_native_by_address(map), key, value, flags);
}

static long bpf_map_delete_elem(void *map, const void *key)
{
	return p4xdp_native_delete(p4xdp_native_by_address(map), key);
}

static long bpf_redirect(__u32 ifindex, __u64 flags)
{
	p4xdp_native_output_port = ifindex;
	return flags ? XDP_ABORTED : XDP_REDIRECT;
}

static long bpf_redirect_map(void *map, __u64 key, __u64 flags)
{
	__u32 port = (__u32)key;
	void *ifindex = p4xdp_native_exact(p4xdp_native_by_address(map), &port);

	if (!ifindex)
		return (long)(flags & 3);
	p4xdp_native_output_port = p4xdp_native_index(ifindex);
	return XDP_REDIRECT;
}

static void p4xdp_native_poison(struct xdp_md *ctx)
{
	ASAN_UNPOISON_MEMORY_REGION((void *)ctx->data, ctx->data_end - ctx->data);
	ASAN_POISON_MEMORY_REGION((void *)p4xdp_native_buffer, ctx->data - p4xdp_native_buffer);
}

static long bpf_xdp_adjust_head(struct xdp_md *ctx, int delta)
{
	intptr_t data = (intptr_t)ctx->data + delta;

	if (data < (intptr_t)p4xdp_native_buffer + P4XDP_NATIVE_FRAME ||
	    data > (intptr_t)ctx->data_end - p4xdp_native_shortest)
		return -EINVAL;
	ctx->data = (uintptr_t)data;
	ctx->data_meta = ctx->data;
	p4xdp_native_poison(ctx);
	return 0;
}

static long bpf_xdp_adjust_tail(struct xdp_md *ctx, int delta)
{
	intptr_t end = (intptr_t)ctx->data_end + delta;

	if (delta > 0 || end < (intptr_t)ctx->data + p4xdp_native_shortest)
		return -EINVAL;
	ctx->data_end = (uintptr_t)end;
	return 0;
}

static long bpf_perf_event_output(void *ctx, void *map, __u64 flags, void *data, __u64 size)
{
	const struct xdp_md *md = ctx;
	size_t packet = (size_t)((flags & BPF_F_CTXLEN_MASK) >> 32);
	struct p4xdp_native_event *event;

	(void)p4xdp_native_by_address(map);
	if (packet > md->data_end - md->data)
		return -EFAULT;
	event = p4xdp_native_allocate(sizeof(*event) + size + packet);
	event->size = size + packet;
	memcpy(event->bytes, data, size);
	memcpy(event->bytes + size, (void *)md->data, packet);
	*p4xdp_native_last_event = event;
	p4xdp_native_last_event = &event->next;
	return 0;
}

/* A message in the list of events: what is submitted follows its struct. */
static void *bpf_ringbuf_reserve(void *map, __u64 size, __u64 flags)
{
	struct p4xdp_native_event *event;

	(void)p4xdp_native_by_address(map);
	if (flags)
		return NULL;
	event = p4xdp_native_allocate(sizeof(*event) + size);
	event->size = size;
	return event->bytes;
}

static void bpf_ringbuf_submit(void *data, __u64 flags)
{
	struct p4xdp_native_event *event;

	(void)flags;
	event = (void *)((__u8 *)data - offsetof(struct p4xdp_native_event, bytes));
	*p4xdp_native_last_event = event;
	p4xdp_native_last_event = &event->next;
}

static long bpf_ringbuf_output(void *map, void *data, __u64 size, __u64 flags)
{
	void *message = bpf_ringbuf_reserve(map, size, flags);

	if (!message)
		return -EAGAIN;
	memcpy(message, data, size);
	bpf_ringbuf_submit(message, 0);
	return 0;
}

static long bpf_xdp_load_bytes(struct xdp_md *ctx, __u32 offset, void *to, __u32 size)
{
	if (offset + size > ctx->data_end - ctx->data)
		return -EINVAL;
	memcpy(to, (void *)(ctx->data + offset), size);
	return 0;
}

static __u64 bpf_ktime_get_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000ULL + (__u64)now.tv_nsec;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static __u32 bpf_get_prandom_u32(void)
{
	return (__u32)rand();
}

static int bpf_printk(const char *format, ...)
{
	va_list values;
	int written;

	va_start(values, format);
	fputs("trace: ", stderr);
	written = vfprintf(stderr, format, values);
	fputc('\n', stderr);
	va_end(values);
	return written;
}

static void p4xdp_native_print(const void *data, size_t size)
{
	const __u8 *bytes = data;
	size_t i;

	putchar(' ');
	if (!size)
		putchar('-');
	for (i = 0; i < size; i++)
		printf("%02x", bytes[i]);
}

static int p4xdp_native_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of a word in an allocation of exactly their size, or NULL; the size into `size`. */
static __u8 *p4xdp_native_bytes(const char *word, size_t *size)
{
	size_t digits = word && strcmp(word, "-") ? strlen(word) : 0;
	__u8 *bytes;
	size_t i;

	*size = digits / 2;
	if (!word || digits % 2)
		return NULL;
	bytes = p4xdp_native_allocate(*size);
	for (i = 0; i < *size; i++) {
		int high = p4xdp_native_digit(word[2 * i]), low = p4xdp_native_digit(word[2 * i + 1]);

		if (high < 0 || low < 0) {
			free(bytes);
			return NULL;
		}
		bytes[i] = (__u8)(high * 16 + low);
	}
	return bytes;
}

static __u8 *p4xdp_native_sized(const char *word, size_t wanted)
{
	size_t size;
	__u8 *bytes = p4xdp_native_bytes(word, &size);

	if (bytes && size != wanted) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static void p4xdp_native_answer(long result)
{
	if (result < 0)
		printf("error %ld\n", -result);
	else
		puts("ok");
}

static void p4xdp_native_answer_bytes(const void *bytes, size_t size)
{
	if (!bytes) {
		p4xdp_native_answer(-ENOENT);
		return;
	}
	fputs("ok", stdout);
	p4xdp_native_print(bytes, size);
	putchar('\n');
}

/* The program of the build: the packet in a buffer of its own, poisoned around it. */
static int p4xdp_native_run(struct xdp_md *ctx, __u32 port)
{
	p4xdp_native_output_port = port;
#ifdef P4XDP_TEST
	p4xdp_test.recorded = 1;
	p4xdp_test.input_port = port;
	p4xdp_test.output_port = port;
#endif
	ctx->ingress_ifindex = port;
	p4xdp_native_poison(ctx);
#ifdef P4XDP_NATIVE_COPIES
	p4xdp_test.replicated = 0;
	if (p4xdp_native_to) {
		p4xdp_test.output_port = (__u32)strtoul(p4xdp_native_to, NULL, 10);
		p4xdp_test.number = (__u32)strtoul(p4xdp_native_number, NULL, 10);
#ifdef P4XDP_NATIVE_LOOPED
		p4xdp_test.looped = 1;
		return P4XDP_NATIVE_ENTRY(ctx);
#else
		return P4XDP_NATIVE_COPIES(ctx);
#endif
	}
#endif
	return P4XDP_NATIVE_ENTRY(ctx);
}

static void p4xdp_native_answer_run(__u32 port, const __u8 *packet, size_t size)
{
	__u8 *buffer = p4xdp_native_allocate(P4XDP_NATIVE_HEADROOM + size);
	struct xdp_md ctx = { 0 };
	int verdict;

	p4xdp_native_buffer = (uintptr_t)buffer;
	ctx.data = ctx.data_meta = p4xdp_native_buffer + P4XDP_NATIVE_HEADROOM;
	ctx.data_end = ctx.data + size;
	/* The kernel does not clear what a program adds in front. */
	memset(buffer, 0xa5, P4XDP_NATIVE_HEADROOM);
	memcpy((void *)ctx.data, packet, size);
	verdict = p4xdp_native_run(&ctx, port);
#ifdef P4XDP_TEST
	if (verdict == XDP_REDIRECT)
		p4xdp_native_output_port = p4xdp_test.output_port;
#ifdef P4XDP_NATIVE_COPIES
	if (p4xdp_test.replicated)
		verdict = P4XDP_NATIVE_REPLICATED;
#endif
#endif
	printf("ok %d %u", verdict, p4xdp_native_output_port);
	p4xdp_native_print((void *)ctx.data, ctx.data_end - ctx.data);
#ifdef P4XDP_NATIVE_COPIES
	if (verdict == P4XDP_NATIVE_REPLICATED)
		printf(" %u %u %u", p4xdp_test.session, p4xdp_test.where, p4xdp_test.to);
#endif
	putchar('\n');
	ASAN_UNPOISON_MEMORY_REGION(buffer, P4XDP_NATIVE_HEADROOM);
	free(buffer);
}

static void p4xdp_native_request_run(char *port, char *word, char *shortest, char *to,
				     char *number)
{
	size_t size;
	__u8 *packet = p4xdp_native_bytes(word, &size);

	if (!packet) {
		p4xdp_native_answer(-EINVAL);
		return;
	}
	p4xdp_native_shortest = strtol(shortest, NULL, 10);
#ifdef P4XDP_NATIVE_COPIES
	p4xdp_native_to = number ? to : NULL;
	p4xdp_native_number = number;
#else
	(void)to;
	(void)number;
#endif
	p4xdp_native_answer_run((__u32)strtoul(port, NULL, 10), packet, size);
	free(packet);
}

static void p4xdp_native_request_events(void)
{
	struct p4xdp_native_event *event;

	fputs("ok", stdout);
	while ((event = p4xdp_native_events)) {
		p4xdp_native_print(event->bytes, event->size);
		p4xdp_native_events = event->next;
		free(event);
	}
	p4xdp_native_last_event = &p4xdp_native_events;
	putchar('\n');
}

static void p4xdp_native_request_next(const struct p4xdp_native_map *m, const void *key)
{
	__u32 cell;

	p4xdp_native_answer_bytes(p4xdp_native_next(m, key, &cell), m->key_size);
}

static void p4xdp_native_request_update(const struct p4xdp_native_map *m, const void *key,
					const char *value_word, const char *flags)
{
	__u8 *value = p4xdp_native_sized(value_word, m->value_size);

	if (value)
		p4xdp_native_answer(p4xdp_native_update(m, key, value, strtoull(flags, NULL, 10)));
	else
		p4xdp_native_answer(-EINVAL);
	free(value);
}

static void p4xdp_native_request_map(char *words[5])
{
	const struct p4xdp_native_map *m = p4xdp_native_by_name(words[1]);
	__u8 *key;

	if (!m) {
		p4xdp_native_answer(-ENODEV);
		return;
	}
	if (!strcmp(words[0], "next") && !strcmp(words[2], "-")) {
		p4xdp_native_request_next(m, NULL);
		return;
	}
	key = p4xdp_native_sized(words[2], m->key_size);
	if (!key)
		p4xdp_native_answer(-EINVAL);
	else if (!strcmp(words[0], "next"))
		p4xdp_native_request_next(m, key);
	else if (!strcmp(words[0], "lookup"))
		p4xdp_native_answer_bytes(p4xdp_native_exact(m, key), m->value_size);
	else if (!strcmp(words[0], "delete"))
		p4xdp_native_answer(p4xdp_native_delete(m, key));
	else if (!strcmp(words[0], "update") && words[3] && words[4])
		p4xdp_native_request_update(m, key, words[3], words[4]);
	else
		p4xdp_native_answer(-ENOSYS);
	free(key);
}

static void p4xdp_native_request(char *line)
{
	char *words[6] = { NULL };
	char *rest = line;
	int i;

	for (i = 0; i < 6; i++)
		words[i] = strtok_r(rest, " \n", &rest);
	if (words[0] && !strcmp(words[0], "events"))
		p4xdp_native_request_events();
	else if (!words[0] || !words[1] || !words[2])
		p4xdp_native_answer(-EINVAL);
	else if (!strcmp(words[0], "run") && words[3])
		p4xdp_native_request_run(words[1], words[2], words[3], words[4], words[5]);
	else
		p4xdp_native_request_map(words);
	fflush(stdout);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	p4xdp_native_last_event = &p4xdp_native_events;
	while (getline(&line, &size, stdin) > 0)
		p4xdp_native_request(line);
	free(line);
	return 0;
}

#endif
