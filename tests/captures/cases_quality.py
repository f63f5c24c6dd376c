"""Scores by codec and by the size of its packets; losses of the capture itself, and what looks like them."""
import random
import struct

from cases_media import MEDIA_AT, PACKET, call, rtp, steady, stream, to_a
from files import Ng, pcap, records
from frames import D, MS, START_NS
from sip import A, B, media, sdp


def scored(add, name, pt, text, clock, size, packet_ms=20, count=200, gone=(), **also):
    """One direction of a codec with packets of this size."""
    lines = [media(port, (pt if text is None else (pt, text), 101)) for port in (10000, 20000)]
    step = clock * packet_ms // 1000
    out = [D(MEDIA_AT + i * packet_ms * MS, A, B, 10000, 20000, rtp(i, i * step, pt=pt, payload=bytes(size)))
           for i in range(count) if i not in gone]
    stream(add, 'score_' + name, out, call(sdp(A, lines[0]), sdp(B, lines[1])), lost=len(gone), **also)


def scores(add):
    narrow, wide = {'mos_model': 'G.107', 'mos_missing': None}, {'mos_model': 'G.107.1', 'mos_missing': None}
    scored(add, 'pcmu', 0, None, 8000, 160, r_factor='~93.2', mos='~4.409', **narrow)
    scored(add, 'g729', 18, None, 8000, 20, r_factor='~82.2', mos='~4.104', **narrow)
    scored(add, 'g729_5_percent', 18, None, 8000, 20, gone=range(10, 200, 20), r_factor='~64.7', mos='~3.340', **narrow)
    scored(add, 'g723_63', 4, None, 8000, 24, 30, r_factor='~78.2', **narrow)
    scored(add, 'g723_53', 4, None, 8000, 20, 30, r_factor='~74.2', **narrow)
    scored(add, 'gsm', 3, None, 8000, 33, r_factor='~73.2', **narrow)
    scored(add, 'gsm_efr', 96, 'GSM-EFR/8000', 8000, 31, r_factor='~88.2', **narrow)
    scored(add, 'gsm_hr', 96, 'GSM-HR-08/8000', 8000, 15, r_factor='~70.2', codec='GSM-HR-08', **narrow)
    scored(add, 'g728', 15, None, 8000, 40, r_factor='~86.2', **narrow)
    for kbps, ie in ((16, 50), (24, 25), (32, 7), (40, 2)):
        scored(add, 'g726_%d' % kbps, 97, 'G726-%d/8000' % kbps, 8000, kbps * 20 // 8, r_factor='~%.1f' % (93.2 - ie), **narrow)
    scored(add, 'amr_122', 98, 'AMR/8000', 8000, 32, r_factor='~88.2', **narrow)
    scored(add, 'amr_122_aligned', 98, 'AMR/8000', 8000, 33, r_factor='~88.2', **narrow)
    scored(add, 'amr_74_two_frames', 98, 'AMR/8000', 8000, 39, 40, r_factor='~83.2', **narrow)
    scored(add, 'amr_wb_1265', 99, 'AMR-WB/16000', 16000, 33, r_factor='~109', mos='~4.182', **wide)
    scored(add, 'amr_wb_2385_2_percent', 99, 'AMR-WB/16000', 16000, 61, gone=(20, 60, 100, 140), r_factor='~94.362', **wide)
    none = {'mos': None, 'r_factor': None, 'mos_model': None}
    lacking = 'packets are lacking, and no Bpl of this codec or mode is published'
    scored(add, 'gsm_lacking', 3, None, 8000, 33, gone=(7,), mos_missing=lacking, **none)
    scored(add, 'amr_475', 98, 'AMR/8000', 8000, 14, mos_missing='no Ie and Bpl of this mode of the codec are known here', **none)
    scored(add, 'amr_odd', 98, 'AMR/8000', 8000, 26,
           mos_missing='the codec has several modes, and the size of its packets does not tell which', **none)
    scored(add, 'g722', 9, None, 8000, 160, mos='~4.337', r_factor='~116.0', mos_model='G.107.1')
    scored(add, 'opus', 111, 'opus/48000/2', 48000, 80, mos_missing='no Ie and Bpl of this codec are known here', **none)
    scored(add, 'evs', 112, 'EVS/16000', 16000, 33,
           mos_missing='values of this codec are published for the fullband E-model only', **none)


def rtcp_times(add):
    """Media both ways for 4 s; a report of A at 1 s, and B's answer to it 250 ms after it came: 40 ms on the way and back."""
    def report(kind, ssrc, body):
        return struct.pack('>BBHI', 0x80 | (kind == 201), kind, (4 + len(body)) // 4, ssrc) + body
    both = steady(200) + steady(200, to_a, ssrc=9)
    second = (START_NS // 10**9 + 2208988800 + 1) & 0xffffffff  # NTP time of the report
    sr = report(200, 0x1234, struct.pack('>IIIII', second, 0, 8000, 46, 7360))
    last = (second & 0xffff) << 16
    rr = report(201, 9, struct.pack('>IBBHIIII', 0x1234, 0, 0, 0, 45, 16, last, 250 * 65536 // 1000))
    both += [D(1000 * MS, A, B, 10001, 20001, sr), D(1290 * MS, B, A, 20001, 10001, rr)]
    stream(add, 'rtcp_times', both, streams=2, lost=0, **{'capture.rtcp_packets': 2})


def unannounced(add):
    """A dynamic type without signalling: 48 kHz, 20 ms, each third packet 6 ms late."""
    out = [p._replace(t=p.t + (i % 3 == 2) * 6 * MS) for i, p in enumerate(steady(200, pt=96, step=960))]
    stream(add, 'unannounced_type', out, [], sip=0, calls=0, lost=0, codec=None, jitter_ms=None)
    late = [p._replace(t=p.t + (i % 3 == 2) * 6 * MS) for i, p in enumerate(steady(200))]
    stream(add, 'third_late', late, lost=0, jitter_ms='~3.688', jitter_max_ms='~4.128')


COUNT = 250


def trunk(calls, gone, backwards=True, count=COUNT):
    """Media of calls between two gateways, one phase later each, both ways. gone(stream, t, i): is it not in the capture?"""
    out = []
    for n in range(calls):
        for way in range(2 if backwards else 1):
            number = 2 * n + way
            for i in range(count):
                t = MEDIA_AT + i * PACKET + number * 3 * MS
                if not gone(number, t, i):
                    src, dst = ((A, 10000 + 10 * n), (B, 20000 + 10 * n))[::-1 if way else 1]
                    out.append(D(t, src[0], dst[0], src[1], dst[1], rtp(i, i * 160, ssrc=100 + number)))
    return out


def dropped(ng, interface, count, by_system=0):
    """An interface statistics block: a comment, packets received, dropped by the interface and by the system."""
    options = ng.option(1, b'counters') + ng.option(4, ng.pack('Q', 100000)) + ng.option(5, ng.pack('Q', count))
    options += ng.option(7, ng.pack('Q', by_system)) + ng.option(0, b'')
    return ng.block(5, ng.pack('III', interface, 0, 0) + options)


SENTENCE = 'Packets are missing at the same moment in %d of %d streams: the capture lost them, probably not the network.'
SUSPECTED = {'findings[capture_loss_suspected].severity': 'warning', 'mos_doubt': 'the capture lost packets'}


def doubted(which, lacking, active, more=''):
    out = {}
    for i in which:
        out.update({'streams[%d].%s' % (i, k): v for k, v in SUSPECTED.items()})
        out['streams[%d].findings[capture_loss_suspected].text' % i] = SENTENCE % (lacking, active) + more
    return out


def undoubted(which):
    return {'streams[%d].mos_doubt' % i: None for i in which}


def losses(add):
    def hole(t, length=200 * MS, at=2000 * MS):
        return at <= t < at + length
    told = Ng().interface().packets(records(trunk(3, lambda n, t, i: hole(t))))
    add('capture_loss_told.pcapng', dropped(told, 0, 50, 10).out, sip=0, calls=0, streams=6,
        also=dict(doubted(range(6), 6, 6, ' It says itself that it dropped 60.'),
                  **{'capture.dropped': 60, 'sum.lost': 60, 'capture.warnings.length': 1, 'capture.complete': True}))

    def case(name, calls, gone, streams, also, **more):
        add('capture_loss_%s.pcap' % name, pcap(records(trunk(calls, gone, **more))), sip=0, calls=0, streams=streams,
            also=dict(also, **{'capture.dropped': 0, 'capture.warnings.length': 0}))
    case('untold', 3, lambda n, t, i: hole(t), 6, dict(doubted(range(6), 6, 6), **{'sum.lost': 60}))
    case('of_one_packet', 6, lambda n, t, i: hole(t, 20 * MS), 12, dict(doubted(range(12), 12, 12), **{'sum.lost': 12}))
    case('of_half_a_packet', 6, lambda n, t, i: n < 9 and hole(t, 20 * MS), 12,
         dict(doubted(range(9), 9, 12), **undoubted(range(9, 12))))
    case('twice', 2, lambda n, t, i: hole(t) or hole(t, 60 * MS, 3000 * MS), 4, dict(doubted(range(4), 4, 4), **{'sum.lost': 52}))
    # What looks like it, and need not be.
    case('not_of_one_direction', 3, lambda n, t, i: n % 2 == 0 and hole(t), 6, undoubted(range(6)))
    case('not_of_one_way', 4, lambda n, t, i: hole(t), 4, undoubted(range(4)), backwards=False)
    case('not_of_two_streams', 1, lambda n, t, i: hole(t), 2, undoubted(range(2)))
    case('not_at_other_times', 3, lambda n, t, i: hole(t, at=(1000 + 400 * n) * MS), 6, undoubted(range(6)))
    for percent in (2, 5, 10, 30, 60):
        dice = random.Random(percent)
        lost = {(n, i) for n in range(6) for i in range(1, COUNT - 1) if dice.random() < percent / 100}
        case('not_at_random_%d' % percent, 3, lambda n, t, i, lost=lost: (n, i) in lost, 6, undoubted(range(6)))
    bad = {(0, i) for i in range(5, 80, 5)}  # one stream is bad before, too
    case('and_a_bad_stream', 3, lambda n, t, i: (n, i) in bad or hole(t, 100 * MS), 6,
         dict(doubted(range(1, 6), 5, 6), **undoubted([0])))

    # Said and not seen; the newest count of each interface of each section holds.
    def said(name, ng, count, **also):
        add('capture_drops_%s.pcapng' % name, ng.out, sip=0, calls=0, streams=2,
            also=dict(also, **{'capture.dropped': count, 'sum.lost': 0, 'capture.complete': True,
                               'capture.warnings.length': 1 if count else 0, 'streams[0].mos_doubt': None}))
    rs = records(trunk(1, lambda n, t, i: False, count=50))
    said('none', dropped(Ng().interface().packets(rs), 0, 0), 0)
    said('only_said', dropped(Ng().interface().packets(rs), 0, 1000), 1000)
    ng = Ng('>').interface().interface().packets(rs[:50])
    for interface, count in ((0, 5), (1, 7), (0, 20), (1, 7), (9, 1000)):
        dropped(ng, interface, count)
    ng.packets(rs[50:])
    said('of_two_interfaces', dropped(ng, 0, 21), 28)
    first = dropped(Ng().interface().packets(rs[:50]), 0, 5)
    second = dropped(Ng('>').interface().packets(rs[50:]), 0, 6)
    first.out += second.out
    said('of_two_sections', first, 11)
    huge = dropped(Ng().interface().packets(rs), 0, 2**64 - 1, 2**64 - 1)
    said('absurd', huge, 2**64 - 1)
    cut = Ng().interface().packets(rs)
    cut.block(5, cut.pack('II', 0, 0))
    cut.block(5, cut.pack('III', 0, 0, 0) + cut.option(5, b'\1\2\3\4'))
    said('malformed', cut, 0)


def cases(add):
    scores(add)
    rtcp_times(add)
    unannounced(add)
    losses(add)
