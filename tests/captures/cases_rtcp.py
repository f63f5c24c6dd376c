"""RTCP: reports of senders and receivers, extended reports, round trips, loss that only one side knows; on the port of the
media, beside it, alone, over TCP, encrypted, cut, mirrored and lying."""
import struct

from cases_media import MEDIA_AT, PACKET, call, rtp, steady, to_a, to_b
from files import cut, pcap, records
from frames import D, MS, START_NS, eth, fragments, ip
from files import packets as framed_packets
from sip import A, B, Talk, media, sdp
from streams import Connection, framed

NTP_1970 = 2208988800
SECOND = 1000 * MS
X, Y = 0x1234, 9  # SSRC of A's stream, of B's
SR, RR, SDES, BYE, APP, RTPFB, PSFB, XR = range(200, 208)


def ntp(t):
    """64 bits of a time after the start of the capture."""
    ns = START_NS + t
    return (ns // 10**9 + NTP_1970 << 32) + (ns % 10**9 << 32) // 10**9


def part(kind, count, body, padding=0, words=None):
    """One RTCP packet; words: a length that is a lie."""
    body += b'\0' * (-len(body) % 4)
    body += b'\0' * (padding - 1) + bytes([padding]) if padding else b''
    return struct.pack('>BBH', 0x80 | bool(padding) << 5 | count, kind, len(body) // 4 if words is None else words) + body


def block(ssrc, lost=0, fraction=0, highest=0, jitter=0, lsr=0, dlsr=0):
    return struct.pack('>IIIIII', ssrc, fraction << 24 | lost & 0xffffff, highest, jitter, lsr, dlsr)


def sr(ssrc, t=0, sent=0, octets=None, blocks=(), count=None, **more):
    info = struct.pack('>IQIII', ssrc, ntp(t) if t is not None else 0, 0, sent, sent * 160 if octets is None else octets)
    return part(SR, len(blocks) if count is None else count, info + b''.join(blocks), **more)


def rr(ssrc, *blocks, count=None, **more):
    return part(RR, len(blocks) if count is None else count, struct.pack('>I', ssrc) + b''.join(blocks), **more)


def cname(ssrc, text, other=()):
    items = bytes([1, len(text)]) + text + b''.join(bytes([kind, len(value)]) + value for kind, value in other) + b'\0'
    return part(SDES, 1, struct.pack('>I', ssrc) + items)


def bye(*ssrcs, reason=None):
    return part(BYE, len(ssrcs), struct.pack('>%dI' % len(ssrcs), *ssrcs) +
                (bytes([len(reason)]) + reason if reason is not None else b''))


def extended(ssrc, *blocks):
    return part(XR, 0, struct.pack('>I', ssrc) + b''.join(blocks))


def xr_block(kind, body, specific=0, words=None):
    return struct.pack('>BBH', kind, specific, len(body) // 4 if words is None else words) + body


def losses(ssrc, begin, end, *chunks, thinning=0, kind=1):
    chunks += (0,) * (len(chunks) % 2)
    return xr_block(kind, struct.pack('>IHH%dH' % len(chunks), ssrc, begin, end, *chunks), thinning)


def statistics(ssrc, lost, copies, jitter, flags=0xe0):
    return xr_block(6, struct.pack('>IHHIIIIIIBBBB', ssrc, 0, 500, lost, copies, 1, 999, jitter, 5, 0, 0, 0, 0), flags)


def voip(ssrc, signal=-20, noise=-60, rerl=55, r=82, external=127, mos_lq=40, mos_cq=39, round_trip=120, end_system=80):
    return xr_block(7, struct.pack('>IBBBBHHHHbbBBBBBBBBHHH', ssrc, 13, 26, 128, 5, 300, 9000, round_trip, end_system, signal,
                                   noise, rerl, 16, r, external, mos_lq, mos_cq, 0xa0, 0, 40, 60, 300))


def feedback(kind, ssrc, about, fmt=1):
    return part(kind, fmt, struct.pack('>II', ssrc, about))


def by_a(t, *parts, ports=(10001, 20001), src=A, dst=B, **more):
    return D(t, src, dst, *ports, b''.join(parts), **more)


def by_b(t, *parts, ports=(20001, 10001), src=B, dst=A, **more):
    return D(t, src, dst, *ports, b''.join(parts), **more)


MUX_A, MUX_B = dict(ports=(10000, 20000)), dict(ports=(20000, 10000))


def both(count=500):
    return steady(count, ssrc=X) + steady(count, to_a, ssrc=Y)


def at(n):
    """The time of the n-th packet of the media, and a little."""
    return MEDIA_AT + n * PACKET + 5 * MS


def case(add, name, datagrams, rtcp, streams=2, sip=3, calls=1, signalling=None, capture=None, **also):
    """also: of streams[0].rtcp, or whole paths."""
    out = (call() if signalling is None else signalling) + datagrams
    paths = {k if '[' in k or '.' in k else 'streams[0].rtcp.' + k: v for k, v in also.items()}
    paths['capture.rtcp_packets'] = rtcp
    add('rtcp_%s.pcap' % name, pcap(records(out)) if capture is None else capture, sip=sip, calls=calls, streams=streams,
        also=paths)


def forms(add):
    mux = both() + [
        by_a(at(250), sr(X, at(250), 251, blocks=[block(Y, highest=250)]), cname(X, b'alice@ex'), **MUX_A),
        by_b(at(251), rr(Y, block(X, lost=-2, fraction=10, highest=250, jitter=80)), cname(Y, b'bob@ex'), **MUX_B)]
    case(add, 'mux', mux, 2, packets=2, sender_reports=1, reports=1, sent_packets=251, sent_bytes=251 * 160, lost=-2,
         lost_percent='~3.90625', fraction_max_percent='~3.90625', jitter_ms='~10', jitter_max_ms='~10', cname='alice@ex', bye=False,
         **{'streams[0].packets': 500, 'streams[1].packets': 500, 'streams[1].rtcp.cname': 'bob@ex',
            'streams[1].rtcp.lost': 0, 'streams[1].rtcp.sender_reports': 0, 'streams[1].rtcp.sent_packets': None,
            'streams[0].findings.length': 0, 'capture.rtp_packets': 1000, 'streams[0].rtcp.rtt_ms': None,
            'streams[0].rtcp.xr': None, 'capture.duplicates': 0})
    apart = both() + [
        by_a(at(n), sr(X, at(n), n + 1), cname(X, b'alice@ex')) for n in (100, 200, 300)] + [
        by_b(at(n) + MS, rr(Y, block(X, lost=n // 50 - 2, fraction=n // 100, highest=n, jitter=n)), cname(Y, b'bob@ex'))
        for n in (100, 200, 300)]
    case(add, 'beside_the_media', apart, 6, packets=6, sender_reports=3, reports=3, sent_packets=301, lost=4,
         lost_percent='~2', fraction_max_percent='~1.171875', jitter_ms='~25', jitter_max_ms='~37.5')
    whole = both() + [
        by_a(at(499), sr(X, at(499), 500), cname(X, b'alice@ex', [(2, b'Alice'), (6, b'phone/1')]), bye(X, reason=b'teardown')),
        by_b(at(499) + MS, rr(Y, block(X, lost=0, highest=499)), cname(Y, b'bob@ex'),
             extended(Y, losses(X, 0, 500, 0x4000 | 100, 3, 0x4000 | 200, 0xffff ^ 0x20), losses(X, 0, 500, 7, kind=2),
                      xr_block(4, b'\0' * 8), xr_block(5, struct.pack('>III', X, 0, 0)), statistics(X, 4, 2, 160), voip(X)),
             part(APP, 3, struct.pack('>I', Y) + b'NAME' + b'data'), bye(Y))]
    case(add, 'compound', whole, 2, packets=2, sent_packets=500, bye=True, cname='alice@ex', lost=0,
         **{'streams[1].rtcp.bye': True, 'streams[0].rtcp.xr.reports': 3, 'streams[0].rtcp.xr.rle_lost': 4,
            'streams[0].rtcp.xr.rle_longest': 3, 'streams[0].rtcp.xr.lost': 4, 'streams[0].rtcp.xr.duplicates': 2,
            'streams[0].rtcp.xr.jitter_ms': '~20', 'streams[0].rtcp.xr.loss_percent': '~5.078125',
            'streams[0].rtcp.xr.discard_percent': '~10.15625', 'streams[0].rtcp.xr.burst_percent': '~50',
            'streams[0].rtcp.xr.gap_percent': '~1.953125', 'streams[0].rtcp.xr.burst_ms': '~300',
            'streams[0].rtcp.xr.gap_ms': '~9000', 'streams[0].rtcp.xr.round_trip_ms': '~120',
            'streams[0].rtcp.xr.end_system_ms': '~80', 'streams[0].rtcp.xr.r_factor': '~82', 'streams[0].rtcp.xr.mos_lq': '~4.0',
            'streams[0].rtcp.xr.mos_cq': '~3.9', 'streams[0].rtcp.xr.signal_dbm': '~-20', 'streams[0].rtcp.xr.noise_dbm': '~-60',
            'streams[0].rtcp.xr.rerl_db': '~55', 'streams[0].rtcp.xr.buffer_ms': '~40', 'streams[0].rtcp.xr.buffer_max_ms': '~60'})
    unknown = both() + [by_b(at(400), rr(Y), extended(Y, voip(X, signal=127, noise=127, rerl=127, r=127, mos_lq=127, mos_cq=0,
                                                             round_trip=0, end_system=0)))]
    case(add, 'xr_not_available', unknown, 1, packets=1, reports=0, lost=None, lost_percent=None, jitter_ms=None,
         **{'streams[0].rtcp.xr.%s' % name: None for name in
            ('signal_dbm', 'noise_dbm', 'rerl_db', 'r_factor', 'mos_lq', 'mos_cq', 'round_trip_ms', 'end_system_ms', 'lost')},
         **{'streams[0].rtcp.xr.loss_percent': '~5.078125', 'streams[0].rtcp.xr.reports': 1})
    reduced = both() + [by_a(at(10), feedback(PSFB, X, Y), **MUX_A), by_b(at(11), feedback(RTPFB, Y, X, 15), **MUX_B),
                        by_b(at(12), extended(Y, voip(X)), **MUX_B), by_a(at(499), bye(X), **MUX_A)]
    case(add, 'reduced_size', reduced, 4, packets=4, bye=True, reports=0,
         **{'streams[0].rtcp.xr.reports': 1, 'streams[1].rtcp.packets': 3, 'streams[1].rtcp.bye': False})
    padded = both() + [by_a(at(250), sr(X, at(250), 251), cname(X, b'alice@ex'), part(BYE, 1, struct.pack('>I', X), padding=8)),
                       by_b(at(251), rr(Y, block(X, lost=1, highest=250), padding=4))]
    case(add, 'padding', padded, 2, sent_packets=251, cname='alice@ex', bye=True, lost=1)


def round_trips(add):
    def asked(n, far, near, kept=31250000):  # 2,048 / 65,536 s
        """A's report and B's answer `far` later; B's report and A's answer `near` later."""
        t, back = at(n), at(n) + 40 * MS
        dlsr = kept * 65536 // SECOND
        return [by_a(t, sr(X, t, n)), by_b(t + far + kept, rr(Y, block(X, highest=n, lsr=ntp(t) >> 16 & 0xffffffff, dlsr=dlsr))),
                by_b(back, sr(Y, back, n)),
                by_a(back + near + kept, rr(X, block(Y, highest=n, lsr=ntp(back) >> 16 & 0xffffffff, dlsr=dlsr)))]
    halves = both() + asked(100, 30 * MS, 2 * MS) + asked(300, 50 * MS, 4 * MS)
    case(add, 'round_trip', halves, 8, rtt_ms='~43', rtt_max_ms='~54', one_way_ms='~21.5',
         **{'streams[1].rtcp.rtt_ms': '~43', 'streams[1].rtcp.rtt_max_ms': '~54'})
    case(add, 'round_trip_half', both() + asked(100, 30 * MS, 2 * MS)[:2], 2, rtt_ms='~30', one_way_ms='~15',
         **{'streams[1].rtcp.rtt_ms': '~30'})
    absurd = both() + asked(100, -30 * MS, -2 * MS, 60 * MS) + asked(150, 12 * SECOND, 11 * SECOND)
    case(add, 'round_trip_absurd', absurd, 8, rtt_ms=None, rtt_max_ms=None, one_way_ms=None, reports=2)
    other = both() + asked(100, 30 * MS, 2 * MS)[:1] + [by_b(at(105), rr(Y, block(X, highest=100, lsr=0x12345678, dlsr=1)))]
    case(add, 'round_trip_of_no_report_seen', other, 2, rtt_ms=None)
    late = both() + [by_a(at(n), sr(X, at(n), n)) for n in (100, 110, 120)] + [
        by_b(at(130), rr(Y, block(X, highest=125, lsr=ntp(at(100)) >> 16 & 0xffffffff, dlsr=65536 // 2)))]
    case(add, 'round_trip_of_an_older_report', late, 4, rtt_ms='~100')


def loss(add):
    def reports(lost, last=900):
        return [by_b(at(n), rr(Y, block(X, lost=lost(n), highest=n))) for n in range(100, last + 1, 100)]
    clean, found = steady(1000, ssrc=X) + steady(1000, to_a, ssrc=Y), 'streams[0].findings.length'
    case(add, 'loss_not_captured', clean + reports(lambda n: n // 20), 9, lost=45, lost_percent='~5', **{
        'streams[0].findings[0].name': 'loss_not_captured', 'streams[0].findings[0].severity': 'warning', found: 1,
        'streams[0].findings[0].text': 'Its receiver lost 45 of 901 packets, the capture lacks 0 of them: they were lost behind '
                                       'the capture point.'})
    gone = {n for n in range(300, 700) if n % 4 == 1}
    holes = [p for i, p in enumerate(steady(1000, ssrc=X)) if i not in gone] + steady(1000, to_a, ssrc=Y)
    case(add, 'capture_loss', holes + reports(lambda n: n // 300), 9, lost=3, **{
        'streams[0].lost': 100, 'streams[0].findings[0].name': 'capture_loss', found: 1,
        'streams[0].findings[0].text': 'The capture lacks 100 of 901 packets, its receiver lost 3 of them: the capture lost '
                                       'packets, not the network.'})
    agreed = reports(lambda n: len([g for g in gone if g <= n]))
    case(add, 'loss_agreed', holes + agreed, 9, lost=100, **{found: 0, 'streams[0].lost': 100})
    few = reports(lambda n: n // 225)
    case(add, 'loss_hardly_differs', clean + few, 9, lost=4, **{found: 0})
    # Without signalling and sender reports nobody knows what the receiver counted before the capture.
    alone = steady(1000, ssrc=X, seq=5000)
    before = [by_b(at(n), rr(Y, block(X, lost=400, highest=5000 + n))) for n in (100, 500, 900)]
    case(add, 'loss_before_the_capture', alone + before, 3, streams=1, sip=0, calls=0, signalling=[], lost=400, lost_percent='~0',
         **{found: 0})
    # The numbers wrap, and the reports count the cycles.
    wraps = steady(1000, ssrc=X, seq=65036)
    cycles = [by_b(at(n), rr(Y, block(X, lost=n // 10, highest=65036 + n + 7 * 65536))) for n in (100, 900)]
    case(add, 'loss_over_the_wrap', wraps + cycles, 2, streams=1, sip=0, calls=0, signalling=[], lost=90, lost_percent='~10', **{
        'streams[0].findings[0].name': 'loss_not_captured',
        'streams[0].findings[0].text': 'Its receiver lost 80 of 800 packets, the capture lacks 0 of them: they were lost behind '
                                       'the capture point.'})


def proof(add):
    bare = dict(sip=0, calls=0, signalling=[])
    short = steady(3, ssrc=X)
    case(add, 'proves_short_stream', short + [by_a(at(3), sr(X, at(3), 3), cname(X, b'a'))], 1, streams=1, packets=1,
         sent_packets=3, **bare, **{'streams[0].packets': 3, 'capture.analysed': 4})
    case(add, 'report_proves_short_stream', short + [by_b(at(3), rr(Y, block(X, highest=2)))], 1, streams=1, reports=1, **bare)
    case(add, 'of_another_ssrc_proves_nothing', short + [by_a(at(3), sr(X + 1, at(3), 3))], 1, streams=0, **bare,
         **{'capture.not_analysed.not_sip_or_media': 3})
    case(add, 'of_another_address_proves_nothing', short + [by_a(at(3), sr(X, at(3), 3), dst='198.51.100.77')], 1, streams=0,
         **bare, **{'capture.not_analysed.not_sip_or_media': 3})
    case(add, 'alone', [by_a(at(3), sr(X, at(3), 3)), by_b(at(4), rr(Y, block(X)))], 2, streams=0, **bare,
         **{'capture.analysed': 2})


def matching(add):
    other = '198.51.100.77'
    report = sr(X, at(250), 251)
    case(add, 'any_port', both() + [by_a(at(250), report, ports=(40404, 20001))], 1, sent_packets=251)
    case(add, 'no_known_port', both() + [by_a(at(250), report, ports=(40404, 50505))], 1, sent_packets=251)
    case(add, 'nat', both() + [by_a(at(250), report, src='10.0.0.5')], 1, sent_packets=251)
    # Two receivers with the same SSRC from one sender: each has its own.
    second = [D(p.t, A, other, 10000, 20000, p.data) for p in steady(500, ssrc=X)]
    case(add, 'same_ssrc_elsewhere', both() + second +
         [by_a(at(250), report), by_a(at(251), sr(X, at(251), 77), dst=other), by_a(at(252), sr(X, at(252), 9000), dst='203.0.113.9')],
         3, streams=3, packets=1, sent_packets=251, **{'sum.packets': 1500, 'streams[1].rtcp': None,
                                                       'streams[2].rtcp.sent_packets': 77})
    # Several phones on one machine: ports alone tell them apart.
    local = [D(p.t, '127.0.0.1', '127.0.0.1', port, port + 10000, p.data) for port in (6000, 7000) for p in steady(100, ssrc=X)]
    case(add, 'one_machine', local + [by_a(at(50), sr(X, at(50), 51), src='127.0.0.1', dst='127.0.0.1', ports=(6001, 16001)),
                                      by_a(at(51), sr(X, at(51), 52), src='127.0.0.1', dst='127.0.0.1', ports=(7001, 17001))],
         2, sip=0, calls=0, signalling=[], sent_packets=51, **{'streams[1].rtcp.sent_packets': 52})
    # The same SSRC and addresses in a second call: each has what was said in its time.
    later = 20 * SECOND
    again = [p._replace(t=p.t + later) for p in steady(200, ssrc=X)]
    two = steady(300, ssrc=X) + again
    said = [by_a(at(100), sr(X, at(100), 101)), by_a(at(290), sr(X, at(290), 291), bye(X)),
            by_b(at(291), rr(Y, block(X, lost=7, highest=290))),
            by_a(later + at(50), sr(X, later + at(50), 51)), by_a(later + at(150), sr(X, later + at(150), 151)),
            by_b(later + at(151), rr(Y, block(X, lost=3, highest=150)))]
    case(add, 'second_call', two + said, 6, signalling=call() + call(call_id='n@x', at=later), sip=6, calls=2, sent_packets=291,
         lost=7, bye=True, **{'streams[1].rtcp.sent_packets': 151, 'streams[1].rtcp.lost': 3, 'streams[1].rtcp.bye': False,
                              'streams[1].rtcp.sender_reports': 2, 'streams[0].rtcp.sender_reports': 2})
    # A capture that begins in the middle of a call knows only what grew.
    middle = steady(500, ssrc=X, seq=5000)
    grown = [by_a(at(n), sr(X, at(n), 90000 + n)) for n in (100, 200, 400)]
    case(add, 'from_the_middle', middle + grown, 3, streams=1, sip=0, calls=0, signalling=[], sent_packets=300, sent_bytes=48000)
    wraps = [by_a(at(n), sr(X, at(n), n - 200 & 0xffffffff, octets=(n - 200) * 160 & 0xffffffff)) for n in (100, 200, 400)]
    case(add, 'counts_wrap', middle + wraps, 3, streams=1, sip=0, calls=0, signalling=[], sent_packets=300, sent_bytes=48000)


def ways(add):
    said = [by_a(at(250), sr(X, at(250), 251), cname(X, b'alice@ex'), ident=501),
            by_b(at(251), rr(Y, block(X, lost=-2, fraction=10, highest=250, jitter=80)), ident=502)]
    mirrored = both() + [p._replace(t=p.t + k * 20000) for p in said for k in (0, 1)]
    case(add, 'mirrored', mirrored, 4, packets=2, sender_reports=1, reports=1, lost=-2, sent_packets=251,
         **{'capture.duplicates': 2, 'capture.packets': 1007, 'capture.analysed': 1007})
    hop = both() + [p._replace(t=p.t + k * MS, ttl=64 - k) for p in said for k in (0, 1)]
    case(add, 'at_two_hops', hop, 4, packets=4, lost=-2, sent_packets=251, **{'capture.duplicates': 0})
    late = both() + [p._replace(t=p.t + k * 60 * MS) for p in said for k in (0, 1)]
    case(add, 'again_after_60_ms', late, 4, packets=4, **{'capture.duplicates': 0})
    for name, keep in (('sender_info', 42 + 28), ('header', 42 + 8), ('block', 42 + 8 + 24), ('first_word', 42 + 4)):
        with_block = both() + [by_a(at(250), sr(X, at(250), 251, blocks=[block(Y, lost=5, highest=250)]), cname(X, b'alice@ex'))]
        rs = records(call() + with_block)
        rs = [cut([r], keep)[0] if len(r.frame) == 42 + 52 + 20 else r for r in rs]
        case(add, 'cut_in_' + name, [], 1, capture=pcap(rs), cname=None,
             **{'streams[1].rtcp.lost': None, 'streams[0].rtcp.sent_packets': 251 if keep >= 70 else None,
                'streams[0].rtcp.sender_reports': None if keep < 50 else 1})
    t = Connection(at=MEDIA_AT, a=(A, 10000), b=(B, 20000))
    for i in range(20):
        t.say(framed(rtp(i, i * 160, X)))
    t.say(framed(sr(X, t.t, 20), rtp(20, 3200, X)))
    t.say(framed(rr(Y, block(X, lost=-2, highest=20))), by_a=False)
    add('rtcp_over_tcp.pcap', pcap(records(t.out)), sip=0, calls=0, streams=1, also={
        'capture.rtcp_packets': 2, 'streams[0].rtcp.packets': 2, 'streams[0].rtcp.lost': -2, 'streams[0].rtcp.sender_reports': 1,
        'streams[0].packets': 21})
    large = by_a(at(250), sr(X, at(250), 251), cname(X, b'alice@ex' * 20))
    timed = [(p.t, ip(p._replace(ident=i + 1))) for i, p in enumerate(call() + both())]
    timed += [(large.t + k * 1000, f) for k, f in enumerate(fragments(ip(large._replace(ident=9999)), 64, 128, ident=9999))]
    add('rtcp_in_fragments.pcap', pcap(framed_packets(timed)), sip=3, calls=1, streams=2, also={
        'capture.rtcp_packets': 1, 'streams[0].rtcp.sent_packets': 251, 'streams[0].rtcp.cname': 'alice@ex' * 20})


def sealed(add):
    """SRTCP: what follows the first eight bytes is noise, then comes the index and a tag of 80 bits."""
    noise = bytes((i * 73 + 11) & 255 for i in range(200))
    first = sr(X, at(250), 251, blocks=[block(Y)])
    packet = first[:8] + noise[:len(first) - 8] + noise[:37] + b'\x80\0\0\1' + noise[60:70]
    case(add, 'sealed', both() + [by_a(at(250), packet)], 1, packets=1, sender_reports=1, reports=0, sent_packets=None, cname=None,
         **{'streams[0].encrypted': True, 'streams[0].encrypted_by': 'srtcp', 'streams[1].encrypted': False,
            'streams[1].rtcp': None})
    rs = [cut([r], 42 + 28)[0] if len(r.frame) == 42 + len(packet) else r for r in records(call() + both() + [by_a(at(250), packet)])]
    case(add, 'sealed_and_cut', [], 1, capture=pcap(rs), sent_packets=None,
         **{'streams[0].encrypted_by': 'srtcp', 'streams[1].rtcp': None})
    alone = feedback(PSFB, X, Y) + b'\x80\0\0\2' + noise[:10]
    case(add, 'sealed_feedback', both() + [by_a(at(250), alone, **MUX_A)], 1, packets=1,
         **{'streams[0].encrypted_by': 'srtcp', 'streams[1].rtcp': None})


def lies(add):
    nothing = {'streams[1].rtcp': None}
    lying = {
        'count': (rr(Y, block(X, lost=3, highest=5), count=31), dict(reports=1, lost=3)),
        'count_without_blocks': (sr(X, at(250), 251, count=31), dict(sent_packets=251, reports=0, **nothing)),
        'short_sender_report': (part(SR, 0, struct.pack('>IQ', X, ntp(at(250)))), dict(sender_reports=1, sent_packets=None)),
        'padding': (sr(X, at(250), 251) + struct.pack('>BBHIBBBB', 0xa1, BYE, 2, X, 0, 0, 0, 77), dict(bye=True, sent_packets=251)),
        'item': (sr(X, at(250), 251) + part(SDES, 1, struct.pack('>IBB', X, 1, 200) + b'alice'), dict(cname=None, sent_packets=251)),
        'chunks': (sr(X, at(250), 251) + part(SDES, 31, struct.pack('>IBB', X, 1, 5) + b'alice\0'), dict(cname='alice')),
        'sources': (sr(X, at(250), 251) + part(BYE, 31, struct.pack('>I', X)), dict(bye=True)),
        'reason': (sr(X, at(250), 251) + part(BYE, 1, struct.pack('>IB', X, 255) + b'why'), dict(bye=True)),
        'block': (rr(Y) + extended(Y, xr_block(7, b'\0' * 32, words=200)), dict(packets=None, **{'streams[1].rtcp.packets': 1})),
        'short_block': (rr(Y) + extended(Y, xr_block(7, struct.pack('>I', X)), xr_block(6, b''), xr_block(1, b'\0' * 4)),
                        {'packets': None, 'streams[1].rtcp.packets': 1}),
        'run': (rr(Y) + extended(Y, losses(X, 65530, 4, 0x3fff, 0x8000)),
                {'streams[0].rtcp.xr.rle_lost': 10, 'streams[0].rtcp.xr.rle_longest': 10}),
        'thinned_run': (rr(Y) + extended(Y, losses(X, 0, 400, 0x3fff, thinning=2)), {'streams[0].rtcp.xr.rle_lost': 100}),
        'nothing': (rr(Y), dict(packets=None, **{'streams[1].rtcp.packets': 1})),
    }
    for name, (data, want) in lying.items():
        way = by_b if struct.unpack('>I', data[4:8])[0] == Y else by_a
        case(add, 'lying_' + name, both() + [way(at(250), data)], 1, **want)
    # Lengths that do not fill the datagram make no RTCP of it.
    for name, data in (('longer', sr(X, at(250), 251, words=200)), ('shorter', sr(X, at(250), 251, words=5)),
                       ('cut_off', sr(X, at(250), 251)[:26])):
        case(add, 'lying_length_' + name, both() + [by_a(at(250), data)], 0, packets=None)


def cases(add):
    forms(add)
    round_trips(add)
    loss(add)
    proof(add)
    matching(add)
    ways(add)
    sealed(add)
    lies(add)
