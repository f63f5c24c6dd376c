// What the offers and answers of a call said of its media, and who held whom.
//
// Comes in: media lines of bodies, in capture order (call_announce.c). Goes out: addresses, maps
// and branches for the join, and holds. Memory: the arena of the call's bin; two lines of 64 bytes
// for the usual call.
//
// A hold begins with an offer or answer in an established call that says sendonly or inactive (or
// the address 0.0.0.0) where the other side would have let media through, and ends with one of the
// same side that says something else (RFC 3264 8.4). A refused offer changes nothing.
#ifndef SIDETONE_TRACK_CALL_LINES_H
#define SIDETONE_TRACK_CALL_LINES_H

#include "base/arena.h"
#include "track/announcement.h"
#include "wire/sdp/sdp.h"

struct call;

// Different lines that are kept of one call. Not smaller: a fork of ten phones with audio and video
// has 22, and each change of an address is one more. Not larger: a stranger who sends offers for
// ever must not grow memory. Beyond, the newest is not kept.
#define CALL_LINES_MAX 64

// Holds of one call that are kept. Not smaller: an attendant holds a call some dozen times. Not
// larger: as above. Beyond, they are not noted.
#define CALL_HOLDS_MAX 64

// A media line that differs from the others of its call in something other than its direction.
struct call_line {
    struct call_line *next;
    struct address addr;
    const struct payload_map *map; // NULL: T.38 over UDPTL
    int64_t from_ns;               // when it was said first
    uint32_t branch;               // as in struct announcement
    uint16_t port;                 // with addr: where media is to be received
    uint8_t index;                 // of the media line in its body
    uint8_t kind : 3;              // enum sdp_kind
    uint8_t direction : 2;         // enum sdp_direction, newest
    bool by_caller : 1;
    bool has_ice : 1; // media may come from addresses that only candidates name
};

// A call has two of them at least, and there are many calls.
_Static_assert(sizeof(struct call_line) == 48, "three times the grain of an arena");

struct call_hold {
    struct call_hold *next;
    int64_t start_ns, end_ns; // TIME_NOT_SEEN: goes on
    bool by_caller;
};

// The newest offer, until another one.
struct call_offer {
    uint64_t cseq;
    uint8_t direction; // of the line that decides
    bool by_caller;    // who made it
    bool of_caller;    // whose transaction carried it
    bool is_open;
};

struct call_holds {
    struct call_hold *first, *last;
    struct call_hold *spare;         // one that was taken back
    struct call_hold *began, *ended; // by the newest offer: taken back where it is refused
    uint32_t count;
};

struct call_media {
    struct call_line *lines;
    struct call_holds *holds; // NULL: none ever began
    struct call_offer offer;
    uint16_t line_count;
    bool has_name[2]; // of callee and caller: a line named a host by name, which nobody resolves
};

// The first of them; NULL: none.
static inline const struct call_hold *call_first_hold(const struct call_media *m)
{
    return m && m->holds ? m->holds->first : NULL;
}

// Stands for the tag of a callee; never 0. Equal for equal tags.
uint32_t call_branch_mark(struct slice to_tag);

// Keeps what a body said. `map` as in struct call_line.
void call_line_note(struct call_media *m, struct arena *arena, const struct media_news *news,
                    bool has_ice);

// A body in m: an offer or an answer. `is_up`: the call is established, and m is no part of how it
// was.
void call_hold_note(struct call_media *m, struct arena *arena, const struct sip_record *r,
                    const struct sdp *sdp, bool of_caller, bool is_up);

// A final response that refuses: the offer in its request changes nothing.
void call_hold_refused(struct call_media *m, const struct sip_record *r, bool of_caller);

// Did one side hold the other at any time from `from_ns` to `to_ns`? What is not heard then was not
// sent.
bool call_was_held(const struct call *c, int64_t from_ns, int64_t to_ns);

// Was the host of `e` named by that side for media? `*is_known`: that side named some, and none
// that is not kept (candidates of ICE, names, lines beyond the limit).
bool call_named_host(const struct call *c, bool by_caller, struct endpoint e, bool *is_known);

// The map of one side for a media line: the newest that was said up to a time, else the first.
// NULL: it said nothing of that line.
const struct payload_map *call_line_map(const struct call *c, bool by_caller, uint8_t index,
                                        int64_t until_ns);

// The branch (place among those of c that were heard) whose phone named `src` or `dst`; -1: none,
// or it cannot be told.
int call_branch_of_media(const struct call *c, struct endpoint src, struct endpoint dst);

#endif
