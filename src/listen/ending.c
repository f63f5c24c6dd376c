// How a call ended that nobody hung up: its media stopped, or its session timer ran out. What did
// not happen any more is known at the end of the capture only.
#include "listen/report.h"

#include "track/call_extras.h"

// How long no media must have come before a call counts as ended by that. Not smaller: silence
// suppression and short holds pause media for seconds. Not larger: captures of minutes end soon
// after their calls.
#define MEDIA_STOPPED_NS INT64_C(30000000000)

// The stream of the call that ended last, or NULL.
static const struct stream *last_stream(const struct sidetone_report *r, size_t call)
{
    const struct stream *last = NULL;
    for (uint32_t i = r->call_streams_begin[call]; i < r->call_streams_begin[call + 1]; i++) {
        const struct stream *s = r->streams[r->call_streams[i]].stream;
        last = !last || stream_end_ns(s) > stream_end_ns(last) ? s : last;
    }
    return last;
}

// Who is on hold hears nothing, and has not lost anything.
static void judge_media(struct call_ending *e, const struct call *c, const struct stream *last,
                        int64_t now_ns)
{
    if (last && stream_end_ns(last) > TIME_NOT_KNOWN_NS &&
        now_ns - stream_end_ns(last) >= MEDIA_STOPPED_NS &&
        !call_was_held(c, stream_end_ns(last), now_ns)) {
        e->media_stopped = true;
        e->media_at = last->first_at;
    }
}

struct call_ending report_ending(const struct sidetone_report *r, size_t call)
{
    const struct call *c = r->calls[call];
    struct call_ending e = {0};
    enum call_state state = call_state(c);
    if (c->kind != KIND_CALL || (state != STATE_ANSWERED && state != STATE_ENDED)) {
        return e;
    }
    int64_t now_ns = r->engine.totals.last_ns;
    enum call_lapse lapse = call_timer_lapse(c, now_ns);
    const struct stream *last = last_stream(r, call);
    if (state == STATE_ANSWERED && c->bye_ns == TIME_NOT_SEEN) {
        judge_media(&e, c, last, now_ns);
    }
    if (lapse == LAPSE_BYE) {
        e.timer_ran_out = e.by_timer = true;
        e.timer_at = c->extras->timer.bye_at;
    } else if (lapse == LAPSE_NO_BYE) {
        const struct call_timer *t = &c->extras->timer;
        int64_t end_ns = t->since_ns + t->interval_ns;
        bool is_up = last && stream_end_ns(last) > end_ns; // nobody minds the timer
        bool was_over = e.media_stopped && stream_end_ns(last) + MEDIA_STOPPED_NS < end_ns;
        e.timer_ran_out = true;
        e.timer_at = t->at;
        e.by_timer = !is_up && !was_over;
    }
    e.by_media = e.media_stopped && !e.by_timer;
    return e;
}
