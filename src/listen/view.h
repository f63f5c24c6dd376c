// Filling the public views: what the files view*.c share.
#ifndef SIDETONE_LISTEN_VIEW_H
#define SIDETONE_LISTEN_VIEW_H

#include "judge/findings.h"
#include "listen/report.h"

struct sidetone_scratch {
    struct arena arena;
    struct finding_list findings;
    uint8_t payload_types[128];
};

#endif
