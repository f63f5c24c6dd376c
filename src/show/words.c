// Words for names and numbers of the report. docs/json.md lists the same names.
#include "show/words.h"

#include <stddef.h>
#include <string.h>

struct word {
    const char *name, *text;
};

static const struct word REASONS[] = {
    {"not_ip", "no IP packet (ARP, spanning tree, LLDP ...)"},
    {"not_sip_or_media", "IP, but neither SIP nor RTP or RTCP"},
    {"encrypted", "encrypted (TLS, DTLS or ESP)"},
    {"unknown_linktype", "a link layer that is not read"},
    {"truncated", "cut by the capture before its headers end: capture with a larger snap length"},
    {"fragment_incomplete", "an IP fragment of which others did not come"},
    {"tunnel", "inside a tunnel that is not opened (compressed PPP and other rare ones)"},
    {"tunnel_too_deep", "more headers or tunnels inside each other than any real network has"},
};

static const struct word ODDITIES[] = {
    {"cap.clock.back", "inputs whose clock steps back"},
    {"cap.time.absurd", "packets with a time that cannot be"},
    {"cap.interface.unknown", "packets of an interface that the file does not describe"},
    {"ip.fragment.incomplete", "datagrams of which not all fragments came"},
    {"ip.fragment.conflict", "fragments that overlap with other bytes: the first ones count"},
    {"ip.fragment.overlap_v6", "IPv6 datagrams dropped because their fragments overlap"},
    {"ip.fragment.overlong", "fragments that end beyond 65,535 bytes"},
    {"ip.fragment.tiny", "first fragments without a whole transport header"},
    {"ip.fragment.forgotten", "datagrams in fragments, given up for want of room"},
    {"tcp.retransmitted", "segments that were sent again"},
    {"tcp.reordered", "segments that came before one that they follow"},
    {"tcp.overlap.conflict", "bytes sent again that differ: the first ones count"},
    {"tcp.gap", "holes in a stream: bytes that the capture lacks"},
    {"tcp.mid_stream", "streams whose beginning was not captured"},
    {"tcp.skipped_bytes", "bytes of a stream passed over up to the next message"},
    {"tcp.forgotten", "connections given up for want of room"},
    {"sip.stream.incomplete", "messages of a stream of which not all bytes came"},
    {"sip.stream.too_long", "messages of a stream cut at 1 MiB"},
    {"ws.frame", "WebSocket frames that cannot be"},
    {"hep.length", "HEP envelopes whose lengths do not fit"},
    {"hep.inflate", "HEP payloads that cannot be decompressed"},
    {"hep.payload", "HEP envelopes of SIP that hold none"},
    {"sctp.retransmitted", "SCTP packets with nothing new"},
    {"sctp.incomplete", "SCTP messages of which not all chunks came"},
    {"rtp.header", "RTP whose header does not fit into its packet"},
    {"rtp.candidate.forgotten", "what might have been RTP, given up for want of room"},
    {"sdp.codecs.left_out", "offers and answers of which not all codecs were kept"},
    {"sip.line.lf", "lines end with LF alone"},
    {"sip.line.folded", "a header goes on in the next line (obsolete)"},
    {"sip.start_line.blanks", "too many blanks in the start line"},
    {"sip.start_line.leading_bytes", "empty lines or blanks before the start line"},
    {"sip.start_line.version", "another version than SIP/2.0"},
    {"sip.start_line.method", "the method is no token"},
    {"sip.start_line.uri", "the Request-URI has brackets, blanks or forbidden bytes"},
    {"sip.start_line.status_code", "the status code is not 100 to 699"},
    {"sip.start_line.no_reason", "no blank behind the status code"},
    {"sip.header.no_colon", "a header line without a colon"},
    {"sip.header.name", "a header name that is empty or no token"},
    {"sip.header.unterminated", "the headers end without an empty line"},
    {"sip.header.too_many", "more header lines than are indexed"},
    {"sip.header.control_bytes", "NUL or other control bytes in the headers"},
    {"sip.header.not_utf8", "headers that are not UTF-8"},
    {"sip.via.missing", "no Via"},
    {"sip.via.malformed", "the topmost Via makes no sense"},
    {"sip.via.no_branch", "the topmost Via has no branch"},
    {"sip.from.missing", "no From"},
    {"sip.from.duplicate", "more than one From"},
    {"sip.from.malformed", "From has unbalanced quotes or brackets, or no URI"},
    {"sip.to.missing", "no To"},
    {"sip.to.duplicate", "more than one To"},
    {"sip.to.malformed", "To has unbalanced quotes or brackets, or no URI"},
    {"sip.contact.malformed", "Contact cannot be read"},
    {"sip.call_id.missing", "no Call-ID"},
    {"sip.call_id.duplicate", "more than one Call-ID"},
    {"sip.call_id.empty", "an empty Call-ID"},
    {"sip.cseq.missing", "no CSeq"},
    {"sip.cseq.duplicate", "more than one CSeq"},
    {"sip.cseq.number", "the CSeq number is none, or above 2^31-1"},
    {"sip.cseq.method", "CSeq names another method than the request"},
    {"sip.max_forwards.duplicate", "more than one Max-Forwards"},
    {"sip.max_forwards.range", "Max-Forwards is not 0 to 255"},
    {"sip.retry_after.range", "Retry-After is no number of at most 2^32-1"},
    {"sip.expires.range", "Expires is no number of at most 2^32-1"},
    {"sip.content_length.malformed", "Content-Length is no number, or absurd"},
    {"sip.content_length.negative", "Content-Length is negative"},
    {"sip.content_length.conflict", "several Content-Length that differ"},
    {"sip.content_length.short", "bytes follow behind the Content-Length"},
    {"sip.content_length.long", "Content-Length is more than there is"},
    {"sip.content_length.missing", "no Content-Length on a stream"},
    {"sip.warning.malformed", "Warning is empty or malformed"},
    {"sip.date.malformed", "Date is no date, or not GMT"},
    {"sip.auth.malformed", "credentials or challenge cannot be read"},
    {"sip.uri.scheme", "a URI of an unknown scheme"},
    {"sip.truncated", "the message was cut by the capture"},
};

static const char *look_up(const struct word *words, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i].name, name) == 0) {
            return words[i].text;
        }
    }
    return NULL;
}

const char *words_severity(enum sidetone_severity s)
{
    switch (s) {
    case SIDETONE_NOTE:
        return "note";
    case SIDETONE_WARNING:
        return "warning";
    case SIDETONE_ERROR:
        return "error";
    }
    return "note";
}

const char *words_reason(const char *name)
{
    return look_up(REASONS, sizeof REASONS / sizeof *REASONS, name);
}

const char *words_oddity(const char *name)
{
    return look_up(ODDITIES, sizeof ODDITIES / sizeof *ODDITIES, name);
}
