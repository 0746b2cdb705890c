static __always_inline void choose_port(struct ethernet_t eth, __u16 *port)
{
	*port = eth.dst & 1 ? 3 : *port + 1;
}

static __always_inline __u16 seal(__u64 address)
{
	return (__u16)(address >> 32) ^ (__u16)address;
}
