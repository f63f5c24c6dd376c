// What only a link type has: the layer that its frames begin with, and headers of its own. Private
// to wire/net.
#ifndef SIDETONE_WIRE_NET_LINKS_H
#define SIDETONE_WIRE_NET_LINKS_H

#include "wire/net/walk_state.h"

// Takes off `header` bytes and what the link type puts before its first layer, and names that
// layer.
enum layer layer_by_link(struct walk *w, uint32_t header, uint32_t linktype);

enum layer eat_family(struct walk *w);
enum layer eat_sll(struct walk *w);
enum layer eat_sll2(struct walk *w);
enum layer eat_pflog(struct walk *w);
enum layer eat_nflog(struct walk *w);
enum layer eat_ppi(struct walk *w);
enum layer eat_pktap(struct walk *w);

#endif
