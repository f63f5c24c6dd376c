// The ledger: every packet of the capture is accounted for, analysed or with the reason why not.
#include "listen/report.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ODDITIES_OF_PACKETS 7

void report_warn(struct sidetone_report *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0) {
        return;
    }
    if (r->warning_count == r->warning_room) {
        r->warning_room = r->warning_room ? r->warning_room * 2 : 8;
        r->warnings = memory_resize(r->warnings, r->warning_room * sizeof *r->warnings);
    }
    size_t length = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    struct slice kept = arena_slice(&r->arena, slice_of(text, length));
    r->warnings[r->warning_count++] = (struct sidetone_text){kept.p, kept.n};
}

static int compare_counts(const void *left, const void *right)
{
    const struct sidetone_count *a = left;
    const struct sidetone_count *b = right;
    return strcmp(a->name, b->name);
}

static size_t add_count(struct sidetone_count *list, size_t n, const char *name, uint64_t count)
{
    if (count > 0) {
        list[n++] = (struct sidetone_count){name, count};
    }
    return n;
}

static void list_oddities(struct sidetone_report *r)
{
    const struct engine *e = &r->engine;
    struct sidetone_count *list = ARENA_ARRAY(&r->arena, struct sidetone_count,
                                              SIP_ODD_COUNT + FLOW_ODD_COUNT + ODDITIES_OF_PACKETS);
    uint64_t evicted = 0;
    uint64_t broken = 0;
    uint64_t left_out = 0;
    uint64_t maps = 0;
    int64_t back_ns = 0;
    size_t n = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        evicted += e->media[bin].evicted;
        broken += e->media[bin].broken;
        left_out += e->control[bin].left_out;
    }
    for (uint32_t i = 0; i < e->source_count; i++) {
        back_ns += e->sources[i].back_ns > 0;
    }
    n = add_count(list, n, "cap.clock.back", (uint64_t)back_ns);
    n = add_count(list, n, "cap.time.absurd", e->totals.absurd_times);
    n = add_count(list, n, "cap.interface.unknown", e->totals.undescribed);
    n = add_count(list, n, "rtp.candidate.forgotten", evicted);
    n = add_count(list, n, "rtp.header", broken);
    n = add_count(list, n, "rtcp.left_out", left_out);
    for (unsigned bin = 0; bin < BINS; bin++) {
        maps += e->calls[bin].maps.left_out;
    }
    n = add_count(list, n, "sdp.codecs.left_out", maps);
    for (int odd = 0; odd < SIP_ODD_COUNT; odd++) {
        uint64_t count = 0;
        for (unsigned bin = 0; bin < BINS; bin++) {
            count += e->calls[bin].oddities[odd];
        }
        n = add_count(list, n, sip_oddity_name((enum sip_oddity)odd), count);
    }
    for (int odd = 0; odd < FLOW_ODD_COUNT; odd++) {
        n = add_count(list, n, flow_oddity_name((enum flow_oddity)odd), e->totals.counts.odd[odd]);
    }
    qsort(list, n, sizeof *list, compare_counts);
    r->capture.oddities = list;
    r->capture.oddity_count = n;
}

// Packets that looked like media or like an error about it, and are no stream's and no call's.
static uint64_t packets_of_nobody(const struct engine *e, uint64_t media_packets)
{
    uint64_t in_flow = 0;
    uint64_t quotes = 0;
    for (unsigned bin = 0; bin < BINS; bin++) {
        in_flow += e->media[bin].in_flow;
        quotes += e->media[bin].unknown_quotes;
    }
    return e->totals.media + in_flow - media_packets + quotes;
}

static void list_reasons(struct sidetone_report *r, uint64_t media_packets)
{
    const struct totals *t = &r->engine.totals;
    struct sidetone_count *list = ARENA_ARRAY(&r->arena, struct sidetone_count, REASON_COUNT);
    uint64_t no_media = packets_of_nobody(&r->engine, media_packets);
    size_t n = 0;
    uint64_t missing = 0;
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++) {
        uint64_t count = t->counts.reasons[reason];
        count += reason == REASON_NOT_SIP_OR_MEDIA ? no_media : 0;
        count += reason == REASON_UNKNOWN_LINKTYPE ? t->undescribed : 0;
        n = add_count(list, n, reason_name((enum reason)reason), count);
        missing += count;
    }
    qsort(list, n, sizeof *list, compare_counts);
    r->capture.not_analysed = list;
    r->capture.not_analysed_count = n;
    r->capture.analysed = t->packets - missing;
}

static void list_blocks(struct sidetone_report *r)
{
    const struct engine *e = &r->engine;
    size_t all = 0;
    for (uint32_t i = 0; i < e->source_count; i++) {
        for (const struct kept_block *b = e->sources[i].kept; b; b = b->next) {
            all++;
        }
    }
    r->blocks = ARENA_ARRAY(&r->arena, struct sidetone_block, all);
    for (uint32_t i = 0; i < e->source_count; i++) {
        for (const struct kept_block *b = e->sources[i].kept; b; b = b->next) {
            bool is_names = b->kind == PCAPNG_NAMES;
            r->capture.name_blocks += is_names;
            r->capture.secret_blocks += !is_names;
            r->blocks[r->block_count++] = (struct sidetone_block){
                is_names ? SIDETONE_BLOCK_NAMES : SIDETONE_BLOCK_SECRETS, i, b->bytes, b->n};
        }
    }
}

void report_ledger(struct sidetone_report *r, bool complete)
{
    const struct engine *e = &r->engine;
    const struct totals *t = &e->totals;
    struct sidetone_capture *c = &r->capture;
    *c = (struct sidetone_capture){
        .files = e->source_count,
        .packets = t->packets,
        .bytes = t->bytes,
        .first_ns = t->first_ns <= t->last_ns ? t->first_ns : SIDETONE_UNKNOWN,
        .last_ns = t->first_ns <= t->last_ns ? t->last_ns : SIDETONE_UNKNOWN,
        .rtcp_packets = t->counts.rtcp,
        .complete = complete && !e->is_interrupted,
        .interrupted = e->is_interrupted,
    };
    c->duplicates = t->counts.copies;
    c->keepalives = t->counts.keepalives;
    for (uint32_t i = 0; i < e->source_count; i++) {
        uint64_t more = source_dropped(&e->sources[i]);
        c->dropped = more > UINT64_MAX - c->dropped ? UINT64_MAX : c->dropped + more;
    }
    for (unsigned bin = 0; bin < BINS; bin++) {
        c->sip_messages += e->calls[bin].messages;
        c->duplicates += e->calls[bin].copies + e->control[bin].copies;
    }
    uint64_t fax_packets = 0;
    for (size_t i = 0; i < r->stream_count; i++) {
        const struct stream *s = r->streams[i].stream;
        *(s->is_fax ? &fax_packets : &c->rtp_packets) += stream_packets(s);
        c->duplicates += stream_extras(s)->capture_copies;
    }
    list_reasons(r, c->rtp_packets + fax_packets);
    list_oddities(r);
    list_blocks(r);
    c->warnings = r->warnings;
    c->warning_count = r->warning_count;
}
