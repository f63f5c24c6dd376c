// A call, registration, subscription or other exchange as an observer sees it (docs/json.md, "A
// call").
//
// Comes in: SIP message records in capture order. Goes out: facts, times, counts. An observer
// misses halves, so nothing here is a machine that must be stepped: messages add facts, and the
// state follows from the facts by a table (call_state.c), in whatever order they came. Memory: the
// bin's arena, about 500 bytes a call and its texts.
#ifndef SIDETONE_TRACK_CALL_H
#define SIDETONE_TRACK_CALL_H

#include "base/kept_text.h"
#include "track/call_lines.h"
#include "track/call_links.h"

enum call_kind {
    KIND_CALL,
    KIND_REGISTRATION,
    KIND_SUBSCRIPTION,
    KIND_OPTIONS,
    KIND_MESSAGE,
    KIND_PUBLISH,
    KIND_OTHER,
    KIND_COUNT,
};

enum call_state {
    STATE_PARTIAL,
    STATE_CALLING,
    STATE_RINGING,
    STATE_ANSWERED,
    STATE_ENDED,
    STATE_CANCELLED,
    STATE_BUSY,
    STATE_REDIRECTED,
    STATE_FAILED,
    STATE_REGISTERING,
    STATE_REGISTERED,
    STATE_UNREGISTERED,
    STATE_PENDING,
    STATE_ACTIVE,
    STATE_TERMINATED,
    STATE_WAITING,
    STATE_COUNT,
};

// What was seen. The state is the first row of the kind's table whose facts are all there.
enum call_fact {
    FACT_START = 1 << 0,    // the first request itself
    FACT_PROGRESS = 1 << 1, // 18x
    FACT_ANSWERED = 1 << 2, // a 2xx to the first request
    FACT_RELEASED = 1 << 3, // every answered branch got its BYE
    FACT_BYE = 1 << 4,
    FACT_BYE_OK = 1 << 5, // a BYE was answered
    FACT_CANCEL = 1 << 6,
    FACT_REDIRECTED = 1 << 7,  // 3xx
    FACT_BUSY = 1 << 8,        // 486, 600
    FACT_CANCELLED = 1 << 9,   // 487
    FACT_FAILED = 1 << 10,     // other finals
    FACT_CHALLENGED = 1 << 11, // 401, 407 and others ask for another try, which has not come yet
    FACT_REMOVED = 1 << 12,    // a registration's contacts are gone
    FACT_TERMINATED = 1 << 13, // a subscription's end
    FACT_ACKED = 1 << 14,      // the 2xx was acknowledged
};

// What a person should know of this call; texts in judge/.
enum call_note {
    NOTE_START_NOT_SEEN = 1 << 0,
    NOTE_CALL_ID_REUSED = 1 << 1,
    NOTE_CANCEL_TOO_LATE = 1 << 2,
    NOTE_CHANGE_REFUSED = 1 << 3, // a re-INVITE or UPDATE failed
    NOTE_RESPONSE_FIRST = 1 << 4, // an answer to its INVITE was captured before that
};

enum {
    BY_CALLER = 1,
    BY_CALLEE = 2
};

struct call_branch {
    struct call_branch *next;
    struct kept_text to_tag;
    uint16_t final_code; // 0: none
    bool is_ended;
    bool is_only_named; // by a BYE; nothing with this tag came back for an INVITE (yet)
};

struct call_hop {
    struct call_hop *next;
    struct endpoint src, dst;
    uint32_t messages;
    uint8_t index;  // among the hops of the call, in order of appearance
    bool to_caller; // the first message went from the callee's side to the caller's
};

struct call_contact {
    struct call_contact *next;
    struct kept_text uri;
    int64_t expires_s; // -1: not said
};

struct call_agent {
    struct call_agent *next;
    struct slice text;
};

struct call_tag {
    struct call_tag *next;
    struct kept_text tag;
};

// An INVITE of the caller, as often as it was sent again. TIME_NOT_SEEN: not seen.
struct call_attempt {
    struct call_attempt *next;
    uint64_t cseq;
    uint32_t branch_mark; // of the Via branch of its INVITE, where that was seen first
    struct kept_text tag;
    int64_t begun_ns, trying_ns, progress_ns, ringing_ns;
};

// Limits of what one call keeps. Not smaller: forks, proxies and phones of real networks stay
// below. Not larger: a stranger who sends one Call-ID for ever must not grow memory. Beyond:
// counted, not kept.
#define CALL_BRANCHES_MAX 32
#define CALL_HOPS_MAX     32
#define CALL_CONTACTS_MAX 16
#define CALL_AGENTS_MAX   8
#define CALL_ATTEMPTS_MAX 8
#define CALL_TAGS_MAX     8
#define CALL_SEEN_MAX     64 // newest messages that a retransmission is looked for among
#define CALL_ANSWERED_MAX 8  // INVITEs, each with a branch of its own, that a 2xx answers

struct call {
    struct call *former; // of the same Call-ID and caller, or NULL
    struct kept_text caller_tag;
    struct call_tag *former_tags; // before retries with another tag, newest first
    struct kept_text reason;
    struct slice call_id, method_text, from, to, request_uri;
    struct call_links *links; // what ties it to other calls; NULL: nothing was seen
    struct endpoint src, dst; // in the caller's direction
    const struct path *path;  // of its first message; NULL: none
    struct icmp_seen icmp;
    bool began_inside;   // its first message was no first request
    bool shares_id;      // other calls of its bin have its Call-ID
    uint8_t transport;   // of its first message
    uint32_t index;      // in its bin
    uint32_t position;   // in the report, set by the join
    uint32_t first_part; // among the messages of the packet of `first`
    enum call_kind kind;
    enum sip_method method;
    uint32_t facts, notes;
    uint16_t final_code;
    uint8_t ended_by; // who sent the first BYE; both when they crossed
    uint32_t messages, retransmissions, duplicates, attempts;
    struct order first;
    int64_t start_ns, end_ns;
    uint64_t change_cseq; // of the caller's newest INVITE inside the dialog; UINT64_MAX: none
    struct call_attempt current; // the attempt that counts; of other kinds: the newest request
    // given up for another one that was sent while they were open, or sent beside the one that was
    // answered
    struct call_attempt *others;
    int64_t answered_ns, final_ns, bye_ns;         // TIME_NOT_SEEN
    uint64_t final_at, cancel_at, refused_at;      // order.at of these packets
    struct call_branch *branches, *spare_branches; // spare: of attempts before
    struct call_hop *hops;
    struct call_contact *contacts;
    struct call_agent *agents;
    struct call_media *media; // NULL: no offer or answer was seen
    uint16_t branch_count, hop_count, contact_count, agent_count, other_count, former_tag_count;
    uint64_t *seen; // fingerprints, a ring of at most CALL_SEEN_MAX
    uint16_t seen_count, seen_room, seen_next;
    uint8_t answered_count;
    uint32_t answered;          // mark of the branch that a 2xx answered
    uint32_t *also_answered;    // those of the others, CALL_ANSWERED_MAX - 1 at the most
    bool last_goes_back;        // the newest message went from the first hop's dst to its src
    bool removes;               // the newest REGISTER takes all its contacts back
    uint32_t last_mark;         // of the newest message, while there is one hop
    int64_t last_ns;            // likewise
    struct call_extras *extras; // NULL: none (call_extras.h)
};

const char *call_kind_name(enum call_kind k);
const char *call_state_name(enum call_state s);
enum call_kind call_kind_of(enum sip_method method);
enum call_state call_state(const struct call *c);
enum call_state call_state_of(enum call_kind kind, uint32_t facts);
bool call_is_open(const struct call *c); // of KIND_CALL: nothing was seen that ends it
// Branches that answered with more than 100, the others do not count: two or more are a fork.
unsigned call_branches_heard(const struct call *c);
const char *call_branch_state(const struct call *c, const struct call_branch *b);

// What a final response to the first request means for the state.
enum call_fact call_fact_of(uint16_t code);

// Does this final ask the caller to try again with the same Call-ID? (RFC 3261 8.1.3.4-5, 22; RFC
// 4028 7.4)
bool call_may_retry(uint16_t code);

// Folds one message that belongs to c. Its mark is equal for the same message at every hop. `by`:
// whose transaction it is (BY_CALLER, BY_CALLEE). Not for capture copies. Returns true where the
// message is news (not a retransmission).
bool call_message(struct call *c, struct arena *arena, const struct sip_record *m, uint8_t by);

// What was taken for another exchange is a call that was met in its middle.
void call_become_call(struct call *c);

// Would this request without To tag be one more attempt of c, or its retransmission? Else it begins
// another call.
bool call_is_attempt(const struct call *c, const struct sip_record *m);

// The registration's or subscription's part of the fold (call_binding.c).
void call_binding_message(struct call *c, struct arena *arena, const struct sip_record *m);

#endif
