// ICMP errors: which call or stream has to hear of one.
//
// The quote holds at least the ports, the identification and the checksum of the datagram, and
// often the beginning of its payload. With a Call-ID it goes to the bin of that call; without,
// every bin of calls is asked. The bin of media towards the quoted destination comes last: it hears
// whether a call knew the datagram.
#include "decode/parts.h"
#include "wire/sip/value.h"

// No SIP message is shorter: what is, was a probe, and floods of those must cost little.
#define MESSAGE_BYTES_MIN 100

// The Call-ID that is quoted whole; empty where there is none.
static struct slice quoted_call_id(const struct datagram *quoted)
{
    struct sip_message m;
    if (sip_parse(&m, (const char *)quoted->payload, quoted->payload_n, SIP_DATAGRAM, true) <= 0 ||
        m.first[SIP_H_CALL_ID] < 0 || sip_header_is_cut(&m, m.first[SIP_H_CALL_ID])) {
        return slice_of(NULL, 0);
    }
    return sip_value(&m, SIP_H_CALL_ID);
}

static void ask_bin(struct records *r, struct icmp_quote *quote, uint8_t bin,
                    const struct origin *from)
{
    *RECORDS_PUSH(r, QUOTE_RECORDS, struct quote_record, bin) =
        (struct quote_record){from->order, from->time_ns, quote};
}

static void ask_calls(struct records *r, const struct datagram *quoted, struct icmp_quote *quote,
                      const struct origin *from)
{
    struct slice call_id = quoted_call_id(quoted);
    if (call_id.n > 0) {
        quote->call_id = call_id;
        quote->call_id_hash = (uint32_t)hash_bytes(call_id.p, call_id.n, hash_secret);
        ask_bin(r, quote, bin_of_call(call_id), from);
    } else if (quoted->payload_length >= MESSAGE_BYTES_MIN) {
        for (unsigned bin = 0; bin < BINS; bin++) {
            ask_bin(r, quote, (uint8_t)bin, from);
        }
    }
}

enum reason decode_icmp(struct records *r, const struct datagram *d, const struct origin *from)
{
    struct datagram quoted;
    if (!peel_quoted(d, &quoted)) {
        return REASON_NOT_SIP_OR_MEDIA;
    }
    struct icmp_quote *quote = ARENA_NEW(&r->kept, struct icmp_quote);
    quote->type = d->icmp_type;
    quote->code = d->icmp_code;
    quote->is_v6 = !address_is_v4(d->src.addr);
    quote->frame_set = frame_set_of(&quoted);
    ask_calls(r, &quoted, quote, from);
    struct media_record *m =
        RECORDS_PUSH(r, MEDIA_RECORDS, struct media_record, bin_of_media(quoted.dst));
    *m = (struct media_record){
        .order = from->order,
        .time_ns = from->time_ns,
        .src = quoted.src,
        .dst = quoted.dst,
        .kind = MEDIA_QUOTED,
    };
    m->quote = quote;
    r->counts.other_media++;
    return REASON_NONE;
}
