// Reads bodies of application/vq-rtcpxr, line by line (RFC 6035 4.6).
//
// Lines about the session may stand behind LocalMetrics, as some phones write them; blanks before
// and behind the colon are allowed; names are compared without case.
#include "wire/sip/vq_report.h"

#include "wire/rtp/codec.h"
#include "wire/sip/sip.h"

// What a percentage, a delay in milliseconds (RFC 6035 4.6.2.10) and scores can be.
#define PERCENT_MAX  100
#define DELAY_MS_MAX 65535
#define MOS_MIN      1
#define MOS_MAX      5
#define R_FACTOR_MAX 120 // of wideband speech (G.107.1); 127: not known

#define BLANKS " \t\r"

struct address {
    struct slice ip, port;
    int64_t ssrc;
};

static bool is(struct slice name, const char *want)
{
    return slice_eq_nocase(name, slice_str(want));
}

// "0x2468abcd" or decimal; 0 is what is written where it is not known.
static int64_t read_ssrc(struct slice text)
{
    uint64_t value = 0;
    if (text.n > 2 && text.n <= 10 && text.p[0] == '0' && ascii_lower(text.p[1]) == 'x') {
        for (size_t i = 2; i < text.n; i++) {
            char c = ascii_lower(text.p[i]);
            bool is_letter = c >= 'a' && c <= 'f';
            if (!is_letter && (c < '0' || c > '9')) {
                return -1;
            }
            value = value * 16 + (uint64_t)(is_letter ? c - 'a' + 10 : c - '0');
        }
    } else if (!slice_u64(text, UINT32_MAX, &value)) {
        return -1;
    }
    return value > 0 ? (int64_t)value : -1;
}

static void read_address(struct address *a, struct slice rest)
{
    struct slice name, value;
    while (media_report_next(&rest, BLANKS, &name, &value)) {
        if (is(name, "IP")) {
            a->ip = value;
        } else if (is(name, "PORT")) {
            a->port = value;
        } else if (is(name, "SSRC")) {
            a->ssrc = read_ssrc(value);
        }
    }
}

static void read_codec(struct media_report *r, struct slice rest)
{
    struct slice name, value;
    while (media_report_next(&rest, BLANKS, &name, &value)) {
        uint64_t type;
        uint32_t clock_hz;
        if (is(name, "PD") && value.n > 0) {
            r->codec = value;
        } else if (is(name, "PT") && r->codec.n == 0 && slice_u64(value, 127, &type)) {
            r->codec = slice_str(codec_name(codec_by_payload_type((uint8_t)type, &clock_hz)));
        }
    }
}

static void read_measures(struct media_report *r, struct slice rest)
{
    struct slice name, value;
    while (media_report_next(&rest, BLANKS, &name, &value)) {
        if (is(name, "NLR")) {
            r->loss_percent = media_report_measure(value, 0, PERCENT_MAX);
        } else if (is(name, "JDR")) {
            r->discard_percent = media_report_measure(value, 0, PERCENT_MAX);
        } else if (is(name, "RTD")) {
            r->round_trip_ms = media_report_measure(value, 0, DELAY_MS_MAX);
        } else if (is(name, "ESD")) {
            r->end_system_ms = media_report_measure(value, 0, DELAY_MS_MAX);
        } else if (is(name, "OWD") || is(name, "SOWD")) {
            r->one_way_ms = media_report_measure(value, 0, DELAY_MS_MAX);
        } else if (is(name, "IAJ")) {
            r->jitter_ms = media_report_measure(value, 0, DELAY_MS_MAX);
        } else if (is(name, "MOSLQ")) {
            r->mos_lq = media_report_measure(value, MOS_MIN, MOS_MAX);
        } else if (is(name, "MOSCQ")) {
            r->mos_cq = media_report_measure(value, MOS_MIN, MOS_MAX);
        } else if (is(name, "RCQ")) {
            r->r_factor = media_report_measure(value, 0, R_FACTOR_MAX);
        }
    }
}

static bool is_metric(struct slice key)
{
    return is(key, "PacketLoss") || is(key, "Delay") || is(key, "QualityEst");
}

static void read_line(struct vq_report *out, struct address sides[2], bool *in_remote,
                      struct slice key, struct slice value)
{
    if (is(key, "LocalMetrics") || is(key, "RemoteMetrics")) {
        *in_remote = is(key, "RemoteMetrics");
        out->has_remote = out->has_remote || *in_remote;
        out->has_local = out->has_local || !*in_remote;
    } else if (is(key, "CallID")) {
        out->call_id = value;
    } else if (is(key, "LocalID")) {
        struct sip_name_addr a;
        out->local_id = sip_name_addr(value, &a) ? a.uri : slice_of(NULL, 0);
    } else if (is(key, "LocalAddr")) {
        read_address(&sides[0], value);
    } else if (is(key, "RemoteAddr")) {
        read_address(&sides[1], value);
    } else if (is(key, "SessionDesc")) {
        read_codec(*in_remote ? &out->remote : &out->local, value);
    } else if (is_metric(key)) {
        out->has_local = out->has_local || !*in_remote;
        read_measures(*in_remote ? &out->remote : &out->local, value);
    }
}

// `own`: the endpoint that measured; what it received has the SSRC of the other one.
static void place(struct media_report *r, const struct address *own, const struct address *other)
{
    r->local_ip = own->ip;
    r->local_port = own->port;
    r->remote_ip = other->ip;
    r->remote_port = other->port;
    r->ssrc = other->ssrc;
}

bool vq_report_read(struct vq_report *out, struct slice body)
{
    struct address sides[2] = {{.ssrc = -1}, {.ssrc = -1}};
    bool in_remote = false;
    struct slice line;
    *out = (struct vq_report){0};
    media_report_init(&out->local);
    media_report_init(&out->remote);
    while (slice_line(&body, &line)) {
        struct slice key, value;
        if (slice_cut(line, ':', &key, &value)) {
            read_line(out, sides, &in_remote, slice_trim(key), slice_trim(value));
        }
    }
    place(&out->local, &sides[0], &sides[1]);
    place(&out->remote, &sides[1], &sides[0]);
    return out->has_local || out->has_remote;
}
