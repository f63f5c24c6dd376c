// libosip2 and libre as peers of the parser. Both are asked for what our side does: all header
// lines found, and Via, From, To, CSeq, Call-ID, Max-Forwards, Content-Length and Contact decoded
// with their URIs. libosip2 decodes them while it parses; libre all but Contact.
#include "sip_peers.h"

#if defined(HAVE_OSIP)
#include <osipparser2/osip_parser.h>

static void osip_begin(const char *p, size_t n)
{
    (void)p;
    (void)n;
    parser_init();
}

static int osip_parse(const char *p, size_t n)
{
    osip_message_t *m = NULL;
    if (osip_message_init(&m) != 0) {
        return -1;
    }
    int error = osip_message_parse(m, p, n);
    osip_message_free(m);
    return error;
}

static void osip_end(void)
{
}

#endif

#if defined(HAVE_RE)
#define HAVE_INTTYPES_H // its headers make types of their own without
#include <re.h>

static struct mbuf *buffer;

static void re_begin(const char *p, size_t n)
{
    buffer = mbuf_alloc(n);
    mbuf_write_mem(buffer, (const uint8_t *)p, n);
}

static int re_parse(const char *p, size_t n)
{
    (void)p;
    (void)n;
    struct sip_msg *m = NULL;
    buffer->pos = 0;
    if (sip_msg_decode(&m, buffer) != 0) {
        return -1;
    }
    const struct sip_hdr *contact = sip_msg_hdr(m, SIP_HDR_CONTACT);
    struct sip_addr address;
    int error = contact ? sip_addr_decode(&address, &contact->val) : 0;
    mem_deref(m);
    return error;
}

static void re_end(void)
{
    buffer = mem_deref(buffer);
}

#endif

const struct sip_peer SIP_PEER[SIP_PEERS] = {
#if defined(HAVE_OSIP)
    {"libosip2", 1, osip_begin, osip_parse, osip_end},
#else
    {"libosip2", 0, NULL, NULL, NULL},
#endif
#if defined(HAVE_RE)
    {"libre", 1, re_begin, re_parse, re_end},
#else
    {"libre", 0, NULL, NULL, NULL},
#endif
};
