// Headers in which endpoints sum up the media of a call, in BYE, its answer and re-INVITEs.
//
//     X-RTP-Stat   AVM, snom, baresip: CS=3;PS=523;ES=524;...;PL=0,0;...;DE=PCMA;JI=23,2;IP=a,b
//                  AudioCodes, Poly:   PS=207;OS=49680;PR=314;OR=50240;PL=0;JI=600;LA=40
//     P-RTP-Stat   Cisco:  PS=10,OS=1600,PR=11,OR=1760,PL=0,JI=3,LA=40,DU=20
//     RTP-RxStat   Cisco:  Dur=15,Pkt=755,Oct=120800,LatePkt=0,LostPkt=2,AvgJit=24,VQMetrics="..."
//     RTP-TxStat   Cisco:  Dur=15,Pkt=750,Oct=120000
//
// Vendors differ in the unit of jitter. AudioCodes, Poly and Cisco's P-RTP-Stat have milliseconds.
// AVM's description of X-RTP-Stat and Cisco's of RTP-RxStat have units of the RTP timestamp: they
// are converted where the clock is known. LA is a round trip in P-RTP-Stat; in X-RTP-Stat it means
// something else for each vendor and is left out, as is DL.
#ifndef SIDETONE_WIRE_SIP_RTP_STAT_H
#define SIDETONE_WIRE_SIP_RTP_STAT_H

#include "wire/sip/media_report.h"

enum rtp_stat_format {
    RTP_STAT_X,  // X-RTP-Stat
    RTP_STAT_P,  // P-RTP-Stat
    RTP_STAT_RX, // RTP-RxStat
    RTP_STAT_TX, // RTP-TxStat
};

// Returns false where the value has no count of packets.
bool rtp_stat_read(struct media_report *out, enum rtp_stat_format format, struct slice value);

#endif
