// What the payloads of a stream tell: redundant data (RFC 2198), the sound of G.711, and SRTP that
// nobody announced.
#include "track/stream_parts.h"

#include "wire/rtp/red.h"

#include <math.h>

// --- redundant data ---

// What a packet says as RFC 2198, if its type is announced as that. Encrypted it says nothing.
static bool is_chain(const struct stream *s, const struct media_record *r, struct red_said *said)
{
    const struct payload_entry *e = payload_map_find(s->map, r->payload_type);
    if (!e || e->codec != CODEC_RED || s->map->encrypted) {
        return false;
    }
    *said = red_said(r->head, r->payload_n);
    return said->is_chain;
}

static uint64_t *carried_word(struct stream_redundancy *d, uint64_t ext)
{
    return &d->carried[ext / 64 % STREAM_WINDOW_WORDS];
}

bool stream_recovered(const struct stream *s, uint64_t ext)
{
    struct stream_redundancy *d = stream_extras(s)->redundancy;
    return d && ext <= d->max_ext && d->max_ext - ext < STREAM_WINDOW &&
           (*carried_word(d, ext) >> (ext % 64) & 1);
}

static void advance(struct stream_redundancy *d, uint64_t to)
{
    uint64_t word = d->max_ext / 64 + 1;
    if (to / 64 >= word + STREAM_WINDOW_WORDS) {
        word = to / 64 - STREAM_WINDOW_WORDS + 1;
    }
    for (; word <= to / 64; word++) {
        d->carried[word % STREAM_WINDOW_WORDS] = 0;
    }
    d->max_ext = to > d->max_ext ? to : d->max_ext;
}

// How many numbers back the oldest block of packet `ext` is from. By RFC 2198 its time tells: where
// it is a multiple of the step of the stream, also that a sender leaves packets out on purpose.
// Else, and in text (RFC 4103 4.2), blocks are those of the packets just before.
static uint64_t blocks_reach(const struct stream *s, const struct media_record *r, uint64_t ext,
                             const struct red_said *said, enum codec primary)
{
    uint64_t steps = s->last_step > 0 ? said->timestamp_offset / s->last_step : 0;
    if (primary == CODEC_T140 || steps < said->blocks || steps > ext ||
        said->timestamp_offset % s->last_step != 0) {
        return said->blocks;
    }
    // Newer than what came before, yet a number that came: a silence lies between.
    int32_t newer = (int32_t)(r->timestamp - said->timestamp_offset - s->last_timestamp);
    bool contradicts = s->has_base && newer > 0 && ext - steps <= s->max_ext &&
                       s->max_ext - (ext - steps) < STREAM_WINDOW && stream_seen(s, ext - steps);
    return contradicts ? said->blocks : steps;
}

// Notes the numbers whose data packet `ext` carries: blocks are evenly apart, the oldest `reach`
// numbers back.
static void note_carried(struct stream *s, struct arena *arena, const struct media_record *r,
                         uint64_t ext, uint64_t reach, const struct red_said *said)
{
    struct stream_extras *x = stream_extras_of(s, arena);
    struct stream_redundancy *d = x->redundancy;
    if (!d) {
        d = x->redundancy = ARENA_NEW(arena, struct stream_redundancy);
        d->max_ext = ext;
    }
    advance(d, ext);
    for (unsigned i = 0; i < said->blocks && reach - i > 0; i++) {
        uint64_t number = ext - (reach - i);
        bool is_known = number >= s->base_ext && s->max_ext - number < STREAM_WINDOW &&
                        d->max_ext - number < STREAM_WINDOW;
        uint64_t bit = 1ull << (number % 64);
        if (is_known && !(*carried_word(d, number) & bit)) {
            *carried_word(d, number) |= bit;
            if (!stream_seen(s, number)) {
                x->recovered++;
                uint64_t ticks = said->timestamp_offset * (reach - i) / reach;
                stream_lacking_carried(s, arena, r, number, (uint32_t)ticks);
            }
        }
    }
}

bool stream_unwrap(struct stream *s, struct arena *arena, const struct media_record *r,
                   uint64_t ext, struct media_record *inner)
{
    struct red_said said;
    if (!is_chain(s, r, &said)) {
        return false;
    }
    if (said.blocks > 0) {
        uint32_t clock_hz;
        struct slice name;
        enum codec primary = stream_codec(s->map, said.primary_type, &clock_hz, &name);
        stream_extras_of(s, arena)->redundant++;
        note_carried(s, arena, r, ext, blocks_reach(s, r, ext, &said, primary), &said);
    }
    *inner = *r;
    inner->payload_type = said.primary_type;
    bool has_event = said.event != RED_NO_EVENT;
    inner->head = has_event ? (uint32_t)said.event << 24 : 0;
    inner->payload_n = has_event ? 4 : 0;
    return true;
}

uint8_t stream_inner_type(const struct stream *s, const struct media_record *r)
{
    struct red_said said;
    return is_chain(s, r, &said) ? said.primary_type : r->payload_type;
}

void stream_redundancy_fill(struct stream *s, uint64_t ext, bool is_back)
{
    if (stream_recovered(s, ext)) {
        s->extras->recovered += is_back ? 1u : -1u;
    }
}

// --- what a payload type means for all that follows ---

void stream_payload_type(struct stream *s, enum codec codec, uint32_t clock_hz,
                         const struct media_record *r, bool is_inner)
{
    s->law = LEVEL_NO_LAW;
    s->sizes = SIZES_VARY;
    if (is_inner || clock_hz != 8000) {
        return;
    }
    if (codec == CODEC_PCMU || codec == CODEC_PCMA || codec == CODEC_G722) {
        s->sizes = SIZES_BYTE_A_TICK;
    } else if (codec == CODEC_G729) {
        s->sizes = SIZES_G729;
    } else if (codec == CODEC_GSM) {
        s->sizes = SIZES_GSM;
    }
    // Decoding measures by the static type alone.
    if (codec == CODEC_PCMU && r->payload_type == 0) {
        s->law = LEVEL_MU_LAW;
    } else if (codec == CODEC_PCMA && r->payload_type == 8) {
        s->law = LEVEL_A_LAW;
    }
}

// --- sound ---

static struct stream_quiet *quiet_of(struct stream *s, struct arena *arena)
{
    if (!s->quiet) {
        s->quiet = ARENA_NEW(arena, struct stream_quiet);
    }
    return s->quiet;
}

// A silent packet in a row with those before: what was lost between them was silent too. Where the
// sender paused or sent comfort noise, another silence begins.
static void silent_packet(struct stream_quiet *quiet, const struct media_record *r, int32_t ticks,
                          uint32_t gap)
{
    quiet->silent++;
    if (quiet->silence_ticks > 0 && ticks > 0 && (uint32_t)ticks / 2 <= gap * r->payload_n) {
        quiet->silence_ticks += (uint32_t)ticks;
    } else {
        quiet->silence_ticks = r->payload_n;
        quiet->silence_at = r->order.at;
    }
    if (quiet->silence_ticks > quiet->longest_ticks) {
        quiet->longest_ticks = quiet->silence_ticks;
        quiet->longest_at = quiet->silence_at;
    }
}

__attribute__((noinline)) void stream_sound_odd(struct stream *s, struct arena *arena,
                                                const struct media_record *r, int32_t ticks,
                                                uint32_t gap)
{
    struct level l = level_unpack(r->head);
    if (r->payload_n == 0 || level_is_filled(l)) {
        return;
    }
    if (level_is_silent(s->law, l)) {
        stream_sound_peak(s, l);
        silent_packet(quiet_of(s, arena), r, ticks, gap);
        s->is_silent = true;
        return;
    }
    stream_sound_loud(s, l);
    if (level_is_clipped(l, r->payload_n)) {
        struct stream_quiet *quiet = quiet_of(s, arena);
        quiet->clipped_at = quiet->clipped == 0 ? r->order.at : quiet->clipped_at;
        quiet->clipped++;
    }
}

struct stream_sound stream_sound_so_far(const struct stream *s)
{
    struct stream_sound sound = {.loud = s->loud, .power = s->power};
    memcpy(&sound.peak[LEVEL_MU_LAW], s->peak, sizeof s->peak);
    if (s->quiet) {
        sound.silent = s->quiet->silent;
        sound.clipped = s->quiet->clipped;
        sound.longest_ticks = s->quiet->longest_ticks;
        sound.longest_at = s->quiet->longest_at;
        sound.clipped_at = s->quiet->clipped_at;
    }
    return sound;
}

// --- SRTP by its look ---

// Bytes that the codec sends for so many ticks; 0: not a whole number of frames.
static uint32_t codec_bytes(enum stream_sizes sizes, uint32_t ticks)
{
    switch (sizes) {
    case SIZES_BYTE_A_TICK:
        return ticks;
    case SIZES_G729:
        return ticks % 80 == 0 ? ticks / 8 : 0;
    case SIZES_GSM:
        return ticks % 160 == 0 ? ticks / 160 * 33 : 0;
    case SIZES_VARY:
        break;
    }
    return 0;
}

// Tags of 32 and 80 bits (RFC 3711 5.2, RFC 4568 6.2) and of AEAD ciphers (RFC 7714).
static bool is_tag(uint32_t bytes)
{
    return bytes == 4 || bytes == 10 || bytes == 16;
}

// G.729 annex B: the last frame, or the only one, is a silence descriptor of 2 bytes.
static bool is_descriptor(const struct stream *s, uint32_t bytes, uint32_t payload_n)
{
    uint32_t tag = stream_extras(s)->look.tag;
    return s->sizes == SIZES_G729 && tag > 0 &&
           (payload_n == 2 + tag || payload_n + 8 == bytes + tag);
}

// Do timestamps run with the clock on the wall? Not where a sender counts them wrong.
static bool is_in_time(const struct stream_look *look, const struct media_record *r,
                       double ns_per_tick)
{
    double media_ns = (r->timestamp - look->from_timestamp) * ns_per_tick;
    return fabs((double)(r->time_ns - look->from_ns) - media_ns) < media_ns / 4;
}

__attribute__((noinline)) void stream_look(struct stream *s, struct arena *arena,
                                           const struct media_record *r, int32_t ticks)
{
    uint32_t bytes = codec_bytes(s->sizes, (uint32_t)ticks);
    uint32_t tag = r->payload_n - bytes;
    if (bytes == 0 || r->payload_n < bytes || !is_tag(tag)) {
        if (s->extras && !is_descriptor(s, bytes, r->payload_n)) {
            s->extras->look.packets = 0;
        }
        return;
    }
    struct stream_look *look = &stream_extras_of(s, arena)->look;
    if (look->packets == 0 || tag != look->tag) {
        *look = (struct stream_look){
            .tag = (uint8_t)tag, .from_timestamp = r->timestamp, .from_ns = r->time_ns};
    }
    look->packets++;
    if (look->packets == STREAM_LOOK_PROOF) {
        s->is_encrypted = is_in_time(look, r, s->ns_per_tick);
        look->packets = 0;
    }
    s->usual_type = STREAM_NOT_USUAL; // until it is clear
}
