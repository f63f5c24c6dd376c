// The parts of a call bin, shared by its files and nobody else.
#ifndef SIDETONE_TRACK_CALL_BIN_PARTS_H
#define SIDETONE_TRACK_CALL_BIN_PARTS_H

#include "track/call_bin.h"

// The call that a message belongs to, and whose transaction it is (*by); NULL: it begins another
// one. May learn another tag of the caller from m.
struct call *call_find(struct call_bin *b, const struct sip_record *m, uint8_t *by);

// The newest call with this Call-ID that is no registration, or NULL.
struct call *call_newest(const struct call_bin *b, struct slice call_id, uint32_t call_id_hash);

// Makes a call findable: by its Call-ID, and by what identifies it together with that (m has it
// too).
void call_enter(struct call_bin *b, struct call *c, const struct sip_record *m);

// Another call comes with the Call-ID of c, which m has.
void call_share_id(struct call_bin *b, struct call *c, const struct sip_record *m);

// Adds what m's body announces to b->announcements and to what c keeps of its media; tells c where
// m refuses an offer.
void call_announce(struct call_bin *b, struct call *c, const struct sip_record *m, uint8_t by);

#endif
