#include "flow/carried.h"
#include "flow/tcp.h"
struct tcp_side *tcp_side_new(void)
{
    return 0;
}
void tcp_side_free(struct tcp_side *s)
{
    (void)s;
}
bool tcp_segment_read(struct tcp_segment *s, const uint8_t *t, const uint8_t *p, uint32_t n,
                      uint32_t l)
{
    (void)s;
    (void)t;
    (void)p;
    (void)n;
    (void)l;
    return false;
}
enum tcp_result tcp_side_segment(struct tcp_side *s, const struct tcp_segment *g, bool w,
                                 const struct tcp_sink *k, uint64_t o[FLOW_ODD_COUNT])
{
    (void)s;
    (void)g;
    (void)w;
    (void)k;
    (void)o;
    return TCP_NEWS;
}
void tcp_side_acknowledged(struct tcp_side *s, uint32_t a, int64_t c, const struct tcp_sink *k,
                           uint64_t o[FLOW_ODD_COUNT])
{
    (void)s;
    (void)a;
    (void)c;
    (void)k;
    (void)o;
}
void tcp_side_tick(struct tcp_side *s, int64_t c, const struct tcp_sink *k,
                   uint64_t o[FLOW_ODD_COUNT])
{
    (void)s;
    (void)c;
    (void)k;
    (void)o;
}
void tcp_side_finish(struct tcp_side *s, const struct tcp_sink *k, uint64_t o[FLOW_ODD_COUNT])
{
    (void)s;
    (void)k;
    (void)o;
}
bool tcp_side_has_begun(const struct tcp_side *s)
{
    (void)s;
    return 0;
}
size_t tcp_side_held(const struct tcp_side *s)
{
    (void)s;
    return 0;
}
struct carried *carried_new(void)
{
    return 0;
}
void carried_free(struct carried *c)
{
    (void)c;
}
enum carried_kind carried_kind(const struct carried *c)
{
    (void)c;
    return 0;
}
size_t carried_held(const struct carried *c)
{
    (void)c;
    return 0;
}
bool carried_starts_well(const uint8_t *p, uint32_t n)
{
    (void)p;
    (void)n;
    return 0;
}
void carried_bytes(struct carried *c, const uint8_t *p, uint32_t n, struct packet_ref f, bool b,
                   const struct carried_sink *k, uint64_t o[FLOW_ODD_COUNT])
{
    (void)c;
    (void)p;
    (void)n;
    (void)f;
    (void)b;
    (void)k;
    (void)o;
}
void carried_gap(struct carried *c, uint64_t n, const struct carried_sink *k,
                 uint64_t o[FLOW_ODD_COUNT])
{
    (void)c;
    (void)n;
    (void)k;
    (void)o;
}
void carried_end(struct carried *c, const struct carried_sink *k, uint64_t o[FLOW_ODD_COUNT])
{
    (void)c;
    (void)k;
    (void)o;
}
