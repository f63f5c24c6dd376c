// What group a call or a stream belongs to: the key by each of the fields that users group by.
#include "count/stats_parts.h"

#include "wire/address.h"
#include "wire/sip/sip.h"

#include <stdio.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

static const char *const NAMES[SIDETONE_GROUP_BY_COUNT] = {
    [SIDETONE_GROUP_BY_SRC] = "src",
    [SIDETONE_GROUP_BY_DST] = "dst",
    [SIDETONE_GROUP_BY_FROM_HOST] = "from_host",
    [SIDETONE_GROUP_BY_TO_HOST] = "to_host",
    [SIDETONE_GROUP_BY_FROM_USER] = "from_user",
    [SIDETONE_GROUP_BY_TO_USER] = "to_user",
    [SIDETONE_GROUP_BY_USER_AGENT] = "user_agent",
    [SIDETONE_GROUP_BY_METHOD] = "method",
    [SIDETONE_GROUP_BY_KIND] = "kind",
    [SIDETONE_GROUP_BY_STATE] = "state",
    [SIDETONE_GROUP_BY_FINAL_CODE] = "final_code",
    [SIDETONE_GROUP_BY_TRANSPORT] = "transport",
    [SIDETONE_GROUP_BY_CODEC] = "codec",
    [SIDETONE_GROUP_BY_ENDED_BY] = "ended_by",
    [SIDETONE_GROUP_BY_MINUTE] = "minute",
    [SIDETONE_GROUP_BY_HOUR] = "hour",
    [SIDETONE_GROUP_BY_PREFIX] = "prefix",
};

const char *sidetone_group_by_name(enum sidetone_group_by by)
{
    return (unsigned)by < SIDETONE_GROUP_BY_COUNT ? NAMES[by] : NULL;
}

static struct slice address_key(const struct sidetone_endpoint *e, struct stats_key_room *room)
{
    struct address a = address_v6(e->address);
    return slice_of(room->text, address_is_zero(a) ? 0 : address_text(a, room->text));
}

// Hosts are compared without case (RFC 3261 19.1.4). One that is longer than names can be stays as
// it is.
static struct slice host_key(struct sidetone_text uri, struct stats_key_room *room)
{
    struct sip_uri parts;
    (void)sip_uri(stats_slice(uri), &parts); // what can be read is filled
    if (parts.host.n > sizeof room->text) {
        return parts.host;
    }
    for (size_t i = 0; i < parts.host.n; i++) {
        room->text[i] = ascii_lower(parts.host.p[i]);
    }
    return slice_of(room->text, parts.host.n);
}

static struct slice user_key(struct sidetone_text uri)
{
    struct sip_uri parts;
    struct slice user, params;
    (void)sip_uri(stats_slice(uri), &parts);
    slice_cut(parts.user, ';', &user, &params);
    return user;
}

// The first digits of a number without its visual separators (RFC 3966 3); nothing of what is no
// number: a name, or a service code that begins with '*'.
static struct slice prefix_key(const struct sidetone_call *c, unsigned digits,
                               struct stats_key_room *room)
{
    struct slice user = user_key(c->request_uri.n > 0 ? c->request_uri : c->to);
    size_t n = 0;
    unsigned seen = 0;
    for (size_t i = 0; i < user.n; i++) {
        char at = user.p[i];
        bool is_digit = at >= '0' && at <= '9';
        if (is_digit && seen < digits) {
            room->text[n++] = at;
            seen++;
        } else if (at == '+' && i == 0) {
            room->text[n++] = at;
        } else if (!is_digit && at != '-' && at != '.' && at != '(' && at != ')') {
            return slice_of(room->text, 0);
        }
    }
    return slice_of(room->text, seen > 0 ? n : 0);
}

static struct slice code_key(uint16_t code, struct stats_key_room *room)
{
    int n = code > 0 ? snprintf(room->text, sizeof room->text, "%u", code) : 0;
    return slice_of(room->text, (size_t)n);
}

// "2023-11-14T22:13Z", or "2023-11-14T22Z" without the minute.
static struct slice time_key(int64_t ns, bool with_minute, struct stats_key_room *room)
{
    struct tm t;
    time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
    if (ns == SIDETONE_UNKNOWN || !gmtime_r(&seconds, &t)) {
        return slice_of(room->text, 0);
    }
    return slice_of(room->text, strftime(room->text, sizeof room->text,
                                         with_minute ? "%Y-%m-%dT%H:%MZ" : "%Y-%m-%dT%HZ", &t));
}

struct slice stats_call_key(const struct sidetone_stats_options *o, const struct sidetone_call *c,
                            struct slice codec, struct stats_key_room *room)
{
    switch (o->group_by) {
    case SIDETONE_GROUP_BY_SRC:
        return address_key(&c->src, room);
    case SIDETONE_GROUP_BY_DST:
        return address_key(&c->dst, room);
    case SIDETONE_GROUP_BY_FROM_HOST:
        return host_key(c->from, room);
    case SIDETONE_GROUP_BY_TO_HOST:
        return host_key(c->to, room);
    case SIDETONE_GROUP_BY_FROM_USER:
        return user_key(c->from);
    case SIDETONE_GROUP_BY_TO_USER:
        return user_key(c->to);
    case SIDETONE_GROUP_BY_USER_AGENT:
        return c->user_agent_count > 0 ? stats_slice(c->user_agents[0]) : SLICE("");
    case SIDETONE_GROUP_BY_METHOD:
        return stats_slice(c->method);
    case SIDETONE_GROUP_BY_KIND:
        return slice_str(c->kind);
    case SIDETONE_GROUP_BY_STATE:
        return slice_str(c->state);
    case SIDETONE_GROUP_BY_FINAL_CODE:
        return code_key(c->final_code, room);
    case SIDETONE_GROUP_BY_TRANSPORT:
        return slice_str(c->transport);
    case SIDETONE_GROUP_BY_CODEC:
        return codec;
    case SIDETONE_GROUP_BY_ENDED_BY:
        return slice_str(c->ended_by);
    case SIDETONE_GROUP_BY_MINUTE:
        return time_key(c->start_ns, true, room);
    case SIDETONE_GROUP_BY_HOUR:
        return time_key(c->start_ns, false, room);
    case SIDETONE_GROUP_BY_PREFIX:
        return prefix_key(c, o->prefix_digits, room);
    case SIDETONE_GROUP_BY_NONE:
    case SIDETONE_GROUP_BY_COUNT:
        break;
    }
    return SLICE("");
}

struct slice stats_stream_key(const struct sidetone_stats_options *o,
                              const struct sidetone_stream *s, struct stats_key_room *room)
{
    switch (o->group_by) {
    case SIDETONE_GROUP_BY_SRC:
        return address_key(&s->src, room);
    case SIDETONE_GROUP_BY_DST:
        return address_key(&s->dst, room);
    case SIDETONE_GROUP_BY_CODEC:
        return stats_slice(s->codec);
    case SIDETONE_GROUP_BY_MINUTE:
        return time_key(s->start_ns, true, room);
    case SIDETONE_GROUP_BY_HOUR:
        return time_key(s->start_ns, false, room);
    case SIDETONE_GROUP_BY_FROM_HOST:
    case SIDETONE_GROUP_BY_TO_HOST:
    case SIDETONE_GROUP_BY_FROM_USER:
    case SIDETONE_GROUP_BY_TO_USER:
    case SIDETONE_GROUP_BY_USER_AGENT:
    case SIDETONE_GROUP_BY_METHOD:
    case SIDETONE_GROUP_BY_KIND:
    case SIDETONE_GROUP_BY_STATE:
    case SIDETONE_GROUP_BY_FINAL_CODE:
    case SIDETONE_GROUP_BY_TRANSPORT:
    case SIDETONE_GROUP_BY_ENDED_BY:
    case SIDETONE_GROUP_BY_PREFIX:
    case SIDETONE_GROUP_BY_NONE:
    case SIDETONE_GROUP_BY_COUNT:
        break;
    }
    return SLICE("");
}
