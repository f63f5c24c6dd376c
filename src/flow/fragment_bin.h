// A bin of fragments: all datagrams in fragments between the outermost addresses that hash to it.
//
// Comes in: fragments in capture order. Goes out: what their datagrams are, as if each had come
// whole with its last fragment; and what can be told of those that never became whole. Fragments in
// tunnels in fragments are put together too.
#ifndef SIDETONE_FLOW_FRAGMENT_BIN_H
#define SIDETONE_FLOW_FRAGMENT_BIN_H

#include "flow/fragments.h"
#include "flow/output.h"

struct fragment_bin {
    struct fragments *fragments; // NULL before the first one
    struct flow_output output;
};

void fragment_bin_init(struct fragment_bin *b);
void fragment_bin_fini(struct fragment_bin *b);

// Between flow_output_begin and flow_output_end, as the next one.
void fragment_bin_packet(struct fragment_bin *b, const struct piece_record *r);

// After the last packet: gives up what is not whole.
void fragment_bin_finish(struct fragment_bin *b);

#endif
