// What the files of carried.h share: the bytes that are not decided yet (the window), the frames
// that they came in, and one step function for each kind of stream.
//
// The one rule that everything here keeps: what is handed on depends on the bytes and the gaps, not
// on how the bytes were cut into calls. So each step looks at the window and either decides
// something that no further byte could change, or asks for more bytes.
#ifndef SIDETONE_FLOW_CARRIED_PARTS_H
#define SIDETONE_FLOW_CARRIED_PARTS_H

#include "flow/carried.h"

#include <assert.h>

// Frames that one message refers to. Not smaller: a message of CARRIED_MESSAGE_MAX in segments of
// 1,460 bytes takes 719. Not larger: segments of one byte would cost 24 times their size. What
// comes in more frames refers to its last one instead of those beyond.
#define CARRIED_FRAMES_MAX 1024

// Bytes in which a line must end. Not smaller: URIs of some kB are seen, and sip_parse allows as
// much. Not larger: what has no line end is held that long.
#define CARRIED_LINE_MAX 65536

// Bytes of a stream of unknown kind that are looked at. Not smaller: the body in the middle of
// which a capture begins may be long. Not larger: most streams carry something else.
#define CARRIED_SEARCH_MAX 65536

// Bytes of one keep-alive piece. Not smaller: a ping is four, and the frames of a run that takes
// hours should stay together. Not larger: it is held until another byte ends it.
#define CARRIED_CRLF_MAX 256

enum carried_until { // what the window lacks may be there before it has all bytes it needs: with
    CARRIED_UNTIL_ALL,
    CARRIED_UNTIL_LF,    // the next LF
    CARRIED_UNTIL_OTHER, // the next byte that is neither CR nor LF
};

enum carried_verdict { // do bytes begin something?
    CARRIED_NO = -1,
    CARRIED_MORE = 0, // more bytes are needed to tell
    CARRIED_YES = 1,
};

// The window: from the first byte that is not decided on.
struct carried_view {
    const uint8_t *p;
    uint32_t n;
    bool is_borrowed;
};

// Frames and where in the stream the bytes of each begin. Both arrays from `first` on.
struct carried_frames {
    uint64_t *begins;
    struct packet_ref *refs;
    uint32_t first, count, begins_room, refs_room;
};

// Bytes that were copied: from `at` on.
struct carried_buffer {
    uint8_t *bytes;
    uint32_t at, n, room;
};

struct carried {
    enum carried_kind kind;
    uint8_t state;    // each kind has its own enum; 0 is where it begins
    uint8_t until;    // enum carried_until
    bool is_at_line;  // while searching: the window begins a line
    bool is_in_line;  // while searching: or it begins behind other text of one
    bool after_gap;   // CARRIED_UNKNOWN: the beginning was not captured
    bool lies;        // SIP: the body is searched for a start line, see carried_sip.c
    bool is_open;     // WebSocket: the first fragments of a message are in `content`
    bool is_fresh;    // WebSocket: no frame has come since the upgrade
    bool is_ignoring; // WebSocket: up to the last fragment of a message that was given up
    uint32_t need;    // bytes of the window below which no step makes sense
    uint32_t used;    // what the last step takes off the window
    uint32_t scanned; // bytes of the window that hold no further line end
    uint32_t line;    // where the line begins in which the scan stands
    uint64_t length;  // SIP: of the message, as it says; beyond the limit: what is left of it
    uint64_t skip;    // bytes to pass over
    uint64_t at;      // of the window's first byte in the stream
    uint32_t searched;
    struct carried_buffer held;    // the window between calls
    struct carried_buffer content; // WebSocket: unmasked, of one message
    struct carried_frames frames;  // of the window
    struct carried_frames content_frames;
    // Those of the call.
    const struct carried_sink *sink;
    uint64_t *odd;
};

// How steps return: what they take (0: only the state is another), or what they lack.
static inline bool carried_took(struct carried *c, uint32_t used)
{
    c->used = used;
    return true;
}

static inline bool carried_lacks(struct carried *c, uint32_t need, enum carried_until until)
{
    c->need = need;
    c->until = (uint8_t)until;
    return false;
}

// A step takes v->n > 0 bytes and returns false where it lacks some. `broken`: after what is left
// in *v (maybe nothing) `gap` bytes are missing, or it is not known how many (0), or the stream
// ends.
bool carried_unknown_step(struct carried *c, const struct carried_view *v);
void carried_unknown_broken(struct carried *c, struct carried_view *v, uint64_t gap);
bool carried_sip_step(struct carried *c, const struct carried_view *v);
void carried_sip_broken(struct carried *c, const struct carried_view *v, uint64_t gap);
bool carried_http_step(struct carried *c, const struct carried_view *v);
void carried_http_broken(struct carried *c, const struct carried_view *v);
bool carried_ws_step(struct carried *c, const struct carried_view *v);
void carried_ws_broken(struct carried *c, const struct carried_view *v, uint64_t gap);
bool carried_hep_step(struct carried *c, const struct carried_view *v);
bool carried_rtp_step(struct carried *c, const struct carried_view *v);
// Of HEP and RTP.
void carried_framed_broken(struct carried *c, struct carried_view *v, uint64_t gap);

// The state in which a SIP message begins, found by searching at p: its start line takes `line`
// bytes.
void carried_sip_found(struct carried *c, const uint8_t *p, uint32_t line);

// --- carried.c ---

void carried_become(struct carried *c, enum carried_kind kind);

// Takes n bytes off the window.
void carried_advance(struct carried *c, struct carried_view *v, uint32_t n);

// Steps as far as the window goes; *v is what is left of it.
void carried_run(struct carried *c, struct carried_view *v);
void carried_broken(struct carried *c, struct carried_view *v, uint64_t gap);

// Room for n bytes more at the end, which count from now on.
uint8_t *carried_buffer_room(struct carried_buffer *b, uint32_t n);
void carried_buffer_clear(struct carried_buffer *b);
void carried_frames_clear(struct carried_frames *f);

// Appends what of `from` bytes [begin, end) of the stream came in.
void carried_frames_add(struct carried_frames *to, const struct carried_frames *from,
                        uint64_t begin, uint64_t end);

// The frames that bytes [begin, end) of the window came in.
const struct packet_ref *carried_frames_of(const struct carried *c, uint32_t begin, uint32_t end,
                                           uint32_t *count);

// Hands on bytes [begin, end) of the window, which all came in its frames; the caller has filled
// everything but `bytes`, `n` and the frames.
void carried_hand_on(struct carried *c, const struct carried_view *v, uint32_t begin, uint32_t end,
                     struct carried_piece *piece);

// Where the gap ends inside the `length` bytes of which `there` are there, what is left of them is
// passed over. Returns false where it does not, or nobody knows.
bool carried_skip_rest(struct carried *c, uint64_t there, uint64_t length, uint64_t gap);

// --- carried_search.c ---

static inline bool carried_is_crlf(uint8_t c)
{
    return c == '\r' || c == '\n';
}

// How many of n bytes are CRs and LFs before any other.
static inline uint32_t carried_crlf_span(const uint8_t *p, uint32_t n)
{
    uint32_t at = 0;
    while (at < n && carried_is_crlf(p[at])) {
        at++;
    }
    return at;
}

// Hands on the CRLFs at the beginning of the window once it is known where they end; `all`: they
// end with it.
bool carried_crlf_step(struct carried *c, const struct carried_view *v, bool all);

// End of the header lines whose first line begins at c->line: the offset behind the empty line, 0
// where it is not there yet.
uint32_t carried_head_end(struct carried *c, const uint8_t *p, uint32_t n);

// A WebSocket frame whose content begins a SIP message.
enum carried_verdict carried_ws_begins(const uint8_t *p, uint32_t n);

enum carried_want { // bits
    CARRIED_WANT_SIP = 1,
    CARRIED_WANT_WS = 2,
    CARRIED_WANT_HTTP = 4, // not with CARRIED_WANT_SIP
};

// Does what is wanted begin with the window? CARRIED_NO: *pass bytes can be passed over before it
// is worth asking again. `whole`: nothing follows, so that more is no answer.
enum carried_verdict carried_seek(struct carried *c, const uint8_t *p, uint32_t n, int want,
                                  bool whole, enum carried_want *found, uint32_t *pass);

// --- carried_http.c ---

// A first line of HTTP, without its end.
bool carried_is_http(struct slice line);

// The same of bytes that may not have all of it.
enum carried_verdict carried_http_line(const uint8_t *p, uint32_t n);

// --- carried_start.c ---

// "INVITE sip:bob@example.com SIP/2.0" CRLF or "SIP/2.0 200 OK" CRLF; *line: its bytes.
enum carried_verdict carried_start_line(const uint8_t *p, uint32_t n, uint32_t *line);

// The same with the name of a header field and its colon after it.
enum carried_verdict carried_start(const uint8_t *p, uint32_t n, uint32_t *line);

// May a message of SIP begin so? A method is a token here: what a wrong Content-Length leaves of a
// start line is none.
enum carried_verdict carried_begins_right(const uint8_t *p, uint32_t n);

// Bytes before a request with a known method in the first line, which is there and begins with no
// known one: the end of a body whose Content-Length was too small. 0: none. Upper-case letters
// alone are part of a method.
uint32_t carried_glued(const uint8_t *p, uint32_t n);

// Bytes up to a start line that may stand in this line, behind other text; else behind the line.
uint32_t carried_pass_line(const uint8_t *p, uint32_t line);

// --- carried_framed.c ---

// Two frames of RFC 4571. *need: bytes without which it makes no sense to ask again.
enum carried_verdict carried_rtp_begins(const uint8_t *p, uint32_t n, bool whole, uint32_t *need);

#endif
