// Scoring by the E-model.
#include "judge/quality.h"

#include "judge/emodel.h"
#include "judge/quality_codec.h"

#include <math.h>

double quality_burst_ratio(uint64_t lost, uint64_t expected, uint64_t runs)
{
    if (lost == 0 || runs == 0 || lost > expected) {
        return 1;
    }
    double p = (double)lost / (double)expected;
    double ratio = (double)lost / (double)runs * (1 - p);
    return ratio > 1 ? ratio : 1;
}

double quality_mos(double r)
{
    return emodel_mos(r);
}

static struct quality score(const struct quality_input *in, const struct impairment *codec)
{
    bool is_wideband = codec_is_wideband(codec->codec);
    uint64_t lacking = in->lacking < in->expected ? in->lacking : in->expected;
    double p = 100.0 * (double)lacking / (double)in->expected;
    // G.107.1 has no burst ratio in its (7-15), and G.113 no wideband values for bursts.
    double burst_ratio = in->burst_ratio > 1 && !is_wideband ? in->burst_ratio : 1;
    double ie_eff =
        lacking == 0 ? codec->ie : emodel_equipment(codec->ie, codec->bpl, p, burst_ratio);
    double id = is_wideband ? emodel_delay_wideband(in->one_way_ms) : emodel_delay(in->one_way_ms);
    double r = (is_wideband ? EMODEL_R_WIDEBAND : EMODEL_R_NARROWBAND) - id - ie_eff;
    r = r > 0 ? r : 0;
    return (struct quality){.r_factor = r,
                            .mos = is_wideband ? emodel_mos_wideband(r) : emodel_mos(r),
                            .model = is_wideband ? "G.107.1" : "G.107"};
}

struct quality quality_score(const struct quality_input *in)
{
    const char *missing;
    const struct impairment *codec =
        impairment_of(in->codec, in->payload_bytes, in->packet_ms, &missing);
    if (!codec) {
        return (struct quality){.missing = missing};
    }
    if (in->expected == 0) {
        return (struct quality){.missing = "no packet was expected"};
    }
    if (in->lacking > 0 && isnan(codec->bpl)) {
        return (struct quality){
            .missing = "packets are lacking, and no Bpl of this codec or mode is published"};
    }
    return score(in, codec);
}
