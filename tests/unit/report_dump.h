// A whole report as text, every number with all its digits: two reports are equal if their texts
// are.
#ifndef SIDETONE_TESTS_REPORT_DUMP_H
#define SIDETONE_TESTS_REPORT_DUMP_H

#include "sidetone/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static inline void dump_text(FILE *to, const char *name, struct sidetone_text t)
{
    fprintf(to, " %s=", name);
    for (size_t i = 0; i < t.n; i++) {
        unsigned char c = (unsigned char)t.p[i];
        fprintf(to, c > ' ' && c < 127 ? "%c" : "%%%02x", c);
    }
}

static inline void dump_endpoint(FILE *to, const char *name, const struct sidetone_endpoint *e)
{
    fprintf(to, " %s=", name);
    for (int i = 0; i < 16; i++) {
        fprintf(to, "%02x", e->address[i]);
    }
    fprintf(to, ":%u", e->port);
}

static inline void dump_findings(FILE *to, const struct sidetone_finding *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "  finding %s %d", list[i].name, (int)list[i].severity);
        dump_text(to, "text", list[i].text);
        for (size_t k = 0; k < list[i].packet_count; k++) {
            fprintf(to, " [%u,%" PRIu64 "]", list[i].packets[k].file, list[i].packets[k].record);
        }
        fputc('\n', to);
    }
}

static inline void dump_capture(FILE *to, const struct sidetone_capture *c)
{
    fprintf(to,
            "capture files=%u packets=%" PRIu64 " bytes=%" PRIu64 " first=%" PRId64 " last=%" PRId64
            " sip=%" PRIu64 " rtp=%" PRIu64 " rtcp=%" PRIu64 " duplicates=%" PRIu64
            " analysed=%" PRIu64 " complete=%d interrupted=%d\n",
            c->files, c->packets, c->bytes, c->first_ns, c->last_ns, c->sip_messages,
            c->rtp_packets, c->rtcp_packets, c->duplicates, c->analysed, c->complete,
            c->interrupted);
    fprintf(to, " dropped=%" PRIu64 "\n", c->dropped);
    for (size_t i = 0; i < c->not_analysed_count; i++) {
        fprintf(to, " not_analysed %s=%" PRIu64 "\n", c->not_analysed[i].name,
                c->not_analysed[i].count);
    }
    for (size_t i = 0; i < c->oddity_count; i++) {
        fprintf(to, " oddity %s=%" PRIu64 "\n", c->oddities[i].name, c->oddities[i].count);
    }
    for (size_t i = 0; i < c->warning_count; i++) {
        dump_text(to, "warning", c->warnings[i]);
        fputc('\n', to);
    }
}

static inline void dump_call(FILE *to, const struct sidetone_call *c)
{
    fprintf(to, "call kind=%s state=%s code=%u", c->kind, c->state, c->final_code);
    dump_text(to, "id", c->call_id);
    dump_text(to, "method", c->method);
    dump_text(to, "reason", c->reason);
    dump_text(to, "from", c->from);
    dump_text(to, "to", c->to);
    dump_text(to, "uri", c->request_uri);
    dump_text(to, "aor", c->aor);
    dump_endpoint(to, "src", &c->src);
    dump_endpoint(to, "dst", &c->dst);
    fprintf(to,
            " messages=%u retransmissions=%u duplicates=%u attempts=%u start=%" PRId64
            " end=%" PRId64 " trying=%" PRId64 " pdd=%" PRId64 " setup=%" PRId64 " ring=%" PRId64
            " duration=%" PRId64 " ended_by=%s",
            c->messages, c->retransmissions, c->duplicates, c->attempts, c->start_ns, c->end_ns,
            c->trying_ns, c->pdd_ns, c->setup_ns, c->ring_ns, c->duration_ns,
            c->ended_by ? c->ended_by : "");
    for (size_t i = 0; i < c->user_agent_count; i++) {
        dump_text(to, "agent", c->user_agents[i]);
    }
    for (size_t i = 0; i < c->branch_count; i++) {
        dump_text(to, "branch", c->branches[i].to_tag);
        fprintf(to, ",%s,%u", c->branches[i].state, c->branches[i].final_code);
        for (size_t k = 0; k < c->branches[i].stream_count; k++) {
            fprintf(to, ",%u", c->branches[i].streams[k]);
        }
    }
    for (size_t i = 0; i < c->hold_count; i++) {
        fprintf(to, " hold=%" PRId64 ",%" PRId64 ",%s", c->holds[i].start_ns,
                c->holds[i].duration_ns, c->holds[i].by);
    }
    for (size_t i = 0; i < c->hop_count; i++) {
        dump_endpoint(to, "hop", &c->hops[i].src);
        dump_endpoint(to, "to", &c->hops[i].dst);
        fprintf(to, ",%u", c->hops[i].messages);
    }
    for (size_t i = 0; i < c->leg_count; i++) {
        dump_text(to, "leg", c->legs[i].call_id);
        fprintf(to, ",%u,%s,%u,%d", c->legs[i].call, c->legs[i].by, c->legs[i].via,
                c->legs[i].is_guess);
    }
    for (size_t i = 0; i < c->contact_count; i++) {
        dump_text(to, "contact", c->contacts[i].uri);
        fprintf(to, ",%" PRId64, c->contacts[i].expires_s);
    }
    for (size_t i = 0; i < c->stream_count; i++) {
        fprintf(to, " stream=%u", c->streams[i]);
    }
    fputc('\n', to);
    dump_findings(to, c->findings, c->finding_count);
}

static inline void dump_rtcp(FILE *to, const struct sidetone_rtcp *r)
{
    if (!r) {
        return;
    }
    fprintf(to,
            " rtcp packets=%" PRIu64 " sr=%" PRIu64 " reports=%" PRIu64 " sent=%" PRId64
            " bytes=%" PRId64 " lost=%" PRId64 " bye=%d xr=%" PRIu64 " xr_lost=%" PRId64
            " xr_duplicates=%" PRId64 " rle=%" PRId64 ",%" PRId64,
            r->packets, r->sender_reports, r->reports, r->sent_packets, r->sent_bytes, r->lost,
            r->has_bye, r->xr_reports, r->xr_lost, r->xr_duplicates, r->xr_rle_lost,
            r->xr_rle_longest);
    dump_text(to, "cname", r->cname);
    const double values[] = {
        r->lost_percent,     r->fraction_max_percent,
        r->jitter_ms,        r->jitter_max_ms,
        r->rtt_ms,           r->rtt_max_ms,
        r->one_way_ms,       r->xr_jitter_ms,
        r->xr_loss_percent,  r->xr_discard_percent,
        r->xr_burst_percent, r->xr_gap_percent,
        r->xr_burst_ms,      r->xr_gap_ms,
        r->xr_round_trip_ms, r->xr_end_system_ms,
        r->xr_r_factor,      r->xr_mos_lq,
        r->xr_mos_cq,        r->xr_signal_dbm,
        r->xr_noise_dbm,     r->xr_rerl_db,
        r->xr_buffer_ms,     r->xr_buffer_max_ms,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        fprintf(to, ",%.17g", values[i]);
    }
}

static inline void dump_fax(FILE *to, const struct sidetone_fax *f)
{
    fprintf(to, " fax=%s,%" PRIu64 ",%" PRIu64, f->error_correction ? f->error_correction : "",
            f->recovered, f->data_packets);
    for (size_t i = 0; i < f->indicator_count; i++) {
        fprintf(to, ",%s", f->indicators[i]);
    }
}

static inline void dump_stream(FILE *to, const struct sidetone_stream *s)
{
    fprintf(to, "stream ssrc=%08x clock=%u call=%" PRId64, s->ssrc, s->clock_hz, s->call);
    dump_endpoint(to, "src", &s->src);
    dump_endpoint(to, "dst", &s->dst);
    dump_text(to, "codec", s->codec);
    dump_text(to, "call_id", s->call_id);
    for (size_t i = 0; i < s->payload_type_count; i++) {
        fprintf(to, " pt=%u", s->payload_types[i]);
    }
    fprintf(to,
            " packets=%" PRIu64 " unique=%" PRIu64 " expected=%" PRIu64 " lost=%" PRIu64
            " duplicates=%" PRIu64 " reordered=%" PRIu64 " too_late=%" PRIu64 " bytes=%" PRIu64
            " loss=%.17g start=%" PRId64 " end=%" PRId64
            " jitter=%.17g jitter_max=%.17g delta_max=%.17g mos=%.17g r=%.17g missing=%s"
            " burst_ratio=%.17g bursts=%" PRIu64 " encrypted=%d",
            s->packets, s->unique, s->expected, s->lost, s->duplicates, s->reordered, s->too_late,
            s->bytes, s->loss_percent, s->start_ns, s->end_ns, s->jitter_ms, s->jitter_max_ms,
            s->delta_max_ms, s->mos, s->r_factor, s->mos_missing ? s->mos_missing : "",
            s->burst_ratio, s->bursts, s->encrypted);
    fprintf(to,
            " discarded=%" PRIu64 " discard=%.17g runs=%" PRIu64 " run_max=%" PRIu64
            " burst=%.17g,%.17g gap=%.17g,%.17g gap_max=%" PRId64 " worst=%" PRId64,
            s->discarded, s->discard_percent, s->loss_runs, s->loss_run_max, s->burst_percent,
            s->burst_ms, s->gap_percent, s->gap_ms, s->gap_max_ns, s->worst_interval);
    fprintf(to, " kind=%s has_ssrc=%d announced=%d branch=%" PRId64, s->kind ? s->kind : "",
            s->has_ssrc, s->is_announced, s->branch);
    if (s->fax) {
        dump_fax(to, s->fax);
    }
    fprintf(to, " model=%s doubt=%s", s->mos_model ? s->mos_model : "",
            s->mos_doubt ? s->mos_doubt : "");
    dump_text(to, "dtmf", s->dtmf);
    fprintf(to, " by=%s", s->encrypted_by ? s->encrypted_by : "");
    dump_rtcp(to, s->rtcp);
    for (size_t i = 0; i < s->segment_count; i++) {
        dump_text(to, "segment", s->segments[i].codec);
        fprintf(to, ",%" PRIu64, s->segments[i].packets);
    }
    for (size_t i = 0; i < s->interval_count; i++) {
        const struct sidetone_interval *at = &s->intervals[i];
        fprintf(to, " interval=%" PRId64 ",%u,%u,%u,%.9g,%.17g", at->start_ns, at->packets,
                at->lost, at->discarded, at->jitter_ms, at->mos);
    }
    fputc('\n', to);
    dump_findings(to, s->findings, s->finding_count);
}

// The caller frees the text.
static inline char *report_dump(const struct sidetone_report *r)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    dump_capture(to, sidetone_report_capture(r));
    for (size_t i = 0; i < sidetone_report_calls(r); i++) {
        struct sidetone_call call;
        sidetone_report_call(r, i, scratch, &call);
        dump_call(to, &call);
    }
    for (size_t i = 0; i < sidetone_report_streams(r); i++) {
        struct sidetone_stream stream;
        sidetone_report_stream(r, i, scratch, &stream);
        dump_stream(to, &stream);
    }
    sidetone_scratch_free(scratch);
    fclose(to);
    return text;
}

#endif
