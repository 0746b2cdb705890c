// SPDX-License-Identifier: Apache-2.0
// Two and three run-time indices in one l-value: reads, writes, slices, a copied row, arguments;
// past either end reads are undefined (the test reads none) and writes are lost.

#include "../include/skeleton.p4"

struct Cell {
    bit<8>    v;
    bit<8>[2] w;
}

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
}

void bump(inout bit<8> x) {
    x = x + 0x10;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    bit<8>[3][2] grid;
    Cell[2][2]   cells;
    bit<8>[3]    row;
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        grid = { { 1, 2, 3 }, { 4, 5, 6 } };
        cells = { { { 0, { 0, 0 } }, { 0, { 0, 0 } } }, { { 0, { 0, 0 } }, { 0, { 0, 0 } } } };
        // lost when either is past its end, and never in another row
        grid[hd.h.a][hd.h.b] = 0x77;
        hd.h.c = grid[0][0] + grid[0][1] + grid[0][2] + grid[1][0] + grid[1][1] + grid[1][2];
        if (hd.h.a < 2 && hd.h.b < 2) {
            bump(grid[hd.h.a][hd.h.b]);
            grid[hd.h.a][hd.h.b][1:0] = 2;
            hd.h.d = grid[hd.h.a][hd.h.b];
            cells[hd.h.a][hd.h.b].w[hd.h.b] = 9;
            cells[hd.h.a][hd.h.b].v = 8;
            hd.h.c = cells[hd.h.b][hd.h.a].v + cells[1][1].w[hd.h.a] + cells[hd.h.a][1].w[1];
            // the indices are evaluated once, from left to right
            bit<8> n = 255;
            grid[next(n)][next(n)] = 0x55;
            hd.h.b = grid[0][1] + n;
            row = grid[hd.h.a];
            hd.h.a = row[0] + row[1] + row[2];
        }
    }
}

xdp(P(), C(), D()) main;
