struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} notes SEC(".maps");

static __always_inline void note(void)
{
	__u32 zero = 0, *cell = bpf_map_lookup_elem(&notes, &zero);

	if (cell)
		*cell += 1;
}

static __always_inline __u32 noted(void)
{
	__u32 zero = 0, *cell = bpf_map_lookup_elem(&notes, &zero);

	return cell ? *cell : 0;
}

/* more than 12 bits come back: the others are cut off */
static __always_inline __u16 sum(__u16 left, __u16 right)
{
	return left + right;
}

static __always_inline void split(__u16 from, __u8 *top, __u8 *bottom)
{
	*top = from >> 8;
	*bottom = from;
}

static __always_inline void double_it(__u64 *number)
{
	*number *= 2;
}

static __always_inline __u8 exchange(struct Pair *pair, __u8 wanted)
{
	pair->x = (__u16)(pair->x << 8 | pair->x >> 8);
	pair->flag = wanted ? 7 : 0;
	return 2;
}

static __always_inline void turn(struct H *h)
{
	__u8 low = h->low;

	h->low = h->high;
	h->high = low;
	h->b = ~h->b;
	h->ebpf_valid = h->a != 0;
}

static __always_inline void both(struct Hdr *hd, __u64 *mark)
{
	hd->second = hd->h;
	hd->second.a = hd->h.ebpf_valid;
	*mark = 0x0123456789abcdefULL;
}
