// Findings: what a person should know of a call or stream, in one sentence, with the packets that
// show it.
#ifndef SIDETONE_JUDGE_FINDINGS_H
#define SIDETONE_JUDGE_FINDINGS_H

#include "sidetone/report.h"
#include "track/call.h"
#include "track/control.h"
#include "track/stream.h"

// Most findings that one call or stream can have.
#define FINDINGS_MAX 16

// Room for a sentence with numbers, which is cut there. Not smaller: a sentence with four numbers
// of 20 digits. Not larger: each view has the list.
#define FINDING_TEXT_BYTES 256

struct finding_list {
    size_t count;
    struct sidetone_finding items[FINDINGS_MAX];
    struct sidetone_packet packets[FINDINGS_MAX]; // one each
    char texts[FINDINGS_MAX][FINDING_TEXT_BYTES]; // of those with numbers in their sentence
};

// `now_ns`: the end of the capture.
void findings_of_call(const struct call *c, int64_t now_ns, struct finding_list *out);

// Findings of a call that only the whole capture shows. `at`: order.at of the packet that shows it.
void findings_session_timer(struct finding_list *out, uint64_t at);
void findings_media_stopped(struct finding_list *out, uint64_t at);

// `former`: the stream between the same addresses that this one took over from without signalling,
// or NULL; `next`: the one that took over from it, or NULL.
void findings_of_stream(const struct stream *s, const struct stream *former,
                        const struct stream *next, struct finding_list *out);

// Packets that the capture lost of a stream. `text`: the sentence, lives as long as the list; `at`:
// order.at of the first packet after them.
void findings_of_capture(const char *text, uint64_t at, struct finding_list *out);

// More of the same stream: how much its receivers say that they lost, against what the capture
// lacks. `senders` and `reports`: its accounts of RTCP, by of_stream.
void findings_of_control(const struct stream *s, const struct control_sender *senders,
                         const struct control_about *reports, struct finding_list *out);

#endif
