// Fax over IP: packets of UDPTL (ITU-T T.38 9.1) and the IFP packet in each (T.38 7), as far as
// they tell what travels and whether it is whole.
//
// UDPTL has no magic number: what tells it from other datagrams is that all its lengths fit to the
// byte. So nothing is forgiven here; who believes a packet looks at its neighbours and at what was
// announced.
#ifndef SIDETONE_WIRE_T38_UDPTL_H
#define SIDETONE_WIRE_T38_UDPTL_H

#include <stdbool.h>
#include <stdint.h>

enum udptl_recovery {
    UDPTL_NO_RECOVERY, // the field is there, but empty
    UDPTL_REDUNDANCY,  // IFP packets of the numbers before
    UDPTL_FEC,         // parity of groups of them
};

struct udptl {
    uint16_t sequence;
    uint16_t primary_n; // bytes of the primary IFP packet
    bool is_data;       // else a T.30 indicator
    uint8_t type;       // place in T.38 Table 2: see udptl_indicator_name(), udptl_data_name()
    uint8_t recovery;   // enum udptl_recovery
    // Redundancy: IFP packets of the numbers right before this one, at most 255; those behind the
    // first that is empty are not counted. FEC: parity messages.
    uint8_t count;
    uint8_t span; // FEC: numbers that each parity message covers
    bool is_cut;  // its end was not captured: what is there fits, recovery is not known
};

// `n` bytes of `length` on the wire are there. False where they are no UDPTL packet; *u is touched
// only where they are.
bool udptl_read(struct udptl *u, const uint8_t *p, uint32_t n, uint32_t length);

// All of *u but sequence, primary_n and is_cut in 32 bits, and back.
uint32_t udptl_pack(const struct udptl *u);
void udptl_unpack(struct udptl *u, uint32_t packed);

// T.38 Table 2 as its ASN.1 writes it: "cng", "v17-14400-long-training"; "v21", "v17-14400". NULL:
// there is no such one.
const char *udptl_indicator_name(uint8_t type);
const char *udptl_data_name(uint8_t type);

#endif
