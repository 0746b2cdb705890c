// SPDX-License-Identifier: Apache-2.0
// Eine Bytereihenfolge-Marke am Anfang, Umlaute (ÄÖÜß) und 漢字 in Kommentaren, CRLF.

#include "../include/skeleton.p4"

@description("größer als ≥ 🙂")
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
	apply {
		o.output_port = 0; /* naïve */
		o.output_action = xdp_action.XDP_TX;
		hd.h.a = hd.h.a \
			+ 1;
	}
}

xdp(P(), C(), D()) main;
