// What does one SIP message cost as a line of JSON, and what do numbers cost?
//
// The output is thrown away a buffer at a time.
#include "bench.h"
#include "show/json_writer.h"
#include "show/message_json.h"

static struct output out;

static int throw_away(void *context, const char *p, size_t n)
{
    (void)context;
    bench_seen += n + (uint8_t)p[0];
    return 0;
}

#define TEXT(literal) ((struct sidetone_text){(literal), sizeof(literal) - 1})

static const struct sidetone_packet PACKETS[] = {{0, 12345}};
static const struct sidetone_text NAMES[] = {{"Via", 3}, {"From", 4}, {"To", 2}, {"Call-ID", 7}};
static const struct sidetone_text VALUES[] = {
    {"SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK74bf9;rport", 53},
    {"\"Alice\" <sip:alice@atlanta.example.com>;tag=9fxced76sl", 54},
    {"\"Bob\" <sip:bob@biloxi.example.com>", 34},
    {"3848276298220188511@atlanta.example.com", 39},
};

static struct sidetone_message invite(void)
{
    return (struct sidetone_message){
        .time_ns = INT64_C(1700000000123456789),
        .src = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 10}, 5060},
        .dst = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 20}, 5060},
        .transport = "UDP",
        .is_request = true,
        .method = TEXT("INVITE"),
        .uri = TEXT("sip:bob@biloxi.example.com"),
        .call_id = TEXT("3848276298220188511@atlanta.example.com"),
        .cseq = TEXT("1 INVITE"),
        .from = TEXT("sip:alice@atlanta.example.com"),
        .to = TEXT("sip:bob@biloxi.example.com"),
        .from_tag = TEXT("9fxced76sl"),
        .branch = TEXT("z9hG4bK74bf9"),
        .length = 450,
        .packets = PACKETS,
        .packet_count = 1,
        .header_names = NAMES,
        .header_values = VALUES,
        .header_count = 4,
    };
}

static void plain(const void *context)
{
    (void)context;
    struct sidetone_message m = invite();
    message_json(&out, &m, false);
}

static void with_headers(const void *context)
{
    (void)context;
    struct sidetone_message m = invite();
    message_json(&out, &m, true);
}

static void decimals(const void *context)
{
    (void)context;
    struct json j;
    json_init(&j, &out);
    json_open(&j, '[');
    json_decimal(&j, 1.0 / 3, 6);
    json_decimal(&j, 4.409, 3);
    json_ms(&j, INT64_C(40000500));
    json_time(&j, INT64_C(1700000000123456789));
    json_close(&j, ']');
}

int main(int argc, char **argv)
{
    const struct bench benches[] = {
        {"message", plain, NULL, 1, 100000},
        {"message with headers", with_headers, NULL, 1, 100000},
        {"four numbers", decimals, NULL, 1, 100000},
    };
    output_init(&out, throw_away, NULL);
    return bench_main(argc, argv, "JSON writer: a line", benches, sizeof benches / sizeof *benches);
}
