// L2TP, versions 2 and 3. Private to wire/net.
#ifndef SIDETONE_WIRE_NET_L2TP_H
#define SIDETONE_WIRE_NET_L2TP_H

#include "wire/net/walk_state.h"

enum layer eat_l2tp(struct walk *w); // version 3 in IP

// Either version in UDP; as the others of tunnel_udp.c.
enum layer open_l2tp(struct rest *r, uint32_t length, uint32_t *id);

#endif
