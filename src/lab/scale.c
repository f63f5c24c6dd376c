// Figures of a program by numbers of cores.
#include "lab/scale.h"

#include "base/memory.h"

#include <math.h>

static struct figures measured(const struct series *s, size_t arm, enum series_measure measure)
{
    double *values = memory_alloc(s->runs * sizeof *values);
    series_values(s, arm, measure, values);
    struct figures figures = figures_of(values, s->runs);
    memory_free(values);
    return figures;
}

struct scale_row scale_row_of(const struct series *s, const uint32_t *cores, size_t arm,
                              uint64_t packets, uint64_t bytes)
{
    struct scale_row row = {
        .cores = cores[arm],
        .wall = measured(s, arm, SERIES_WALL),
        .user = measured(s, arm, SERIES_USER),
        .system = measured(s, arm, SERIES_SYSTEM),
        .peak = measured(s, arm, SERIES_PEAK),
        .peak_is_bound = series_peak_is_bound(s, arm),
        .packets_per_s = NAN,
    };
    row.bytes_per_s = (double)bytes / row.wall.median;
    if (packets > 0) {
        row.packets_per_s = (double)packets / row.wall.median;
    }
    row.speed_up = measured(s, 0, SERIES_WALL).median / row.wall.median;
    row.efficiency = row.speed_up * cores[0] / cores[arm];
    return row;
}
