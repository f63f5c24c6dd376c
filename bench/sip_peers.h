// Other parsers of SIP, where they were there when this was built: for comparison only.
#ifndef SIDETONE_BENCH_SIP_PEERS_H
#define SIDETONE_BENCH_SIP_PEERS_H

#include <stddef.h>

struct sip_peer {
    const char *name;
    int is_there; // no bool here: libre has a type of its own with this name
    void (*begin)(const char *p, size_t n); // what it needs once for each message
    int (*parse)(const char *p, size_t n);  // 0 where it took it; frees what came out
    void (*end)(void);
};

#define SIP_PEERS 2
extern const struct sip_peer SIP_PEER[SIP_PEERS];

#endif
