// One direction of a TCP connection: its window, the frames that the window came in, and the loop
// of steps.
//
// In the ordinary case the window is what the caller gives, and it is used up in the call. What is
// left is copied and waits; of later bytes only as many are added to it as it lacks, so that what
// lies behind stands where the caller has it again.
#include "base/memory.h"
#include "flow/carried_parts.h"

// Room that an empty buffer may keep. Not smaller: messages of some segments come again and again.
// Not larger: a hundred thousand connections keep it, until they are made slim.
#define KEPT_ROOM 8192
// Entries that an empty list of frames may keep, for the same reasons.
#define KEPT_FRAMES 16

struct carried *carried_new(void)
{
    return memory_zero(sizeof(struct carried));
}

static void frames_fini(struct carried_frames *f)
{
    memory_free(f->begins);
    memory_free(f->refs);
}

void carried_free(struct carried *c)
{
    if (c) {
        frames_fini(&c->frames);
        frames_fini(&c->content_frames);
        memory_free(c->held.bytes);
        memory_free(c->content.bytes);
        memory_free(c);
    }
}

enum carried_kind carried_kind(const struct carried *c)
{
    return c->kind;
}

void carried_become(struct carried *c, enum carried_kind kind)
{
    c->kind = kind;
    c->state = 0;
    c->scanned = c->line = 0;
}

// Grows by half, and also when more than two thirds are in use: between two moves of the bytes at
// least a third as many are added.
uint8_t *carried_buffer_room(struct carried_buffer *b, uint32_t n)
{
    uint32_t needed = b->n + n;
    if (b->room - b->at < needed) {
        uint8_t *old = b->bytes;
        if (b->room / 3 * 2 < needed) {
            b->room = needed + needed / 2;
            b->bytes = memory_alloc(b->room);
        }
        if (b->n > 0) {
            memmove(b->bytes, old + b->at, b->n);
        }
        if (b->bytes != old) {
            memory_free(old);
        }
        b->at = 0;
    }
    b->n = needed;
    return b->bytes + b->at + needed - n;
}

static void buffer_add(struct carried_buffer *b, const uint8_t *p, uint32_t n)
{
    if (n > 0) {
        memcpy(carried_buffer_room(b, n), p, n);
    }
}

void carried_buffer_clear(struct carried_buffer *b)
{
    b->at = b->n = 0;
    if (b->room > KEPT_ROOM) {
        memory_free(b->bytes);
        *b = (struct carried_buffer){0};
    }
}

void carried_frames_clear(struct carried_frames *f)
{
    f->first = f->count = 0;
    if (f->begins_room > KEPT_FRAMES) {
        frames_fini(f);
        *f = (struct carried_frames){0};
    }
}

// Appends one frame whose bytes begin at `begins`.
static void add_frame(struct carried_frames *f, uint64_t begins, struct packet_ref from)
{
    uint32_t end = f->first + f->count;
    if (f->count > 0 && f->refs[end - 1].at == from.at) {
        return;
    }
    if (f->count == CARRIED_FRAMES_MAX) {
        f->refs[end - 1] = from;
        return;
    }
    if (f->first >= CARRIED_FRAMES_MAX) {
        memmove(f->begins, f->begins + f->first, f->count * sizeof *f->begins);
        memmove(f->refs, f->refs + f->first, f->count * sizeof *f->refs);
        f->first = 0;
        end = f->count;
    }
    if (end == f->begins_room) {
        f->begins = memory_grow(f->begins, &f->begins_room, sizeof *f->begins, 2);
        f->refs = memory_grow(f->refs, &f->refs_room, sizeof *f->refs, 2);
    }
    f->begins[end] = begins;
    f->refs[end] = from;
    f->count++;
}

// The frames of bytes [begin, end): *first to the one before the returned index.
static uint32_t frames_of(const struct carried_frames *f, uint64_t begin, uint64_t end,
                          uint32_t *first)
{
    uint32_t last = f->first + f->count;
    uint32_t i = f->first;
    while (i + 1 < last && f->begins[i + 1] <= begin) {
        i++;
    }
    *first = i;
    for (i++; i < last && f->begins[i] < end; i++) {
    }
    return i;
}

void carried_frames_add(struct carried_frames *to, const struct carried_frames *from,
                        uint64_t begin, uint64_t end)
{
    uint32_t i;
    uint32_t last = frames_of(from, begin, end, &i);
    for (; i < last; i++) {
        add_frame(to, from->begins[i], from->refs[i]);
    }
}

const struct packet_ref *carried_frames_of(const struct carried *c, uint32_t begin, uint32_t end,
                                           uint32_t *count)
{
    uint32_t first;
    *count = frames_of(&c->frames, c->at + begin, c->at + end, &first) - first;
    return c->frames.refs + first;
}

void carried_hand_on(struct carried *c, const struct carried_view *v, uint32_t begin, uint32_t end,
                     struct carried_piece *piece)
{
    piece->bytes = v->p + begin;
    piece->n = end - begin;
    piece->is_borrowed = v->is_borrowed;
    piece->packets = carried_frames_of(c, begin, end, &piece->packet_count);
    c->sink->piece(c->sink->context, piece);
}

bool carried_skip_rest(struct carried *c, uint64_t there, uint64_t length, uint64_t gap)
{
    if (gap == 0 || there > length || gap > length - there) {
        return false;
    }
    c->skip = length - there - gap;
    return true;
}

static bool is_over(const struct carried *c)
{
    return c->kind == CARRIED_TLS || c->kind == CARRIED_OTHER;
}

static bool step(struct carried *c, const struct carried_view *v)
{
    switch (c->kind) {
    case CARRIED_UNKNOWN:
        return carried_unknown_step(c, v);
    case CARRIED_SIP:
        return carried_sip_step(c, v);
    case CARRIED_HTTP:
        return carried_http_step(c, v);
    case CARRIED_WEBSOCKET:
        return carried_ws_step(c, v);
    case CARRIED_HEP:
        return carried_hep_step(c, v);
    case CARRIED_RTP:
        return carried_rtp_step(c, v);
    case CARRIED_TLS:
    case CARRIED_OTHER:
        break;
    }
    return carried_took(c, v->n);
}

void carried_advance(struct carried *c, struct carried_view *v, uint32_t n)
{
    v->p += n;
    v->n -= n;
    c->at += n;
    c->scanned = c->line = 0;
    struct carried_frames *f = &c->frames;
    while (f->count > 1 && f->begins[f->first + 1] <= c->at) {
        f->first++;
        f->count--;
    }
}

void carried_run(struct carried *c, struct carried_view *v)
{
    while (v->n > 0) {
        if (c->skip > 0) {
            uint32_t n = c->skip < v->n ? (uint32_t)c->skip : v->n;
            c->skip -= n;
            c->odd[FLOW_TCP_SKIPPED] += n;
            carried_advance(c, v, n);
        } else if (!step(c, v)) {
            assert(c->need > v->n);
            return;
        } else if (c->used > 0) {
            carried_advance(c, v, c->used);
        }
    }
}

static struct carried_view held_view(const struct carried *c)
{
    const uint8_t *p = c->held.n > 0 ? c->held.bytes + c->held.at : NULL;
    return (struct carried_view){p, c->held.n, false};
}

static void run_held(struct carried *c)
{
    struct carried_view v = held_view(c);
    carried_run(c, &v);
    c->held.at += c->held.n - v.n;
    c->held.n = v.n;
    if (v.n == 0) {
        carried_buffer_clear(&c->held);
    }
}

// Adds to the held bytes what they lack. Returns how many were taken; *enough: a step makes sense.
static uint32_t hold_more(struct carried *c, const struct carried_view *v, bool *enough)
{
    uint32_t lacks = c->need - c->held.n;
    uint32_t n = lacks < v->n ? lacks : v->n;
    *enough = n == lacks;
    uint32_t until = n;
    if (c->until == CARRIED_UNTIL_LF) {
        const uint8_t *lf = memchr(v->p, '\n', n);
        until = lf ? (uint32_t)(lf - v->p) : n;
    } else if (c->until == CARRIED_UNTIL_OTHER) {
        until = carried_crlf_span(v->p, n);
    }
    if (until < n) {
        *enough = true;
        n = until + 1;
    }
    buffer_add(&c->held, v->p, n);
    return n;
}

void carried_bytes(struct carried *c, const uint8_t *p, uint32_t n, struct packet_ref from,
                   bool is_borrowed, const struct carried_sink *sink, uint64_t odd[FLOW_ODD_COUNT])
{
    if (is_over(c) || n == 0) {
        return;
    }
    c->sink = sink;
    c->odd = odd;
    add_frame(&c->frames, c->at + c->held.n, from);
    struct carried_view v = {p, n, is_borrowed};
    while (v.n > 0) {
        if (c->held.n == 0) {
            carried_run(c, &v);
            if (v.n > 0) {
                buffer_add(&c->held, v.p, v.n);
            }
            break;
        }
        bool enough;
        uint32_t taken = hold_more(c, &v, &enough);
        v.p += taken;
        v.n -= taken;
        if (enough) {
            run_held(c);
        }
    }
    if (c->held.n == 0) {
        carried_frames_clear(&c->frames);
    }
}

void carried_broken(struct carried *c, struct carried_view *v, uint64_t gap)
{
    c->scanned = c->line = 0;
    switch (c->kind) {
    case CARRIED_UNKNOWN:
        carried_unknown_broken(c, v, gap);
        break;
    case CARRIED_SIP:
        carried_sip_broken(c, v, gap);
        break;
    case CARRIED_HTTP:
        carried_http_broken(c, v);
        break;
    case CARRIED_WEBSOCKET:
        carried_ws_broken(c, v, gap);
        break;
    case CARRIED_HEP:
    case CARRIED_RTP:
        carried_framed_broken(c, v, gap);
        break;
    case CARRIED_TLS:
    case CARRIED_OTHER:
        break;
    }
}

void carried_gap(struct carried *c, uint64_t n, const struct carried_sink *sink,
                 uint64_t odd[FLOW_ODD_COUNT])
{
    if (is_over(c)) {
        return;
    }
    c->sink = sink;
    c->odd = odd;
    if (c->held.n > 0) {
        run_held(c); // the step that waited for a line end has not seen all
    }
    if (n > 0 && n <= c->skip) {
        c->skip -= n;
        return;
    }
    c->skip = 0;
    struct carried_view v = held_view(c);
    carried_broken(c, &v, n);
    c->at += v.n;
    carried_buffer_clear(&c->held);
    carried_frames_clear(&c->frames);
}

void carried_end(struct carried *c, const struct carried_sink *sink, uint64_t odd[FLOW_ODD_COUNT])
{
    carried_gap(c, 0, sink, odd);
}

// --- memory ---

static size_t allocation(size_t n)
{
    return n > 0 ? n + MEMORY_OVERHEAD : 0;
}

static size_t frames_memory(const struct carried_frames *f)
{
    return allocation(f->begins_room * sizeof *f->begins) +
           allocation(f->refs_room * sizeof *f->refs);
}

size_t carried_memory(const struct carried *c)
{
    return allocation(sizeof *c) + allocation(c->held.room) + allocation(c->content.room) +
           frames_memory(&c->frames) + frames_memory(&c->content_frames);
}

static void give_back(struct carried_buffer *b, struct carried_frames *f)
{
    memory_free(b->bytes);
    frames_fini(f);
    *b = (struct carried_buffer){0};
    *f = (struct carried_frames){0};
}

void carried_slim(struct carried *c)
{
    if (c->held.n == 0) {
        give_back(&c->held, &c->frames);
    }
    if (!c->is_open) {
        give_back(&c->content, &c->content_frames);
    }
}
