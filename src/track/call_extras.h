// What few calls have: transfers, digits by INFO, reports of endpoints, a session timer, several
// hops. Kept beside the call, in the arena of its bin, and made when the first of it comes.
#ifndef SIDETONE_TRACK_CALL_EXTRAS_H
#define SIDETONE_TRACK_CALL_EXTRAS_H

#include "track/call.h"
#include "wire/sip/links.h"
#include "wire/sip/media_report.h"

// --- transfers (call_transfer.c) ---

// Transfers of one call that are kept. Not smaller: attendants pass a caller on several times. Not
// larger: who sends REFER for ever must not grow memory.
#define CALL_TRANSFERS_MAX 8
// Statuses of one transfer. Not smaller: 100, 180, 183 and 200, some more with forks. Not larger:
// as above; the last one is the newest then.
#define CALL_STATUSES_MAX 8

// A REFER and what its NOTIFYs said (RFC 3515).
struct call_transfer {
    struct call_transfer *next;
    struct slice refer_to;         // its URI, with its headers
    struct sip_dialog_name target; // that a Replaces in it names (RFC 3891); no Call-ID: none
    int64_t time_ns;               // of the REFER
    uint64_t cseq;                 // of the REFER: the id of its notifications (RFC 3515 2.4.6)
    uint64_t notify_cseq;          // of the newest notification
    int64_t made; // position of the call that came of it, set by the join; -1: none
    uint8_t by;   // who asked for it
    bool is_notified;
    uint16_t status_count;
    uint16_t statuses[CALL_STATUSES_MAX]; // each that differed from the one before
};

// --- digits by INFO (call_digits.c) ---

// Digits that are kept. Not smaller: card numbers with their menus. Not larger: as above.
#define CALL_DIGITS_MAX 128

struct call_digits {
    uint16_t count;
    uint8_t newest_by; // who sent the newest one
    uint64_t cseq[2];  // of the newest INFO of caller and callee, plus one
    char text[CALL_DIGITS_MAX];
};

// --- reports of endpoints (call_reports.c) ---

// Reports of one call that are kept. Not smaller: both ends at the end, and one a minute while the
// call is up (RFC 6035 4.1). Not larger: as above; the last place is the newest one's then.
#define CALL_REPORTS_MAX 32

enum call_report_format {
    CALL_REPORT_VQ, // application/vq-rtcpxr
    CALL_REPORT_X,  // X-RTP-Stat
    CALL_REPORT_P,  // P-RTP-Stat
    CALL_REPORT_RX, // RTP-RxStat
    CALL_REPORT_TX, // RTP-TxStat
};

struct call_report {
    struct call_report *next;
    struct order order;
    uint32_t mark; // of its message: the same at another hop
    enum call_report_format format;
    uint8_t by;        // BY_CALLER, BY_CALLEE; 0: not known (yet)
    bool is_of_remote; // RemoteMetrics: measured by the other endpoint
    struct endpoint src;
    // Of a body that names its call: the Call-ID, and the URI of the user whose endpoint reports.
    struct kept_text about, local_id;
    struct kept_text local, remote; // addresses
    struct kept_text codec;
    struct media_report numbers; // its texts mean nothing
};

// --- the session timer (call_timer.c) ---

// RFC 4028: what the newest 2xx to an INVITE or UPDATE agreed on.
struct call_timer {
    int64_t interval_ns; // 0: none
    int64_t since_ns;    // time of that 2xx
    uint64_t at, bye_at; // order.at of it, and of the BYE
    uint64_t cseq;
    uint8_t by;
    bool is_said; // the BYE has a Reason that says that it ran out
};

// --- hops (call_hops.c) ---

struct call_trace;

struct call_extras {
    struct call_transfer *transfers;
    struct call_digits *digits;
    struct call_report *reports; // in capture order
    struct call_trace *trace;
    struct call_timer timer;
    uint16_t transfer_count; // with those that are not kept
    uint16_t report_count;
};

// What the call was asked to pass on, in order; NULL: nothing.
static inline struct call_transfer *call_transfers(const struct call *c)
{
    return c->extras ? c->extras->transfers : NULL;
}

// Those of a call, made where it has none.
struct call_extras *call_extras_of(struct call *c, struct arena *arena);

// Takes a message apart once more where it has something for the extras. `mark`: see call.h.
void call_extras_message(struct call *c, struct arena *arena, const struct sip_record *m,
                         uint8_t by, uint32_t mark);

// The parts of that. `full`: m parsed.
void call_transfer_message(struct call *c, struct arena *arena, const struct sip_record *m,
                           const struct sip_message *full, uint8_t by);
void call_digits_message(struct call *c, struct arena *arena, const struct sip_record *m,
                         const struct sip_message *full, uint8_t by);
void call_digits_refused(struct call *c, const struct sip_record *m, uint8_t by);
void call_reports_message(struct call *c, struct arena *arena, const struct sip_record *m,
                          const struct sip_message *full, uint8_t by, uint32_t mark);

// A 2xx to an INVITE or UPDATE; the first BYE.
void call_timer_refresh(struct call *c, struct arena *arena, const struct sip_record *m,
                        uint8_t by);
void call_timer_bye(struct call *c, struct arena *arena, const struct sip_record *m);

// How the session timer of a call ran out (RFC 4028 10): with the BYE, by what its Reason says or
// by when it came; or without one, before `now_ns`.
enum call_lapse {
    LAPSE_NONE,
    LAPSE_BYE,
    LAPSE_NO_BYE,
};
enum call_lapse call_timer_lapse(const struct call *c, int64_t now_ns);

#endif
