// The public view of a stream, filled on demand from what the trackers keep.
#include "judge/quality.h"
#include "listen/view.h"
#include "wire/rtp/level.h"
#include "wire/t38/udptl.h"

#include <assert.h>
#include <math.h>

// The codec of a stream as it is shown, with its clock (0: not known).
static struct slice shown_codec(const struct payload_map *map, uint8_t payload_type,
                                enum codec *codec, uint32_t *clock_hz)
{
    struct slice name;
    *clock_hz = 0;
    *codec = stream_codec(map, payload_type, clock_hz, &name);
    if (*codec == CODEC_UNKNOWN) {
        return slice_of(NULL, 0);
    }
    bool is_kept = *codec == CODEC_OTHER || *codec == CODEC_FEC;
    return is_kept ? name : slice_str(codec_name(*codec));
}

// The map that a segment was read with; media that came before any announcement is named by the
// first one after it.
static const struct payload_map *map_of(const struct stream *st, const struct stream_segment *g)
{
    return g && g->map ? g->map : st->map;
}

static void view_segments(const struct stream *st, struct sidetone_scratch *s,
                          struct sidetone_stream *out)
{
    if (st->segment_count < 2) {
        return;
    }
    struct sidetone_segment *list =
        ARENA_ARRAY(&s->arena, struct sidetone_segment, st->segment_count);
    size_t n = 0;
    for (const struct stream_segment *g = stream_segments(st); g; g = stream_next_segment(st, g)) {
        enum codec codec;
        uint32_t clock_hz;
        struct sidetone_text name =
            text_view(shown_codec(map_of(st, g), g->payload_type, &codec, &clock_hz));
        bool goes_on = n > 0 && list[n - 1].codec.n == name.n && name.n > 0 &&
                       memcmp(list[n - 1].codec.p, name.p, name.n) == 0;
        if (goes_on) {
            list[n - 1].packets += g->packets;
        } else {
            list[n++] = (struct sidetone_segment){name, g->packets};
        }
    }
    out->segments = list;
    out->segment_count = n >= 2 ? n : 0;
}

static double one_way_ms(const struct sidetone_stream *out)
{
    return out->rtcp ? out->rtcp->one_way_ms : NAN;
}

// What tells the mode of a codec that has several: nothing where it changed on the way.
static void input_shape(const struct stream *st, struct quality_input *in)
{
    bool is_one = st->segment_count < 2;
    double step_ms = st->last_step * st->ns_per_tick / 1e6;
    in->payload_bytes = is_one ? (double)st->bytes / (double)stream_packets(st) : NAN;
    in->packet_ms = is_one && step_ms > 0 ? step_ms : NAN;
}

// Of an interval, or NaN: as if what is lacking in it were lacking at random, since its runs are
// not kept. `expected`: numbers that it has.
static double interval_mos(const struct stream *st, const struct stream_interval *i,
                           struct interval_lacks lacks, enum codec codec, uint32_t expected,
                           double delay_ms)
{
    if (!(i->flags & INTERVAL_ENOUGH) || i->flags & INTERVAL_COMFORT) {
        return NAN;
    }
    uint64_t lacking = (uint64_t)lacks.lost + lacks.discarded;
    struct quality_input in = {
        .codec = codec,
        .lacking = lacking < expected ? lacking : expected,
        .expected = expected,
        .burst_ratio = 1,
        .one_way_ms = delay_ms,
    };
    input_shape(st, &in);
    struct quality q = quality_score(&in);
    return q.missing ? NAN : q.mos;
}

static void view_intervals(const struct stream *st, enum codec codec, struct sidetone_scratch *s,
                           struct sidetone_stream *out)
{
    struct sidetone_interval *list =
        ARENA_ARRAY(&s->arena, struct sidetone_interval, st->interval_count);
    uint32_t before = st->first_ext - st->base_ext; // numbers before the first packet
    double worst = INFINITY;
    struct interval_walk w;
    const struct stream_interval *i = interval_first(&w, st->last_block, st->interval_count);
    for (; i; i = interval_next(&w)) {
        struct interval_numbers n = interval_numbers(i);
        double mos = interval_mos(st, i, n.lacks, codec, n.numbers + before, one_way_ms(out));
        before = 0;
        if (mos < worst) {
            worst = mos;
            out->worst_interval = (int64_t)out->interval_count;
        }
        list[out->interval_count++] = (struct sidetone_interval){
            .start_ns = st->start_ns == TIME_NOT_KNOWN_NS
                            ? SIDETONE_UNKNOWN
                            : st->start_ns + (int64_t)i->index * STREAM_INTERVAL_NS,
            .packets = n.packets,
            .lost = n.lacks.lost,
            .discarded = n.lacks.discarded,
            .jitter_ms = i->jitter_ms,
            .mos = mos,
        };
    }
    out->intervals = list;
}

static void view_jitter(const struct stream *st, struct sidetone_stream *out)
{
    bool measured = st->jitter.count > 0;
    out->jitter_ms = measured ? st->jitter.sum / (double)st->jitter.count / 1e6 : NAN;
    out->jitter_max_ms = measured ? st->jitter.max / 1e6 : NAN;
    out->delta_max_ms = st->unique > 1 ? (double)st->delta_max_ns / 1e6 : NAN;
}

// Bursts and what lies between them (RFC 3611 4.7.2).
static void view_bursts(const struct stream *st, const struct stream_lacking *l,
                        struct sidetone_stream *out)
{
    double packet_ms = stream_packet_ns(st) / 1e6;
    uint64_t gap_numbers = out->expected - l->burst_numbers;
    uint64_t gaps = l->bursts + 1;
    if (l->bursts > 0) {
        out->burst_percent = 100.0 * (double)l->burst_lacking / (double)l->burst_numbers;
        out->burst_ms = packet_ms * (double)l->burst_numbers / (double)l->bursts;
        gaps -= l->burst_first == st->base_ext;
        gaps -= l->burst_last == st->max_ext;
    }
    if (gap_numbers > 0) {
        out->gap_percent = 100.0 * (double)(l->count - l->burst_lacking) / (double)gap_numbers;
        out->gap_ms = packet_ms * (double)gap_numbers / (double)gaps;
    }
}

static void view_lacking(const struct stream *st, struct sidetone_stream *out)
{
    static const struct stream_lacking NOTHING;
    const struct stream_lacking *l = st->lacking ? st->lacking : &NOTHING;
    out->discarded = stream_discarded(st);
    if (st->jitter.count > 0 && !st->is_video) {
        out->discard_percent = 100.0 * (double)out->discarded / (double)out->expected;
    }
    out->loss_runs = l->runs;
    out->loss_run_max = l->run_max;
    out->bursts = l->bursts;
    out->burst_ratio = quality_burst_ratio(l->count, out->expected, l->runs);
    int64_t gap_max_ns = stream_gap_max_ns(st);
    out->gap_max_ns = gap_max_ns > 0 ? gap_max_ns : SIDETONE_UNKNOWN;
    view_bursts(st, l, out);
}

static void view_quality(const struct stream *st, enum codec codec, struct sidetone_stream *out)
{
    struct quality_input in = {
        .codec = codec,
        .lacking = st->lacking ? st->lacking->count : 0,
        .expected = out->expected,
        .burst_ratio = out->burst_ratio,
        .one_way_ms = one_way_ms(out),
    };
    input_shape(st, &in);
    struct quality q = quality_score(&in);
    out->mos_model = q.missing ? NULL : q.model;
    out->mos = q.missing ? NAN : q.mos;
    out->r_factor = q.missing ? NAN : q.r_factor;
    out->mos_missing = q.missing;
}

static const char *encrypted_by(const struct report_stream *at)
{
    const struct stream *st = at->stream;
    if (st->map && st->map->encrypted) {
        return "sdp";
    }
    return at->control.is_sealed ? "srtcp" : stream_encrypted(st) ? "look" : NULL;
}

static double dbov_of_peak(const struct stream_sound *sound)
{
    double mu = level_amplitude(LEVEL_MU_LAW, sound->peak[LEVEL_MU_LAW]);
    double a =
        sound->peak[LEVEL_A_LAW] > 0 ? level_amplitude(LEVEL_A_LAW, sound->peak[LEVEL_A_LAW]) : 0;
    double peak = mu > a ? mu : a;
    return peak > 0 ? 20 * log10(peak / 32768) : NAN;
}

// A square of LEVEL_STEP, of 1.
#define STEP_DB (20 * log10(LEVEL_STEP / 32768))

// Of ciphertext nothing is heard.
static const struct sidetone_audio *view_audio(const struct stream *st, struct sidetone_scratch *s)
{
    const struct stream_sound so_far = stream_sound_so_far(st);
    const struct stream_sound *sound = &so_far;
    if (stream_judged(sound) == 0 || stream_encrypted(st)) {
        return NULL;
    }
    struct sidetone_audio *out = ARENA_NEW(&s->arena, struct sidetone_audio);
    uint32_t levels = (sound->loud + STREAM_LEVEL_EVERY - 1) / STREAM_LEVEL_EVERY;
    *out = (struct sidetone_audio){
        .packets = stream_judged(sound),
        .silent_packets = sound->silent,
        .clipped_packets = sound->clipped,
        .longest_silence_ns = stream_silence_ns(sound),
        .level_dbov = levels > 0 ? 10 * log10(sound->power / levels) + STEP_DB : NAN,
        .peak_dbov = dbov_of_peak(sound),
    };
    return out;
}

// By the codec where that says it (lines may share a transport), else by the line.
static const char *kind_of(const struct report_stream *at, enum codec codec)
{
    static const char *const KINDS[] = {[SDP_AUDIO] = "audio",
                                        [SDP_VIDEO] = "video",
                                        [SDP_TEXT] = "text",
                                        [SDP_IMAGE] = "other",
                                        [SDP_OTHER] = "other"};
    if (at->stream->is_fax) {
        return "fax";
    }
    const char *kind = codec_kind(codec);
    return kind || at->kind < 0 ? kind : KINDS[at->kind];
}

// Takes back what only RTP has.
static void view_fax(const struct stream_fax *f, struct sidetone_scratch *s,
                     struct sidetone_stream *out)
{
    s->fax = (struct sidetone_fax){
        .error_correction = f->recovery == UDPTL_FEC          ? "fec"
                            : f->recovery == UDPTL_REDUNDANCY ? "redundancy"
                                                              : NULL,
        .recovered = f->recovered,
        .indicators = s->indicators,
        .indicator_count = f->indicator_count,
        .data_packets = f->data_packets,
    };
    for (uint8_t i = 0; i < f->indicator_count; i++) {
        s->indicators[i] = udptl_indicator_name(f->indicators[i]);
    }
    out->fax = &s->fax;
    out->has_ssrc = false;
    out->codec = text_view(slice_str(codec_name(CODEC_T38)));
    out->clock_hz = 0;
    out->payload_type_count = 0;
    out->jitter_ms = out->jitter_max_ms = NAN;
    out->mos = out->r_factor = NAN;
    out->mos_model = NULL;
    out->mos_missing = "the E-model scores speech, not fax";
}

static size_t list_payload_types(const struct stream *st, uint8_t *out)
{
    struct stream_types types = stream_types(st);
    size_t n = 0;
    for (unsigned word = 0; word < 2 && !st->is_fax; word++) {
        for (uint64_t bits = types.words[word]; bits != 0; bits &= bits - 1) {
            out[n++] = (uint8_t)(64 * word + (unsigned)__builtin_ctzll(bits));
        }
    }
    return n;
}

static void find_findings(const struct report_stream *at, struct finding_list *out)
{
    findings_of_stream(at->stream, at->former, at->next, out);
    if (at->capture_loss) {
        findings_of_capture(at->capture_loss, at->capture_loss_at, out);
    }
    findings_of_control(at->stream, at->control.senders, at->control.reports, out);
}

void sidetone_report_stream(const struct sidetone_report *r, size_t index,
                            struct sidetone_scratch *s, struct sidetone_stream *out)
{
    assert(index < r->stream_count);
    const struct report_stream *at = &r->streams[index];
    const struct stream *st = at->stream;
    arena_reset(&s->arena);
    find_findings(at, &s->findings);
    const struct stream_extras *x = stream_extras(st);
    const struct stream_segment *g = stream_segments(st);
    enum codec codec = CODEC_UNKNOWN;
    uint32_t clock_hz = 0;
    uint8_t payload_type = g ? g->payload_type : st->payload_type & 0x7f;
    struct slice name = shown_codec(map_of(st, g), payload_type, &codec, &clock_hz);
    *out = (struct sidetone_stream){
        .ssrc = st->ssrc,
        .src = endpoint_view(stream_src(st)),
        .dst = endpoint_view(stream_dst(st)),
        .codec = text_view(name),
        .clock_hz = clock_hz,
        .payload_types = s->payload_types,
        .payload_type_count = list_payload_types(st, s->payload_types),
        .call = at->call,
        .packets = stream_packets(st),
        .unique = st->unique,
        .expected = stream_expected(st),
        .lost = stream_lost(st),
        .duplicates = x->duplicates,
        .reordered = x->reordered,
        .too_late = x->too_late,
        .bytes = st->bytes,
        .start_ns = time_view(st->start_ns),
        .end_ns = time_view(stream_end_ns(st)),
        .dtmf = {x->digits,
                 x->digit_count < STREAM_DIGITS_MAX ? x->digit_count : STREAM_DIGITS_MAX},
        .redundant = x->redundant,
        .recovered = x->recovered,
        .repair = x->repair,
        .encrypted = stream_encrypted(st) || at->control.is_sealed,
        .encrypted_by = encrypted_by(at),
        .audio = at->control.is_sealed ? NULL : view_audio(st, s),
        .has_ssrc = true,
        .kind = kind_of(at, codec),
        .is_announced = st->announcement != NULL,
        .mos_doubt = at->capture_loss ? "the capture lost packets" : NULL,
        .branch = at->branch,
        .worst_interval = -1,
        .discard_percent = NAN,
        .burst_percent = NAN,
        .gap_percent = NAN,
        .burst_ms = NAN,
        .gap_ms = NAN,
        .gap_max_ns = SIDETONE_UNKNOWN,
        .findings = s->findings.items,
        .finding_count = s->findings.count,
    };
    out->loss_percent = 100.0 * (double)out->lost / (double)out->expected;
    if (at->call >= 0) {
        out->call_id = text_view(r->calls[at->call]->call_id);
    }
    view_rtcp(at, clock_hz, s, out);
    view_jitter(st, out);
    view_lacking(st, out);
    view_quality(st, codec, out);
    view_segments(st, s, out);
    view_intervals(st, codec, s, out);
    if (st->is_fax) {
        view_fax(stream_fax(st), s, out);
    }
}
