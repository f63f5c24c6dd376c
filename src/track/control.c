// Folding reports into the account that they belong to.
#include "track/control.h"

// --- senders ---

// A count that went back is that of a report which came late, or of a sender that began again: the
// clock of the sender tells. Without one (RFC 3550 6.4.1 allows 0), the distance does.
static bool went_back(const struct control_sender *s, const struct rtcp_sender_info *info)
{
    int32_t step = (int32_t)(info->packets - s->newest_packets);
    if (!s->has_counts || step >= 0) {
        return false;
    }
    return info->ntp != 0 ? info->ntp > s->newest_ntp : step < -CONTROL_BACK_MAX;
}

bool control_sender_restarts(const struct control_sender *s, const struct rtcp_sender_info *info,
                             int64_t now_ns)
{
    bool is_over = s->has_bye && now_ns - s->bye_ns > CONTROL_BYE_NS;
    return is_over || went_back(s, info);
}

static void remember_sent(struct control_sender *s, uint32_t ntp_middle, int64_t now_ns)
{
    for (uint32_t i = 0; i < s->recent_count; i++) {
        if (s->recent[i].ntp_middle == ntp_middle) {
            return; // seen again at another hop
        }
    }
    s->recent[s->recent_next] = (struct control_sent){ntp_middle, now_ns};
    s->recent_next = (s->recent_next + 1) % CONTROL_RECENT;
    s->recent_count += s->recent_count < CONTROL_RECENT;
}

void control_sender_report(struct control_sender *s, const struct rtcp_sender_info *info,
                           int64_t now_ns)
{
    s->reports++;
    if (info->ntp != 0) {
        remember_sent(s, (uint32_t)(info->ntp >> 16), now_ns);
    }
    if (!s->has_counts) {
        s->has_counts = true;
        s->first_packets = s->newest_packets = info->packets;
        s->first_octets = s->newest_octets = info->octets;
        s->first_report_ns = now_ns;
    }
    uint32_t step = info->packets - s->newest_packets;
    if ((int32_t)step < 0) {
        return; // it came late
    }
    s->grown_packets += step;
    s->grown_octets += info->octets - s->newest_octets; // wraps as its count does
    s->newest_packets = info->packets;
    s->newest_octets = info->octets;
    s->newest_ntp = info->ntp;
}

// --- reports ---

bool control_about_restarts(const struct control_about *a, const struct rtcp_report *report)
{
    int32_t step = (int32_t)(report->highest_sequence - a->newest.highest_sequence);
    return a->reports > 0 && step < -CONTROL_BACK_MAX;
}

// The round trip between the capture and the reporter; negative where it cannot be known.
static int64_t round_trip_ns(const struct rtcp_report *report, const struct control_sender *sender,
                             int64_t now_ns)
{
    if (report->lsr == 0 || now_ns <= TIME_NOT_KNOWN_NS) {
        return -1;
    }
    for (uint32_t i = 0; i < sender->recent_count; i++) {
        const struct control_sent *sent = &sender->recent[i];
        if (sent->ntp_middle == report->lsr && sent->time_ns > TIME_NOT_KNOWN_NS) {
            int64_t kept_ns = (int64_t)((uint64_t)report->dlsr * 1000000000u >> 16);
            return now_ns - sent->time_ns - kept_ns;
        }
    }
    return -1;
}

static void note_round_trip(struct control_about *a, int64_t ns)
{
    if (ns >= 0 && ns <= CONTROL_ROUND_TRIP_MAX_NS) {
        a->round_trip_sum_ns += (double)ns;
        a->round_trip_max_ns = ns > a->round_trip_max_ns ? ns : a->round_trip_max_ns;
        a->round_trips++;
    }
}

void control_about_report(struct control_about *a, const struct rtcp_report *report,
                          const struct control_sender *sender, struct order at, int64_t now_ns)
{
    if (a->reports == 0) {
        a->first_report = a->newest = *report;
        a->first_report_at = a->newest_at = at;
    }
    a->reports++;
    a->fraction_max = report->fraction > a->fraction_max ? report->fraction : a->fraction_max;
    a->jitter_sum += report->jitter;
    a->jitter_max = report->jitter > a->jitter_max ? report->jitter : a->jitter_max;
    if ((int32_t)(report->highest_sequence - a->newest.highest_sequence) >= 0) {
        a->newest = *report;
        a->newest_at = at;
    }
    if (sender) {
        note_round_trip(a, round_trip_ns(report, sender, now_ns));
    }
}

// --- extended reports ---

static struct control_xr *xr_of(struct control_about *a, struct arena *arena)
{
    a->xr = a->xr ? a->xr : ARENA_NEW(arena, struct control_xr);
    a->xr->blocks++;
    return a->xr;
}

void control_about_losses(struct control_about *a, struct arena *arena,
                          const struct rtcp_xr_losses *losses)
{
    struct control_xr *xr = xr_of(a, arena);
    xr->has_rle = true;
    xr->rle_lost += losses->lost;
    xr->rle_longest = losses->longest > xr->rle_longest ? losses->longest : xr->rle_longest;
}

void control_about_statistics(struct control_about *a, struct arena *arena,
                              const struct rtcp_xr_statistics *statistics)
{
    struct control_xr *xr = xr_of(a, arena);
    xr->has_lost = xr->has_lost || statistics->has_lost;
    xr->has_duplicates = xr->has_duplicates || statistics->has_duplicates;
    xr->lost += statistics->has_lost ? statistics->lost : 0;
    xr->duplicates += statistics->has_duplicates ? statistics->duplicates : 0;
    if (statistics->has_jitter) {
        xr->jitter_sum += statistics->jitter;
        xr->jitter_count++;
    }
}

void control_about_voip(struct control_about *a, struct arena *arena,
                        const struct rtcp_xr_voip *voip)
{
    struct control_xr *xr = xr_of(a, arena);
    xr->has_voip = true;
    xr->voip = *voip;
}
