// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * A large program by hand: a parser of 15 headers, then a table for each header that is there.
 *
 * The parser walks a cursor and leaves what the tables want in `struct found`, already as keys,
 * so that no bounds check is needed twice and no packet pointer has to survive a lookup. Of layer
 * 4 there is only one, so its key has one place. Every key is 8 bytes (16 for IPv6), which the
 * kernel's hash takes fastest.
 */
#include "twin.h"

#define ETH_P_QINQ 0x88a8

enum { MARK, MARK_DROP, NOTHING };
enum { SEND, TO_HOST, DROP };

enum layer4 { NO_LAYER4, ICMP, ICMP6, IGMP, TCP, UDP, SCTP, GRE };

struct marks_value {
	__u32 action;
	__be32 bits;
};

struct decision {
	__u32 action;
	__be16 next_hop[3];
	__u16 pad;
	__be32 port;
};

struct address6 {
	__u64 high;
	__u64 low;
};

struct vlan {
	__be16 tci;
	__be16 type;
};

struct ip6 {
	__be32 flow;
	__be16 payload_len;
	__u8 nexthdr;
	__u8 hop_limit;
	struct address6 saddr;
	struct address6 daddr;
} __attribute__((packed, aligned(4)));

/* The keys of what was found, in network order with zeros behind. */
struct found {
	__u64 qinq;
	__u64 vlan;
	__u64 label;
	__u64 arp;
	__u64 saddr;
	__u64 daddr;
	struct address6 saddr6;
	struct address6 daddr6;
	__u64 layer4;
	__u64 vni;
	enum layer4 kind;
	__u8 has_qinq;
	__u8 has_vlan;
	__u8 has_label;
	__u8 has_arp;
	__u8 has_ipv4;
	__u8 has_ipv6;
	__u8 has_vxlan;
};

#define MAP(NAME, KEY, VALUE)                        \
	struct {                                     \
		__uint(type, BPF_MAP_TYPE_HASH);     \
		__uint(max_entries, 256);            \
		__type(key, KEY);                    \
		__type(value, VALUE);                \
	} NAME SEC(".maps")

MAP(of_port, __u64, struct marks_value);
MAP(of_source, __u64, struct marks_value);
MAP(of_destination, __u64, struct marks_value);
MAP(of_qinq, __u64, struct marks_value);
MAP(of_vlan, __u64, struct marks_value);
MAP(of_label, __u64, struct marks_value);
MAP(of_arp, __u64, struct marks_value);
MAP(of_ipv4_source, __u64, struct marks_value);
MAP(of_ipv4_destination, __u64, struct marks_value);
MAP(of_ipv6_source, struct address6, struct marks_value);
MAP(of_ipv6_destination, struct address6, struct marks_value);
MAP(of_icmp, __u64, struct marks_value);
MAP(of_icmp6, __u64, struct marks_value);
MAP(of_igmp, __u64, struct marks_value);
MAP(of_tcp, __u64, struct marks_value);
MAP(of_udp, __u64, struct marks_value);
MAP(of_sctp, __u64, struct marks_value);
MAP(of_gre, __u64, struct marks_value);
MAP(of_vxlan, __u64, struct marks_value);
MAP(decide, __u64, struct decision);

/* Returns a negative number when the packet is cut off. */
static __always_inline int parse_layer4(void *pos, void *data_end, __u8 protocol, int is_ipv6,
					struct found *found)
{
	switch (protocol) {
	case IPPROTO_TCP:
		if (pos + sizeof(struct tcp) > data_end)
			return -1;
		found->kind = TCP;
		found->layer4 = ((struct tcp *)pos)->dest;
		return 0;
	case IPPROTO_UDP:
		if (pos + sizeof(struct udp) > data_end)
			return -1;
		found->kind = UDP;
		found->layer4 = ((struct udp *)pos)->dest;
		if (found->layer4 != bpf_htons(4789))
			return 0;
		pos += sizeof(struct udp);
		if (pos + 8 > data_end)
			return -1;
		found->has_vxlan = 1;
		found->vni = *(__be32 *)(pos + 4) & bpf_htonl(0xffffff00);
		return 0;
	case IPPROTO_GRE:
		if (pos + 4 > data_end)
			return -1;
		found->kind = GRE;
		found->layer4 = *(__be16 *)(pos + 2);
		return 0;
	case IPPROTO_SCTP:
		if (pos + 12 > data_end)
			return -1;
		found->kind = SCTP;
		found->layer4 = *(__be16 *)(pos + 2);
		return 0;
	case IPPROTO_ICMP:
	case IPPROTO_IGMP:
		if (is_ipv6)
			return 0;
		if (protocol == IPPROTO_ICMP) {
			if (pos + 4 > data_end)
				return -1;
			found->kind = ICMP;
			found->layer4 = *(__u8 *)pos;
			return 0;
		}
		if (pos + 8 > data_end)
			return -1;
		found->kind = IGMP;
		found->layer4 = *(__be32 *)(pos + 4);
		return 0;
	case IPPROTO_ICMPV6:
		if (!is_ipv6)
			return 0;
		if (pos + 4 > data_end)
			return -1;
		found->kind = ICMP6;
		found->layer4 = *(__u8 *)pos;
		return 0;
	default:
		return 0;
	}
}

static __always_inline int parse_ipv4(void *pos, void *data_end, struct found *found)
{
	struct ip4 *ip = pos;

	if ((void *)(ip + 1) > data_end)
		return -1;
	found->has_ipv4 = 1;
	found->saddr = ip->saddr;
	found->daddr = ip->daddr;
	if ((ip->version_ihl & 0xf) != 5 || ip->frag_off & bpf_htons(0x1fff))
		return 0;
	return parse_layer4(ip + 1, data_end, ip->protocol, 0, found);
}

static __always_inline int parse_ipv6(void *pos, void *data_end, struct found *found)
{
	struct ip6 *ip = pos;

	if ((void *)(ip + 1) > data_end)
		return -1;
	found->has_ipv6 = 1;
	found->saddr6 = ip->saddr;
	found->daddr6 = ip->daddr;
	return parse_layer4(ip + 1, data_end, ip->nexthdr, 1, found);
}

static __always_inline int parse_label(void *pos, void *data_end, struct found *found)
{
	__be32 label;

	if (pos + 4 > data_end)
		return -1;
	label = *(__be32 *)pos;
	found->has_label = 1;
	found->label = bpf_htonl(bpf_ntohl(label) >> 12);
	if (label & bpf_htonl(0x100))
		return parse_ipv4(pos + 4, data_end, found);
	return 0;
}

/* The function that follows an Ethernet type is the same behind one tag as behind none or two. */
static __always_inline int parse(void *data, void *data_end, struct found *found)
{
	struct eth *eth = data;
	void *pos = eth + 1;
	__be16 type = eth->type;
	struct vlan *tag;

	if (type == bpf_htons(ETH_P_QINQ)) {
		tag = pos;
		if ((void *)(tag + 1) > data_end)
			return -1;
		found->has_qinq = 1;
		found->qinq = tag->tci & bpf_htons(0xfff);
		if (tag->type != bpf_htons(ETH_P_8021Q))
			return 0;
		type = tag->type;
		pos = tag + 1;
	}
	if (type == bpf_htons(ETH_P_8021Q)) {
		tag = pos;
		if ((void *)(tag + 1) > data_end)
			return -1;
		found->has_vlan = 1;
		found->vlan = tag->tci & bpf_htons(0xfff);
		type = tag->type;
		pos = tag + 1;
	}
	switch (type) {
	case bpf_htons(ETH_P_IP):
		return parse_ipv4(pos, data_end, found);
	case bpf_htons(ETH_P_IPV6):
		return parse_ipv6(pos, data_end, found);
	case bpf_htons(ETH_P_MPLS_UC):
		return parse_label(pos, data_end, found);
	case bpf_htons(ETH_P_ARP):
		if (pos + 28 > data_end)
			return -1;
		found->has_arp = 1;
		found->arp = *(__be32 *)(pos + 24);
		return 0;
	default:
		return 0;
	}
}

/* Adds the marks of an entry; not 0 when the packet is to be dropped. */
static __always_inline int look_up(void *map, const void *key, __u32 *marks)
{
	struct marks_value *value = bpf_map_lookup_elem(map, key);

	if (!value || value->action == NOTHING)
		return 0;
	if (value->action == MARK_DROP)
		return 1;
	*marks |= value->bits;
	return 0;
}

static __always_inline int look_up_layer4(struct found *found, __u32 *marks)
{
	switch (found->kind) {
	case ICMP:
		return look_up(&of_icmp, &found->layer4, marks);
	case ICMP6:
		return look_up(&of_icmp6, &found->layer4, marks);
	case IGMP:
		return look_up(&of_igmp, &found->layer4, marks);
	case TCP:
		return look_up(&of_tcp, &found->layer4, marks);
	case UDP:
		return look_up(&of_udp, &found->layer4, marks);
	case SCTP:
		return look_up(&of_sctp, &found->layer4, marks);
	case GRE:
		return look_up(&of_gre, &found->layer4, marks);
	default:
		return 0;
	}
}

SEC("xdp")
int big(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct found found = {};
	struct eth *eth = data;
	struct decision *decision;
	__u32 marks = 0; /* in network order, as in entries and in the last key */
	__u64 key;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (parse(data, data_end, &found))
		return XDP_ABORTED;

	key = bpf_htonl(ctx->ingress_ifindex);
	if (look_up(&of_port, &key, &marks))
		return XDP_DROP;
	key = mac_key(eth->src);
	if (look_up(&of_source, &key, &marks))
		return XDP_DROP;
	key = mac_key(eth->dst);
	if (look_up(&of_destination, &key, &marks))
		return XDP_DROP;
	if (found.has_qinq && look_up(&of_qinq, &found.qinq, &marks))
		return XDP_DROP;
	if (found.has_vlan && look_up(&of_vlan, &found.vlan, &marks))
		return XDP_DROP;
	if (found.has_label && look_up(&of_label, &found.label, &marks))
		return XDP_DROP;
	if (found.has_arp && look_up(&of_arp, &found.arp, &marks))
		return XDP_DROP;
	if (found.has_ipv4 && (look_up(&of_ipv4_source, &found.saddr, &marks) ||
			       look_up(&of_ipv4_destination, &found.daddr, &marks)))
		return XDP_DROP;
	if (found.has_ipv6 && (look_up(&of_ipv6_source, &found.saddr6, &marks) ||
			       look_up(&of_ipv6_destination, &found.daddr6, &marks)))
		return XDP_DROP;
	if (look_up_layer4(&found, &marks))
		return XDP_DROP;
	if (found.has_vxlan && look_up(&of_vxlan, &found.vni, &marks))
		return XDP_DROP;

	key = marks;
	decision = bpf_map_lookup_elem(&decide, &key);
	if (!decision || decision->action == TO_HOST)
		return XDP_PASS;
	if (decision->action == DROP)
		return XDP_DROP;
	mac_copy(eth->dst, decision->next_hop);
	return bpf_redirect(bpf_ntohl(decision->port), 0);
}

char _license[] SEC("license") = "GPL";
