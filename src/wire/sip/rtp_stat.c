// Reads the headers of vendors that sum up the media of a call.
#include "wire/sip/rtp_stat.h"

#include "wire/rtp/codec.h"

#include <math.h>

#define JITTER_MAX   4294967295.0 // of either unit
#define DELAY_MS_MAX 65535
#define MOS_MIN      1
#define MOS_MAX      5

struct reading {
    struct media_report *out;
    struct slice jitter;   // as written; its unit is known at the end
    bool in_ticks;         // of the RTP clock, not milliseconds
    struct slice received; // codecs: of what came in
    struct slice sent;     // and of what went out
    struct slice mlqk;
};

static bool is(struct slice name, const char *want)
{
    return slice_eq_nocase(name, slice_str(want));
}

static struct slice up_to(struct slice s, char c)
{
    return slice_of(s.p, slice_find(s, c));
}

// Clocks of the codecs of telephones (RFC 3551: that of G.722 is 8,000 Hz).
static const struct {
    enum codec codec;
    uint32_t hz;
} CLOCKS[] = {
    {CODEC_PCMU, 8000}, {CODEC_PCMA, 8000},    {CODEC_G722, 8000}, {CODEC_G723, 8000},
    {CODEC_G726, 8000}, {CODEC_G728, 8000},    {CODEC_G729, 8000}, {CODEC_GSM, 8000},
    {CODEC_ILBC, 8000}, {CODEC_AMR_WB, 16000}, {CODEC_AMR, 8000},  {CODEC_OPUS, 48000},
};

// 0: not known.
static uint32_t clock_of(struct slice codec)
{
    struct slice name, rate;
    uint64_t hz;
    if (slice_cut(codec, '/', &name, &rate) && slice_u64(rate, 192000, &hz)) {
        return (uint32_t)hz;
    }
    enum codec c = codec_by_name(codec);
    for (size_t i = 0; i < sizeof CLOCKS / sizeof CLOCKS[0]; i++) {
        if (CLOCKS[i].codec == c) {
            return CLOCKS[i].hz;
        }
    }
    return 0;
}

static void read_addresses(struct media_report *out, struct slice value)
{
    struct slice rest;
    slice_cut(value, ',', &out->local_ip, &rest);
    out->local_ip = slice_trim(out->local_ip);
    out->remote_ip = slice_trim(up_to(rest, ','));
}

// X-RTP-Stat and P-RTP-Stat. What only AVM's format has tells the unit of jitter.
static void read_short(struct reading *r, enum rtp_stat_format format, struct slice name,
                       struct slice value)
{
    if (is(name, "PS")) {
        r->out->packets_sent = media_report_count(value);
    } else if (is(name, "PR")) {
        r->out->packets_received = media_report_count(value);
    } else if (is(name, "PL")) {
        r->out->packets_lost = media_report_count(value);
    } else if (is(name, "JI")) {
        r->jitter = up_to(value, ',');
    } else if (is(name, "LA") && format == RTP_STAT_P) {
        r->out->round_trip_ms = media_report_measure(value, 0, DELAY_MS_MAX);
    } else if (is(name, "MOS")) {
        r->out->mos_lq = media_report_measure(value, MOS_MIN, MOS_MAX);
    } else if (is(name, "DE")) {
        r->received = value;
    } else if (is(name, "EN")) {
        r->sent = value;
    } else if (is(name, "IP")) {
        read_addresses(r->out, value);
    } else if (is(name, "CS") || is(name, "ES") || is(name, "ER") || is(name, "EX")) {
        r->in_ticks = format == RTP_STAT_X;
    }
}

// VQMetrics="CCR=0.0;MLQK=4.5;VoRxCodec=PCMU;MOSlq=4.2;VoOneWayDelayMs=20"
static void read_quality(struct reading *r, struct slice rest)
{
    struct slice name, value;
    while (media_report_next(&rest, ";", &name, &value)) {
        if (is(name, "VoRxCodec")) {
            r->received = value;
        } else if (is(name, "VoTxCodec")) {
            r->sent = value;
        } else if (is(name, "MOSlq")) {
            r->out->mos_lq = media_report_measure(value, MOS_MIN, MOS_MAX);
        } else if (is(name, "MOScq")) {
            r->out->mos_cq = media_report_measure(value, MOS_MIN, MOS_MAX);
        } else if (is(name, "MLQK")) {
            r->mlqk = value;
        } else if (is(name, "VoOneWayDelayMs")) {
            r->out->one_way_ms = media_report_measure(value, 0, DELAY_MS_MAX);
        }
    }
}

// RTP-RxStat and RTP-TxStat.
static void read_long(struct reading *r, enum rtp_stat_format format, struct slice name,
                      struct slice value)
{
    r->in_ticks = true;
    if (is(name, "Pkt") && format == RTP_STAT_RX) {
        r->out->packets_received = media_report_count(value);
    } else if (is(name, "Pkt")) {
        r->out->packets_sent = media_report_count(value);
    } else if (is(name, "LostPkt")) {
        r->out->packets_lost = media_report_count(value);
    } else if (is(name, "AvgJit")) {
        r->jitter = value;
    } else if (is(name, "VQMetrics")) {
        read_quality(r, value);
    }
}

static void finish(struct reading *r, enum rtp_stat_format format)
{
    r->out->codec = r->received.n > 0 ? r->received : r->sent;
    r->out->jitter_ms = media_report_measure(r->jitter, 0, JITTER_MAX);
    if (r->in_ticks) {
        // Cisco's phones that name no codec have codecs of telephony only.
        bool is_old = format == RTP_STAT_RX && r->out->codec.n == 0;
        uint32_t clock_hz = is_old ? 8000 : clock_of(r->out->codec);
        r->out->jitter_ms = clock_hz > 0 ? r->out->jitter_ms * 1000 / clock_hz : NAN;
    }
    double mlqk = media_report_measure(r->mlqk, MOS_MIN, MOS_MAX);
    r->out->mos_lq = isnan(r->out->mos_lq) ? mlqk : r->out->mos_lq;
}

// AVM's values hold commas, so its pieces end with semicolons; others use commas alone.
static const char *ends_of(enum rtp_stat_format format, struct slice value)
{
    bool is_long = format == RTP_STAT_RX || format == RTP_STAT_TX;
    return is_long || slice_find(value, ';') == value.n ? "," : ";";
}

bool rtp_stat_read(struct media_report *out, enum rtp_stat_format format, struct slice value)
{
    struct reading r = {.out = out};
    const char *ends = ends_of(format, value);
    struct slice name, piece;
    media_report_init(out);
    while (media_report_next(&value, ends, &name, &piece)) {
        if (format == RTP_STAT_RX || format == RTP_STAT_TX) {
            read_long(&r, format, name, piece);
        } else {
            read_short(&r, format, name, piece);
        }
    }
    finish(&r, format);
    return out->packets_sent >= 0 || out->packets_received >= 0;
}
