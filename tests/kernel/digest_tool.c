// SPDX-License-Identifier: Apache-2.0
/* Print the first digest of controlled.p4 that comes, by what the generated header offers. */

#include "controlled.h"

static int on_message(void *context, void *data, size_t size)
{
	const struct p4xdp_message *head = data;
	const struct seen_message *seen = data;

	if (head->kind != P4XDP_DIGEST || head->number != SEEN_NUMBER || size < sizeof(*seen))
		return 0;
	printf("to %u: %llx at %u\n", head->receiver, seen_get_src(seen), seen_get_port(seen));
	*(int *)context = 1;
	return 0;
}

int main(int argc, char **argv)
{
	int done = 0, map = argc == 2 ? p4xdp_open(argv[1], CONTROLLED_MESSAGES_MAP) : -1;
	struct ring_buffer *ring = map < 0 ? NULL : ring_buffer__new(map, on_message, &done, NULL);

	if (!ring)
		return 1;
	puts("listening");
	fflush(stdout);
	while (!done && ring_buffer__poll(ring, 4000) > 0)
		;
	ring_buffer__free(ring);
	close(map);
	return !done;
}
