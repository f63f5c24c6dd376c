// What the ITU-T published about codecs: equipment impairment and robustness to lost packets.
#ifndef SIDETONE_JUDGE_QUALITY_CODEC_H
#define SIDETONE_JUDGE_QUALITY_CODEC_H

#include "wire/rtp/codec.h"

// One codec, or one mode of it.
struct impairment {
    enum codec codec;
    double kbps; // of the mode
    double ie;   // Ie; wideband: Ie,WB
    double bpl;  // Bpl; wideband: Bpl,WB; NaN: none is published, so no score where packets lack
};

// The row of a codec in the mode that its packets tell: mean payload of a packet and the time that
// it stands for, NaN where not known. NULL where there is none; *missing then says why, in words.
const struct impairment *impairment_of(enum codec codec, double payload_bytes, double packet_ms,
                                       const char **missing);

bool codec_is_wideband(enum codec codec);

#endif
