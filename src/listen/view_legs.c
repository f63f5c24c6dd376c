// The public view of a call's legs: what its conversation holds, nearest first.
#include "listen/view.h"

// Legs that are shown of a call. Not smaller: conferences have some dozens. Not larger: each leg of
// a conversation shows the others.
#define LEGS_MAX 64

// Twice as many as there can be calls in it.
#define SEEN_SLOTS 256

struct seen {
    uint32_t calls[SEEN_SLOTS]; // position + 1; 0: free
};

// Returns false where it was there already.
static bool see(struct seen *s, uint32_t call)
{
    uint32_t at = call * 2654435761u >> 24; // Knuth's factor: neighbours go far apart
    while (s->calls[at % SEEN_SLOTS] != 0) {
        if (s->calls[at % SEEN_SLOTS] == call + 1) {
            return false;
        }
        at++;
    }
    s->calls[at % SEEN_SLOTS] = call + 1;
    return true;
}

static const char *evidence_name(uint8_t by)
{
    static const char *const NAMES[] = {
        [LEG_CALL_ID] = "call_id",       [LEG_X_CALL_ID] = "x_call_id",
        [LEG_SESSION_ID] = "session_id", [LEG_REPLACES] = "replaces",
        [LEG_REFER] = "refer",           [LEG_DIVERSION] = "diversion",
        [LEG_SDP_ORIGIN] = "sdp_origin", [LEG_NUMBER_AND_TIME] = "number_and_time",
    };
    return NAMES[by];
}

// The calls that one call is tied to and that are not in the list yet.
static void add_tied(const struct sidetone_report *r, uint32_t via, struct seen *seen,
                     struct sidetone_leg *list, size_t *count)
{
    for (uint32_t i = r->legs_begin[via]; i < r->legs_begin[via + 1] && *count < LEGS_MAX; i++) {
        const struct report_leg *leg = &r->legs[i];
        if (see(seen, leg->call)) {
            list[(*count)++] =
                (struct sidetone_leg){leg->call, text_view(r->calls[leg->call]->call_id),
                                      evidence_name(leg->by), via, leg->by == LEG_NUMBER_AND_TIME};
        }
    }
}

void view_legs(const struct sidetone_report *r, uint32_t index, struct sidetone_scratch *s,
               struct sidetone_call *out)
{
    if (!r->legs_begin || r->legs_begin[index] == r->legs_begin[index + 1]) {
        return;
    }
    struct seen seen = {0};
    struct sidetone_leg *list = ARENA_ARRAY(&s->arena, struct sidetone_leg, LEGS_MAX);
    see(&seen, index);
    add_tied(r, index, &seen, list, &out->leg_count);
    for (size_t i = 0; i < out->leg_count; i++) {
        add_tied(r, list[i].call, &seen, list, &out->leg_count);
    }
    out->legs = list;
}
