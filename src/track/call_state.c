// From facts to the state of a call: one table for each kind, the first row that fits decides.
#include "track/call.h"

struct state_row {
    uint32_t facts;
    enum call_state state;
};

// RFC 3261 13, 15; RFC 5407 for crossings. A CANCEL wins only where no final of another kind was
// seen.
static const struct state_row CALL_ROWS[] = {
    {FACT_ANSWERED | FACT_RELEASED, STATE_ENDED},
    {FACT_ANSWERED, STATE_ANSWERED},
    {FACT_START | FACT_BYE, STATE_ENDED}, // 15.1.1: a BYE ends an early dialog too
    {FACT_BYE_OK, STATE_ENDED},
    {FACT_REDIRECTED, STATE_REDIRECTED},
    {FACT_BUSY, STATE_BUSY},
    {FACT_CANCELLED, STATE_CANCELLED},
    {FACT_FAILED, STATE_FAILED},
    {FACT_CHALLENGED, STATE_FAILED},
    {FACT_CANCEL, STATE_CANCELLED},
    {FACT_START | FACT_PROGRESS, STATE_RINGING},
    {FACT_START, STATE_CALLING},
    {0, STATE_PARTIAL},
};

// RFC 3261 10.
static const struct state_row REGISTRATION_ROWS[] = {
    {FACT_CHALLENGED, STATE_FAILED},
    {FACT_FAILED, STATE_FAILED},
    {FACT_REMOVED, STATE_UNREGISTERED},
    {FACT_ANSWERED, STATE_REGISTERED},
    {0, STATE_REGISTERING},
};

// RFC 6665 4.1.2.
static const struct state_row SUBSCRIPTION_ROWS[] = {
    {FACT_TERMINATED, STATE_TERMINATED},
    {FACT_CHALLENGED, STATE_FAILED},
    {FACT_FAILED, STATE_FAILED},
    {FACT_ANSWERED, STATE_ACTIVE},
    {0, STATE_PENDING},
};

static const struct state_row OTHER_ROWS[] = {
    {FACT_CHALLENGED, STATE_FAILED},
    {FACT_FAILED, STATE_FAILED},
    {FACT_ANSWERED, STATE_ANSWERED},
    {0, STATE_WAITING},
};

static const struct state_row *const ROWS[KIND_COUNT] = {
    [KIND_CALL] = CALL_ROWS,     [KIND_REGISTRATION] = REGISTRATION_ROWS,
    [KIND_OPTIONS] = OTHER_ROWS, [KIND_SUBSCRIPTION] = SUBSCRIPTION_ROWS,
    [KIND_MESSAGE] = OTHER_ROWS, [KIND_PUBLISH] = OTHER_ROWS,
    [KIND_OTHER] = OTHER_ROWS,
};

enum call_state call_state_of(enum call_kind kind, uint32_t facts)
{
    const struct state_row *row = ROWS[kind];
    while ((row->facts & facts) != row->facts) {
        row++;
    }
    return row->state;
}

enum call_state call_state(const struct call *c)
{
    return call_state_of(c->kind, c->facts);
}

enum call_fact call_fact_of(uint16_t code)
{
    if (code < 300) {
        return FACT_ANSWERED;
    }
    if (code < 400) {
        return FACT_REDIRECTED;
    }
    if (code == 486 || code == 600) {
        return FACT_BUSY;
    }
    if (code == 487) {
        return FACT_CANCELLED;
    }
    return call_may_retry(code) ? FACT_CHALLENGED : FACT_FAILED;
}

bool call_may_retry(uint16_t code)
{
    return (code >= 300 && code < 400) || code == 401 || code == 407 || code == 422 || code == 423;
}

enum call_kind call_kind_of(enum sip_method method)
{
    switch (method) {
    case SIP_INVITE:
    case SIP_ACK:
    case SIP_BYE:
    case SIP_CANCEL:
    case SIP_PRACK:
    case SIP_UPDATE:
        return KIND_CALL;
    case SIP_REGISTER:
        return KIND_REGISTRATION;
    case SIP_SUBSCRIBE:
    case SIP_NOTIFY:
        return KIND_SUBSCRIPTION;
    case SIP_OPTIONS:
        return KIND_OPTIONS;
    case SIP_MESSAGE:
        return KIND_MESSAGE;
    case SIP_PUBLISH:
        return KIND_PUBLISH;
    case SIP_INFO:
    case SIP_REFER:
    case SIP_METHOD_OTHER:
    case SIP_METHOD_COUNT:
        break;
    }
    return KIND_OTHER;
}

const char *call_kind_name(enum call_kind k)
{
    static const char *const NAMES[KIND_COUNT] = {
        "call", "registration", "subscription", "options", "message", "publish", "other"};
    return NAMES[k];
}

const char *call_state_name(enum call_state s)
{
    static const char *const NAMES[STATE_COUNT] = {
        "partial", "calling",    "ringing",    "answered",    "ended",      "cancelled",
        "busy",    "redirected", "failed",     "registering", "registered", "unregistered",
        "pending", "active",     "terminated", "waiting"};
    return NAMES[s];
}

bool call_is_open(const struct call *c)
{
    enum call_state s = call_state(c);
    return s == STATE_CALLING || s == STATE_RINGING || s == STATE_ANSWERED || s == STATE_PARTIAL;
}

unsigned call_branches_heard(const struct call *c)
{
    unsigned n = 0;
    for (const struct call_branch *b = c->branches; b; b = b->next) {
        n += !b->is_only_named;
    }
    return n;
}

// Is anything still to come of the first INVITE?
static bool is_undecided(const struct call *c)
{
    enum call_state state = call_state(c);
    return state == STATE_CALLING || state == STATE_RINGING || state == STATE_PARTIAL;
}

// A phone that rang when another one was answered, or all was over, rings no more (RFC 3261
// 13.2.2.4), although nobody tells the caller of it.
const char *call_branch_state(const struct call *c, const struct call_branch *b)
{
    if (b->final_code == 0) {
        return b->is_ended || !is_undecided(c) ? "ended" : "ringing";
    }
    if (b->final_code < 300) {
        return b->is_ended ? "ended" : "answered";
    }
    return call_state_name(call_state_of(KIND_CALL, call_fact_of(b->final_code)));
}
