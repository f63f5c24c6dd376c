// The payload map of one media line, for tests that need just that.
#ifndef SIDETONE_TESTS_UNIT_MAP_OF_H
#define SIDETONE_TESTS_UNIT_MAP_OF_H

#include "track/payload_map.h"

static inline const struct payload_map *map_of(struct payload_map_table *t,
                                               const struct sdp_media *media)
{
    struct payload_list list = {0};
    payload_list_add(&list, media);
    return payload_map_intern(t, &list);
}

#endif
