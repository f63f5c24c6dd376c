// What a call says of other calls that it belongs with: Call-IDs, sessions and dialogs that its
// headers name, the origins of its session descriptions. (REFERs: call_extras.h.)
//
// Comes in: messages of the call. Goes out: texts and hashes, kept in the arena of the bin for
// calls that have any, for listen/legs*.c, which finds the calls that are meant.
#ifndef SIDETONE_TRACK_CALL_LINKS_H
#define SIDETONE_TRACK_CALL_LINKS_H

#include "base/arena.h"
#include "wire/packet.h"

struct call;

// Limits of what one call keeps. Not smaller: forwarded calls name some targets, early media of
// forks gives some origins. Not larger: a stranger who names others for ever must not grow memory.
#define CALL_LINKS_MAX   16
#define CALL_ORIGINS_MAX 4
// Bytes of a text that is kept; longer ones are no evidence. Not smaller: Call-IDs with a host are
// below 100, a Refer-To with Replaces is below 300. Not larger: as above.
#define CALL_LINK_TEXT_MAX 512

// What a link consists of, by its kind:
//
//     SIP_LINK_CALL_ID      Call-ID
//     SIP_LINK_SESSION      a UUID of 16 bytes, the one of the other side or empty
//     SIP_LINK_REPLACES     Call-ID, to-tag, from-tag
//     SIP_LINK_JOIN         likewise
//     SIP_LINK_DIVERSION    user part of the URI that the call was for before
//     SIP_LINK_REFERRED_BY  URI
struct call_link {
    struct call_link *next;
    enum sip_link_kind kind;
    struct slice part[3];
};

struct call_links {
    struct call *same_id;    // a call with the same Call-ID on the other side of a B2BUA, or NULL
    struct call_link *links; // in order
    uint16_t link_count;
    uint8_t origin_count;
    uint8_t origin_by_caller;           // bit n: origin n came from the caller
    uint64_t origins[CALL_ORIGINS_MAX]; // of user name, session and address, with hash_secret
};

// Notes m->links; of calls only.
void call_links_note(struct call *c, struct arena *arena, const struct sip_record *m);

// An offer or answer has this origin (the value of o=). Nothing is noted where it tells nothing.
void call_links_note_origin(struct call *c, struct arena *arena, struct slice origin,
                            bool by_caller);

// Is c, a new call with the Call-ID of an older one, its other leg at a B2BUA that keeps the
// Call-ID? Both are up, and one was sent by the host that got the other one, or both have no host
// in common.
bool call_links_note_same_id(struct call *c, struct arena *arena, struct call *older);

#endif
