// The fold of a fax: which lost packets came back with later ones, and what the T.30 machines said.
#include "track/stream_fax.h"

#include "wire/t38/udptl.h"

static uint64_t *word_of(uint64_t *words, uint64_t ext)
{
    return &words[ext / 64 % STREAM_WINDOW_WORDS];
}

static bool has_bit(const uint64_t *words, uint64_t ext)
{
    return words[ext / 64 % STREAM_WINDOW_WORDS] >> (ext % 64) & 1;
}

// Numbers that entered the window since the last packet: their bits are those of older ones.
static void forget_old(struct stream *s)
{
    struct stream_fax *f = s->extras->fax;
    uint64_t ext = f->known_ext < s->base_ext ? s->base_ext : f->known_ext + 1;
    while (ext <= s->max_ext) {
        bool whole = ext % 64 == 0 && s->max_ext - ext >= 63;
        *word_of(f->came_later, ext) &= whole ? 0 : ~(1ull << (ext % 64));
        ext += whole ? 64 : 1;
    }
    f->known_ext = s->max_ext;
}

// Is it exactly known whether this number came?
static bool is_known(const struct stream *s, uint64_t ext)
{
    return ext >= s->base_ext && ext <= s->max_ext && s->max_ext - ext < STREAM_WINDOW;
}

// Neither it nor its content came.
static bool is_missing(const struct stream *s, uint64_t ext)
{
    return is_known(s, ext) && !stream_seen(s, ext) && !has_bit(stream_fax(s)->came_later, ext);
}

static void recover(struct stream *s, uint64_t ext)
{
    if (is_missing(s, ext)) {
        *word_of(s->extras->fax->came_later, ext) |= 1ull << (ext % 64);
        s->extras->fax->recovered++;
    }
}

// The only missing one of `span` numbers from `at` on, `step` apart; 0: none, several, or not known
// of all.
static uint64_t only_missing(const struct stream *s, uint64_t at, uint64_t step, unsigned span)
{
    uint64_t found = 0;
    for (unsigned k = 0; k < span; k++, at += step) {
        if (!is_known(s, at) || (found != 0 && is_missing(s, at))) {
            return 0;
        }
        found = is_missing(s, at) ? at : found;
    }
    return found;
}

// A parity message is the exclusive or of the primaries of `span` numbers, `count` apart; the
// messages take turns, and the last number of the last one is right before ext (T.38 9.1.4.2).
static void recover_by_parity(struct stream *s, uint64_t ext, const struct udptl *u)
{
    uint64_t reach = (uint64_t)u->span * u->count;
    for (uint64_t group = 0; reach <= FAX_PARITY_REACH_MAX && group < u->count; group++) {
        uint64_t missing = only_missing(s, ext - reach + group, u->count, u->span);
        if (missing != 0) {
            recover(s, missing);
        }
    }
}

static void note_indicator(struct stream_fax *f, uint8_t indicator)
{
    bool is_same = f->indicator_count > 0 && f->indicators[f->indicator_count - 1] == indicator;
    if (!is_same && f->indicator_count < FAX_INDICATORS_MAX) {
        f->indicators[f->indicator_count++] = indicator;
    }
}

static void note_run(struct stream_fax *f, bool is_next)
{
    f->run = is_next ? f->run + 1 : 1;
    f->run_max = f->run > f->run_max ? f->run : f->run_max;
}

void stream_fax_packet(struct stream *s, const struct media_record *r, bool is_new)
{
    struct stream_fax *f = s->extras->fax;
    uint16_t behind = (uint16_t)((uint16_t)s->max_ext - r->sequence);
    if (!is_new || behind >= STREAM_WINDOW) {
        return; // a copy says nothing new
    }
    bool is_first = f->known_ext == 0;
    bool is_next = !is_first && behind == 0 && s->max_ext == f->known_ext + 1;
    if (is_first || behind == 0) {
        note_run(f, is_next);
    }
    forget_old(s);
    uint64_t ext = s->max_ext - behind;
    if (has_bit(f->came_later, ext)) { // it was late, not lost
        *word_of(f->came_later, ext) &= ~(1ull << (ext % 64));
        f->recovered--;
    }
    struct udptl u;
    udptl_unpack(&u, r->head);
    f->recovery = f->recovery == UDPTL_NO_RECOVERY ? u.recovery : f->recovery;
    if (u.recovery == UDPTL_FEC) {
        recover_by_parity(s, ext, &u);
    }
    for (unsigned i = 1; u.recovery == UDPTL_REDUNDANCY && i <= u.count; i++) {
        recover(s, ext - i);
    }
    if (u.is_data) {
        f->data_packets++;
    } else {
        note_indicator(f, u.type);
    }
}

bool stream_fax_is_proven(const struct stream *s)
{
    return stream_fax(s)->run_max >= FAX_PROOF_PACKETS && s->base_ext - 65536 < FAX_PROOF_START;
}
