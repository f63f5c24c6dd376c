"""What shares a port with SIP and media (RFC 7983): STUN, DTLS, TURN channels, ZRTP, QUIC; and ICMP errors that quote them."""
import struct

from cases_media import MEDIA_AT, PACKET, call, rtp, steady, to_a, to_b
from files import packets, pcap, records
from frames import ICMP, MS, D, icmp, icmp_error, ip, ipv4, number
from sip import A, A6, B, B6, Talk, base, media, sdp
from streams import Connection, ask

ROUTER, ROUTER6 = '198.51.100.9', '2001:db8:9::9'


def stun(kind=1, size=0, cookie=True):
    return struct.pack('>HHI12s', kind, size, 0x2112a442 if cookie else 7, b'transaction.') + b'\x80\x22\0\x04name'[:size]


def dtls(kind=22, size=60, version=0xfefd):
    return struct.pack('>BHHHIH', kind, version, 0, 0, 1, size) + b'\x01' + b'd' * (size - 1)


def channel(data):
    return struct.pack('>HH', 0x4001, len(data)) + data


def zrtp():
    return struct.pack('>BBHII', 0x10, 0, 1, 0x5a525450, 9) + b'PZ\0\3Hello   ' + b'z' * 40


# What is no SIP and no media, by the reason that it is counted under.
OTHERS = {'stun_request': (stun(), 'not_sip_or_media'), 'stun_answer': (stun(0x0101, 8), 'not_sip_or_media'),
          'stun_indication': (stun(0x0011), 'not_sip_or_media'), 'turn_channel': (channel(b'\0' * 20), 'not_sip_or_media'),
          'zrtp': (zrtp(), 'not_sip_or_media'), 'dtls_hello': (dtls(), 'encrypted'), 'dtls_data': (dtls(23), 'encrypted'),
          'dtls_alert': (dtls(21, 7), 'encrypted'), 'dtls_1_0': (dtls(22, 60, 0xfeff), 'encrypted'),
          'quic': (b'\x5a' + b'q' * 50, 'not_sip_or_media')}


def alone(add):
    """Ten datagrams each way between the ports of a call: nothing of them is SIP or a stream."""
    for name, (data, reason) in OTHERS.items():
        more = [to_b(MEDIA_AT + i * PACKET, data) for i in range(10)] + [to_a(MEDIA_AT + i * PACKET + MS, data) for i in range(10)]
        add('demux_%s.pcap' % name, pcap(records(call() + more)), sip=3, calls=1, streams=0, also={
            'capture.not_analysed': {reason: 20}, 'capture.analysed': 3, 'calls[m@x].state': 'answered'})
        at_sip = [d._replace(sport=5060, dport=5060) for d in more]
        add('demux_%s_on_5060.pcap' % name, pcap(records(call() + at_sip)), sip=3, calls=1, streams=0, also={
            'capture.not_analysed': {reason: 20}, 'capture.analysed': 3})


def together(add):
    """SIP, media and all of the others between two addresses and ports."""
    offer, answer = sdp(A, media(5060)), sdp(B, media(5060))
    move = lambda d: d._replace(sport=5060, dport=5060)
    audio = [move(d) for d in steady(50) + steady(50, to_a, ssrc=9)]
    others = [move(to_b(MEDIA_AT + i * 40 * MS + 7 * MS + k * 1000, data)) for i in range(20)
              for k, (data, _) in enumerate(OTHERS.values())]
    t = Talk('m@x', step=10 * MS).invite(offer).ok(answer).ack()
    t.t = MEDIA_AT + 25 * PACKET + 3 * MS
    t.bye().reply(200)
    counts = {}
    for _, reason in OTHERS.values():
        counts[reason] = counts.get(reason, 0) + 20
    want = {'streams[0].packets': 50, 'streams[1].packets': 50, 'sum.lost': 0, 'sum.duplicates': 0, 'max.jitter_max_ms': '~0',
            'streams[0].call_id': 'm@x', 'streams[1].call_id': 'm@x', 'calls[m@x].state': 'ended',
            'capture.not_analysed': counts, 'capture.analysed': 105, 'capture.rtp_packets': 100}
    add('demux_all_on_one_port.pcap', pcap(records(t.out + audio + others)), sip=5, calls=1, streams=2, also=want)
    # RTP whose bytes look like SIP, and SIP whose body looks like RTP.
    text = b'INVITE sip:bob@ex.com SIP/2.0\r\nCall-ID: no@x\r\n\r\n'
    spoken = [to_b(MEDIA_AT + i * PACKET, rtp(i, i * 160, payload=text)) for i in range(20)]
    add('demux_sip_inside_rtp.pcap', pcap(records(call() + spoken)), sip=3, calls=1, streams=1, also={
        'streams[0].packets': 20, 'capture.analysed': 23})
    quoted = [D(MEDIA_AT + i * PACKET, A, B, 5060, 5060, ask('MESSAGE', 'b%d@x' % i, rtp(i, i * 160) + stun(), via='UDP'))
              for i in range(20)]
    add('demux_rtp_inside_sip.pcap', pcap(records(quoted)), sip=20, calls=20, streams=0, also={'capture.analysed': 20})
    noise = [D(i * MS, A, B, 5060, 5060, bytes([i]) + b'noise' * 10) for i in range(128)]
    add('demux_first_bytes.pcap', pcap(records(noise)), sip=0, calls=0, streams=0, also={'capture.packets': 128})


def quoted_sip(add):
    """An error about a message is no other message."""
    def one(name, d, errors, also=None, sip=1, **more):
        timed = [(d.t, ip(d))] + errors
        add('icmp_%s.pcap' % name, pcap(packets(timed)), sip=sip, calls=1, streams=0, also=dict({
            'capture.analysed': len(timed), 'calls[c1@x].messages': sip, 'calls[c1@x].findings.length': 1,
            'calls[c1@x].findings[0].name': 'icmp_error', 'calls[c1@x].findings[0].severity': 'warning',
            'calls[c1@x].findings[0].packets': [[0, n + 2] for n in range(len(errors))], 'calls[c1@x].state': 'calling',
            'calls[c1@x].retransmissions': 0, 'capture.not_analysed': {}}, **(also or {})))
    four = number(Talk('c1@x').invite().out)[0]
    six = number(Talk('c1@x', a=A6, b=B6).invite().out)[0]
    assert len(four.data) < 548
    one('port_unreachable', four, [icmp_error(four, B)])
    one('host_unreachable', four, [icmp_error(four, ROUTER, 3, 1)])
    one('time_exceeded', four, [icmp_error(four, ROUTER, 11, 0)])
    one('fragmentation_needed', four, [icmp_error(four, ROUTER, 3, 4)])
    one('port_unreachable_v6', six, [icmp_error(six, B6)])
    one('time_exceeded_v6', six, [icmp_error(six, ROUTER6, 3, 0)])
    one('headers_quoted', four, [icmp_error(four, B, keep=300)])
    large = number(Talk('c1@x').invite(extra=[('X-Pad', 'p' * 900)]).out)[0]
    one('quote_cut', large, [icmp_error(large, B)])
    again = four._replace(t=500 * MS, ident=9)
    timed = [(0, ip(four)), icmp_error(four, B), (again.t, ip(again)), icmp_error(again, B)]
    add('icmp_each_time.pcap', pcap(packets(timed)), sip=2, calls=1, streams=0, also={
        'calls[c1@x].messages': 2, 'calls[c1@x].retransmissions': 1, 'calls[c1@x].findings[0].name': 'icmp_error',
        'calls[c1@x].findings.length': 1, 'capture.analysed': 4})
    # Only the ports are quoted: no call can be told, but nothing is taken for a message either.
    add('icmp_ports_quoted.pcap', pcap(packets([(0, ip(four)), icmp_error(four, B, keep=28)])), sip=1, calls=1, streams=0,
        also={'calls[c1@x].messages': 1, 'calls[c1@x].state': 'calling'})
    orphan = pcap(packets([icmp_error(four, B)]))
    add('icmp_without_its_message.pcap', orphan, sip=0, calls=0, streams=0, also={'capture.packets': 1})
    forged = [(d.t, ip(d)) for d in number(base())]
    other = four._replace(data=four.data.replace(b'INVITE', b'BYE').replace(b'c1@x', b'zz@x'))
    add('icmp_of_another_call.pcap', pcap(packets(forged + [icmp_error(other, B, delay=70 * MS)])), sip=7, calls=1, streams=0, also={
        'calls[c1@x].state': 'ended', 'calls[c1@x].findings.length': 0, 'calls[c1@x].ended_by': 'caller'})


def quoted_media(add):
    """An error about a packet of a stream."""
    talk, audio = number(call()), number(steady(100))
    for name, errors, keep in (('rtp', 1, None), ('rtp_ports_quoted', 1, 28), ('rtp_each', 90, None)):
        timed = [(d.t, ip(d)) for d in talk + audio]
        timed += [icmp_error(d, B, keep=keep) for d in audio[10:10 + errors]]
        first = 3 + 12  # the message, ten packets and the one that it is about stand before it
        add('icmp_%s.pcap' % name, pcap(packets(timed)), sip=3, calls=1, streams=1, also={
            'streams[0].packets': 100, 'streams[0].lost': 0, 'streams[0].duplicates': 0, 'streams[0].jitter_ms': '~0',
            'streams[0].findings[0].name': 'icmp_error', 'streams[0].findings[0].severity': 'warning',
            'streams[0].findings.length': 1, 'streams[0].findings[0].packets[0]': [0, first],
            'capture.analysed': 103 + errors, 'capture.not_analysed': {}})


def other_icmp(add):
    names = D(0, A, B, 40000, 53, b'\x12\x34\1\0' + b'n' * 30, ident=3)
    echo = D(0, A, B, 0, 0, b'', ident=4)
    echo6 = D(0, A6, B6, 0, 0, b'')
    text = b'INVITE sip:bob@ex.com SIP/2.0\r\nCall-ID: no@x\r\n\r\n'
    timed = [icmp_error(names, B), (2 * MS, icmp(echo, 8, 0, text)), (3 * MS, icmp(echo, 0, 0, text)),
             (4 * MS, icmp(echo6, 128, 0, text)), (5 * MS, icmp(echo6, 135, 0, b'\xfe\x80' + b'\0' * 14)),
             (6 * MS, icmp(echo, 3, 3, b'')), (7 * MS, icmp(echo, 3, 3, b'\x45')), (8 * MS, ipv4(echo, b'\3', ICMP)),
             (9 * MS, icmp(echo, 3, 3, ip(echo)[:20])), (10 * MS, icmp(echo6, 1, 4, b'\x60' * 47))]
    calls = [(d.t + 20 * MS, ip(d)) for d in number(base())]
    add('icmp_others.pcap', pcap(packets(timed + calls)), sip=7, calls=1, streams=0, also={
        'calls[c1@x].state': 'ended', 'calls[c1@x].findings': [], 'capture.packets': 17, 'capture.analysed': 7,
        'capture.oddities': {}})
    segment = number(Connection().open().say(ask('OPTIONS', 'tcp@x')).out)
    rs = packets([(s.t, ip(s)) for s in segment] + [icmp_error(segment[3], ROUTER, 3, 1)])
    add('icmp_of_tcp.pcap', pcap(rs), sip=1, calls=1, streams=0, also={'calls[tcp@x].messages': 1, 'capture.packets': 5})


def cases(add):
    for part in (alone, together, quoted_sip, quoted_media, other_icmp):
        part(add)
