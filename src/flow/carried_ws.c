// WebSocket frames and the SIP in them (RFC 6455 5, RFC 7118 5).
//
// A frame waits until it is whole. Its content is handed on where it stands when it is a message of
// its own and not masked; else it is unmasked, and fragments are joined, in the direction's own
// memory. Messages that hold neither SIP nor CRLFs are of no interest.
#include "flow/carried_parts.h"
#include "wire/ws/frame.h"

// Payload of a frame that is passed over by its length. Not smaller: the limit of sip_parse for a
// Content-Length. Not larger: a stream whose frame borders are lost would never find them again.
#define PAYLOAD_MAX (64u << 20)

// SIP messages of one WebSocket message that are handed on. Not smaller: senders join a few though
// RFC 7118 5 allows one. Not larger: each refers to all frames that the whole came in.
#define MESSAGES_MAX 8

enum ws_state {
    WS_BORDER, // a frame begins here
    WS_SEARCH, // for a frame that holds SIP
};

// The content of one message and the frames of the capture that it came in.
struct content {
    struct carried_view bytes;
    const struct packet_ref *packets;
    uint32_t packet_count;
    bool is_cut;
};

static void give(struct carried *c, const struct content *from, struct slice bytes,
                 struct carried_piece *piece)
{
    piece->bytes = (const uint8_t *)bytes.p;
    piece->n = (uint32_t)bytes.n;
    piece->is_borrowed = from->bytes.is_borrowed;
    piece->is_websocket = true;
    piece->packets = from->packets;
    piece->packet_count = from->packet_count;
    c->sink->piece(c->sink->context, piece);
}

static bool begins_sip(struct slice s)
{
    uint32_t n = (uint32_t)s.n;
    uint32_t crlf = carried_crlf_span((const uint8_t *)s.p, n);
    return n > crlf && sip_looks_like(s.p, s.n) &&
           carried_begins_right((const uint8_t *)s.p + crlf, n - crlf) == CARRIED_YES;
}

// Hands on the SIP message that the content is. Several are not allowed, yet some that begin where
// the Content-Length of the one before ends are taken. Returns whether one was incomplete.
static bool deliver(struct carried *c, const struct content *content)
{
    struct slice rest = slice_of((const char *)content->bytes.p, content->bytes.n);
    if (rest.n > 0 && carried_crlf_span(content->bytes.p, content->bytes.n) == rest.n) {
        struct carried_piece piece = {.kind = PIECE_KEEPALIVE};
        give(c, content, rest, &piece);
        return false;
    }
    struct sip_message m;
    bool is_incomplete = false;
    uint32_t count = 0;
    while (count < MESSAGES_MAX && begins_sip(rest) &&
           sip_parse(&m, rest.p, rest.n, SIP_DATAGRAM, content->is_cut) > 0) {
        const char *end = m.raw.p + m.raw.n;
        rest = slice_of(end, (size_t)(rest.p + rest.n - end));
        is_incomplete = content->is_cut && rest.n == 0;
        struct carried_piece piece = {.kind = PIECE_SIP, .is_incomplete = is_incomplete, .sip = &m};
        give(c, content, m.raw, &piece);
        count++;
    }
    c->odd[FLOW_WS_FRAME] += count == MESSAGES_MAX && begins_sip(rest);
    return is_incomplete;
}

// What was joined so far: some bytes.
static struct content collected(const struct carried *c, bool is_cut)
{
    const struct carried_frames *f = &c->content_frames;
    return (struct content){
        {c->content.bytes, c->content.n, false}, f->refs + f->first, f->count, is_cut};
}

static void forget(struct carried *c)
{
    c->is_open = false;
    carried_buffer_clear(&c->content);
    carried_frames_clear(&c->content_frames);
}

// Hands on what is there of a message whose last fragment will not come.
static void give_up(struct carried *c, uint64_t *count)
{
    if (c->content.n > 0) {
        struct content content = collected(c, true);
        *count += deliver(c, &content);
    }
    forget(c);
}

// Adds `n` bytes of payload behind `header` to the message; the bytes of the window up to their end
// brought it.
static void collect(struct carried *c, const struct carried_view *v, const struct ws_frame *f,
                    uint32_t header, uint32_t n)
{
    carried_frames_add(&c->content_frames, &c->frames, c->at, c->at + header + n);
    if (n > 0) {
        ws_unmask(carried_buffer_room(&c->content, n), v->p + header, n, f->mask);
    }
}

static void deliver_in_place(struct carried *c, const struct carried_view *v, uint32_t header,
                             uint32_t n)
{
    struct content content = {.bytes = {v->p + header, n, v->is_borrowed}};
    content.packets = carried_frames_of(c, 0, header + n, &content.packet_count);
    deliver(c, &content);
}

// A frame that cannot be taken is passed over with the fragments that continue it.
static bool pass_over(struct carried *c, const struct ws_frame *f, uint32_t header)
{
    if (!ws_is_control(f)) {
        c->is_ignoring = !f->is_final;
    }
    c->skip = header + f->length;
    return carried_took(c, 0);
}

static bool control(struct carried *c, const struct carried_view *v, const struct ws_frame *f,
                    uint32_t total)
{
    if (v->n < total) {
        return carried_lacks(c, total, CARRIED_UNTIL_ALL);
    }
    if (f->opcode != WS_CLOSE) {
        struct carried_piece piece = {.kind = PIECE_KEEPALIVE, .is_websocket = true};
        carried_hand_on(c, v, 0, total, &piece);
    }
    return carried_took(c, total);
}

// Is there a message for this frame, and room in it? Else says so.
static bool fits(struct carried *c, const struct ws_frame *f)
{
    bool continues = f->opcode == WS_CONTINUATION;
    if (continues && !c->is_open) {
        c->odd[FLOW_WS_FRAME] += !c->is_ignoring;
        return false;
    }
    if (!continues && c->is_open) {
        c->odd[FLOW_WS_FRAME]++;
        give_up(c, &c->odd[FLOW_MESSAGE_INCOMPLETE]);
    }
    if (f->length <= CARRIED_MESSAGE_MAX - c->content.n) {
        return true;
    }
    uint64_t counted = 0; // as too long already
    c->odd[FLOW_MESSAGE_TOO_LONG]++;
    give_up(c, &counted);
    return false;
}

static bool data(struct carried *c, const struct carried_view *v, const struct ws_frame *f,
                 uint32_t header)
{
    if (!fits(c, f)) {
        return pass_over(c, f, header);
    }
    uint32_t n = (uint32_t)f->length;
    if (v->n < header + n) {
        return carried_lacks(c, header + n, CARRIED_UNTIL_ALL);
    }
    c->is_ignoring = false;
    c->odd[FLOW_WS_FRAME] += f->is_padded;
    if (!c->is_open && f->is_final && !f->is_masked) {
        deliver_in_place(c, v, header, n);
        return carried_took(c, header + n);
    }
    collect(c, v, f, header, n);
    c->is_open = !f->is_final;
    if (f->is_final && c->content.n > 0) {
        struct content content = collected(c, false);
        deliver(c, &content);
    }
    if (f->is_final) {
        forget(c);
    }
    return carried_took(c, header + n);
}

static bool lose_borders(struct carried *c)
{
    give_up(c, &c->odd[FLOW_MESSAGE_INCOMPLETE]);
    c->is_ignoring = false;
    c->state = WS_SEARCH;
    return carried_took(c, 0);
}

// A client whose upgrade was refused asks again. "GET " begins no frame.
static enum carried_verdict asks_again(const struct carried *c, const struct carried_view *v)
{
    uint32_t n = v->n < 4 ? v->n : 4;
    if (!c->is_fresh || memcmp(v->p, "GET ", n) != 0) {
        return CARRIED_NO;
    }
    return n == 4 ? CARRIED_YES : CARRIED_MORE;
}

static bool at_border(struct carried *c, const struct carried_view *v)
{
    enum carried_verdict again = asks_again(c, v);
    if (again == CARRIED_MORE) {
        return carried_lacks(c, 4, CARRIED_UNTIL_ALL);
    }
    if (again == CARRIED_YES) {
        carried_become(c, CARRIED_HTTP);
        return carried_took(c, 0);
    }
    struct ws_frame f;
    int header = ws_frame_read(&f, v->p, v->n);
    if (header == 0) {
        return carried_lacks(c, v->n + 1, CARRIED_UNTIL_ALL);
    }
    c->is_fresh = false;
    if (header < 0 || f.length > PAYLOAD_MAX) {
        c->odd[FLOW_WS_FRAME]++;
        return lose_borders(c);
    }
    if (f.rsv != 0) {
        c->odd[FLOW_WS_FRAME]++;
        if (!ws_is_control(&f) && c->is_open) {
            give_up(c, &c->odd[FLOW_MESSAGE_INCOMPLETE]);
        }
        return pass_over(c, &f, (uint32_t)header);
    }
    if (ws_is_control(&f)) {
        return control(c, v, &f, (uint32_t)header + (uint32_t)f.length);
    }
    return data(c, v, &f, (uint32_t)header);
}

bool carried_ws_step(struct carried *c, const struct carried_view *v)
{
    if (c->state == WS_BORDER) {
        return at_border(c, v);
    }
    enum carried_want found;
    uint32_t pass;
    enum carried_verdict verdict =
        carried_seek(c, v->p, v->n, CARRIED_WANT_WS, false, &found, &pass);
    if (verdict == CARRIED_MORE) {
        return false;
    }
    if (verdict == CARRIED_YES) {
        c->state = WS_BORDER;
        return carried_took(c, 0);
    }
    c->odd[FLOW_TCP_SKIPPED] += pass;
    return carried_took(c, pass);
}

void carried_ws_broken(struct carried *c, const struct carried_view *v, uint64_t gap)
{
    struct ws_frame f;
    int header = c->state == WS_BORDER ? ws_frame_read(&f, v->p, v->n) : 0;
    if (header <= 0) {
        c->odd[FLOW_TCP_SKIPPED] += c->state == WS_SEARCH ? v->n : 0;
        lose_borders(c);
        return;
    }
    // The step has refused what is no frame, so the header can be believed.
    bool is_known = carried_skip_rest(c, v->n, (uint32_t)header + f.length, gap);
    if (!ws_is_control(&f)) {
        collect(c, v, &f, (uint32_t)header, v->n - (uint32_t)header);
        give_up(c, &c->odd[FLOW_MESSAGE_INCOMPLETE]);
        c->is_ignoring = !f.is_final;
    }
    if (!is_known) {
        lose_borders(c);
    }
}
