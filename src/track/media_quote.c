// ICMP errors that no call knows: the stream whose packet one quotes.
#include "track/media_bin.h"

static uint32_t flow_hash(struct endpoint src, struct endpoint dst)
{
    return (uint32_t)hash_mix(endpoint_hash(src, hash_secret), endpoint_hash(dst, ~hash_secret));
}

static uint32_t flow_find(const struct media_bin *b, struct endpoint src, struct endpoint dst,
                          uint32_t hash)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&b->flows, hash, &at)) != INDEX_NONE) {
        if (endpoint_eq(stream_src(b->streams[i]), src) &&
            endpoint_eq(stream_dst(b->streams[i]), dst)) {
            break;
        }
    }
    return i;
}

// Enters the streams that were made since the last error: each once, and none without errors.
static void flows_follow(struct media_bin *b)
{
    for (; b->flow_streams < b->stream_count; b->flow_streams++) {
        const struct stream *s = b->streams[b->flow_streams];
        uint32_t hash = flow_hash(stream_src(s), stream_dst(s));
        uint32_t before = flow_find(b, stream_src(s), stream_dst(s), hash);
        if (before == INDEX_NONE) {
            index_table_add(&b->flows, hash, b->flow_streams);
        } else {
            index_table_replace(&b->flows, hash, before, b->flow_streams);
        }
    }
}

void media_bin_quoted(struct media_bin *b, const struct media_record *r)
{
    if (r->quote->is_known) {
        return;
    }
    flows_follow(b);
    uint32_t index = flow_find(b, r->src, r->dst, flow_hash(r->src, r->dst));
    if (index == INDEX_NONE) {
        b->unknown_quotes++;
        return;
    }
    struct stream *s = b->streams[index];
    icmp_see(&stream_extras_of(s, &b->arena)->icmp, r->quote, r->order.at);
}
