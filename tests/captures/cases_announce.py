"""What offers and answers announce, and what follows from it: fax in T.38, hold, NAT, forks, moved ports.

Right answers are those of the RFCs named beside them; UDPTL packets are encoded here by ITU-T T.38 and X.691."""
import struct

from cases_media import MEDIA_AT, PACKET, call, rtp, steady, to_a, to_b
from files import cut, packets, pcap, records, stamp
from frames import D, MS, fragments, ip, number
from sip import A, B, Talk, media, sdp

ONE_S = 1000 * MS
NAT = '203.0.113.7'

INDICATORS = ['no-signal', 'cng', 'ced', 'v21-preamble', 'v27-2400-training', 'v27-4800-training', 'v29-7200-training',
              'v29-9600-training', 'v17-7200-short-training', 'v17-7200-long-training', 'v17-9600-short-training',
              'v17-9600-long-training', 'v17-12000-short-training', 'v17-12000-long-training', 'v17-14400-short-training',
              'v17-14400-long-training', 'v8-ansam']
DATA = ['v21', 'v27-2400', 'v27-4800', 'v29-7200', 'v29-9600', 'v17-7200', 'v17-9600', 'v17-12000', 'v17-14400']


# --- T.38 -------------------------------------------------------------------------------------------------------------
def indicator(name):
    i = INDICATORS.index(name)
    return bytes([i << 1]) if i < 16 else bytes([0x20 | (i - 16) >> 2, (i - 16) << 6 & 0xff])


def data(name, *fields, version=0):
    """fields: (type, octets or None)."""
    bits, out = '', bytes([0xc0 | DATA.index(name) << 1, len(fields)])
    for kind, octets in fields:
        bits += '%d%s%s' % (octets is not None, '0' if version else '', format(kind, '03b'))
        if octets is not None:
            bits += '0' * (-len(bits) % 8)
            out += int(bits, 2).to_bytes(len(bits) // 8, 'big') + struct.pack('>H', len(octets) - 1) + octets
            bits = ''
    bits += '0' * (-len(bits) % 8)
    return out + (int(bits, 2).to_bytes(len(bits) // 8, 'big') if bits else b'')


def length(n):
    return bytes([n]) if n < 128 else struct.pack('>H', 0x8000 | n)


def open_type(p):
    return length(len(p)) + p


def udptl(seq, primary, secondaries=(), fec=None):
    """fec: (span, parity messages)."""
    head = struct.pack('>H', seq & 0xffff) + open_type(primary)
    if fec:
        return head + b'\x80\x01' + bytes([fec[0]]) + length(len(fec[1])) + b''.join(map(open_type, fec[1]))
    return head + b'\0' + length(len(secondaries)) + b''.join(map(open_type, secondaries))


def parity(messages):
    out = bytearray(max(map(len, messages)))
    for m in messages:
        for i, byte in enumerate(m):
            out[i] ^= byte
    return bytes(out)


def page(n):
    """IFP packets of the beginning of a fax: what each end says, then pieces of a page."""
    first = [indicator('no-signal'), indicator('cng'), indicator('v21-preamble'), data('v21', (0, b'\xff\x03\x40')),
             data('v21', (4, None)), indicator('v17-14400-long-training')]
    return (first + [data('v17-14400', (0, bytes([i & 0xff]) * 40)) for i in range(n)])[:n]


def fax(ifps, way=to_b, at=MEDIA_AT, redundancy=3, gone=(), span=0, start=0):
    """One packet each 20 ms, with the packets before it (redundancy), or with parity of groups of `span`, 2 of them."""
    out = []
    for i, ifp in enumerate(ifps):
        before = [ifps[i - k] for k in range(1, redundancy + 1) if i - k >= 0]
        groups = None
        if span and i >= 2 * span:
            groups = (span, [parity([ifps[i - 2 * span + g + 2 * k] for k in range(span)]) for g in (0, 1)])
        if i not in gone:
            out.append(way(at + i * PACKET, udptl(start + i, ifp, before, groups) if groups or not span
                           else udptl(start + i, ifp)))
    return out


def image(port, protocol='udptl', kind='image'):
    return ['m=%s %d %s t38' % (kind, port, protocol), 'a=T38FaxVersion:0', 'a=T38FaxUdpEC:t38UDPRedundancy']


def fax_call(**more):
    return call(sdp(A, image(10000)), sdp(B, image(20000)), **more)


def case(add, name, datagrams, sip, streams, calls=1, **also):
    out = sip + datagrams
    whole = ('calls[', 'streams[', 'capture.', 'sum.')
    paths = {k if k.startswith(whole) else 'streams[0].' + k: v for k, v in also.items()}
    paths.setdefault('capture.packets', len(out))
    add('announce_%s.pcap' % name, pcap(records(out)), sip=len(sip), calls=calls, streams=streams, also=paths)


def faxes(add):
    ifps = page(100)
    shape = {'kind': 'fax', 'ssrc': None, 'codec': 't38', 'clock_hz': None, 'payload_types': [], 'jitter_ms': None, 'mos': None,
             'mos_missing': 'the E-model scores speech, not fax', 'call_id': 'm@x', 'announced': True, 'findings': []}
    said = ['no-signal', 'cng', 'v21-preamble', 'v17-14400-long-training']
    both = fax(ifps) + fax([indicator('ced')] * 5, to_a)
    case(add, 't38', both, fax_call(), 2, packets=100, unique=100, expected=100, lost=0, **shape, **{
        'fax.error_correction': 'redundancy', 'fax.recovered': 0, 'fax.indicators': said, 'fax.data_packets': 96,
        'streams[1].fax.indicators': ['ced'], 'streams[1].fax.data_packets': 0, 'streams[1].packets': 5,
        'streams[1].call_id': 'm@x', 'capture.rtp_packets': 0, 'capture.not_analysed': {}, 'capture.analysed': 108})
    # Three lost in a row come back with the next one; of five, the three nearest; the last one of all never does.
    lost = {20, 21, 22, 40, 41, 42, 43, 44}
    case(add, 't38_lost', fax(ifps, gone=lost), fax_call(), 1, expected=100, lost=8, unique=92, **shape,
         **{'fax.recovered': 6, 'fax.error_correction': 'redundancy', 'fax.data_packets': 88})
    case(add, 't38_no_recovery', fax(ifps, gone=lost, redundancy=0), fax_call(), 1, lost=8,
         **{'fax.recovered': 0, 'fax.error_correction': None})
    # Two groups of three, every other number each. 30 and 31 are in different ones: packet 32 gives back both. Of 60 to 63
    # two are in each group until packet 67, whose second group has 62, 64, 66, and 68, whose second has 63, 65, 67.
    case(add, 't38_fec', fax(ifps, gone={30, 31, 60, 61, 62, 63}, redundancy=0, span=3), fax_call(), 1, lost=6,
         **{'fax.recovered': 4, 'fax.error_correction': 'fec'})
    late = fax(ifps)
    late[50] = late[50]._replace(t=late[52].t + MS)
    again = [p._replace(t=p.t + MS) for p in fax(ifps)[10:15]]
    case(add, 't38_late', late + again, fax_call(), 1, lost=0, reordered=1, duplicates=5, unique=100, packets=105,
         **{'fax.recovered': 0, 'fax.data_packets': 96})
    case(add, 't38_wrap', fax(ifps, start=65500, gone={36}), call(sdp(A, image(10000)), sdp(B, image(20000))), 1)
    two = fax(page(60)) + fax(page(60), at=MEDIA_AT + 60 * PACKET + ONE_S)
    case(add, 't38_twice', two, fax_call(), 2, **{'sum.lost': 0, 'sum.duplicates': 0, 'streams[0].packets': 60,
                                                  'streams[1].packets': 60, 'streams[1].fax.indicators': said})
    # Numbers from 32,768 on look like RTP of version 2, from 49,152 on like none; sound between them stays sound.
    wide = [indicator('v17-14400-long-training'), data('v17-14400', (6, b'\x55' * 300))] * 150
    case(add, 't38_long', fax(page(300), start=32600) + fax(wide, to_a, at=MEDIA_AT + 5 * MS, start=49000), fax_call(), 2, lost=0, packets=300, findings=[],
         **{'streams[0].kind': 'fax', 'streams[1].kind': 'fax', 'streams[1].packets': 300, 'capture.rtp_packets': 0})
    newer = [data('v21', (2, None), (1, None), version=2), data('v21', (0, b'\xff\x13'), (4, None), version=2),
             indicator('v8-ansam')]
    case(add, 't38_versions', fax([indicator('ced')] + newer), fax_call(), 1, packets=4,
         **{'fax.indicators': ['ced', 'v8-ansam'], 'fax.data_packets': 2})
    big = [data('v17-14400', (6, b'\x55' * 300))] * 20
    case(add, 't38_long_lengths', fax(big), fax_call(), 1, packets=20, **{'fax.data_packets': 20})
    kept = cut(records(fax_call() + fax(big)), 400)
    add('announce_t38_snaplen.pcap', pcap(kept), sip=3, calls=1, streams=1, also={
        'streams[0].packets': 20, 'streams[0].fax.data_packets': 20, 'capture.analysed': 23})


def where_fax_is_believed(add):
    ifps = page(100)
    nobody = {'capture.not_analysed': {'not_sip_or_media': 100}, 'capture.analysed': 3}
    # Without an announcement: numbers in a row from near 0 on prove it, others do not.
    case(add, 't38_alone', fax(ifps), [], 1, calls=0, kind='fax', call=None, announced=False,
         **{'capture.not_analysed': {}, 'capture.rtp_packets': 0})
    case(add, 't38_alone_from_500', fax(ifps, start=500), call(), 0, **nobody)
    case(add, 't38_alone_with_holes', fax(ifps, gone=range(0, 100, 9)), call(), 0,
         **{'capture.not_analysed': {'not_sip_or_media': 88}})
    case(add, 't38_alone_nine', fax(ifps[:9]), call(), 0, **{'capture.not_analysed': {'not_sip_or_media': 9}})
    case(add, 't38_alone_ten', fax(ifps[:10]), call(), 1, call=None, packets=10)
    # Announced for where it comes from; after it; one packet only.
    elsewhere = lambda at, p: to_b(at, p, dst=NAT, dport=33333)
    case(add, 't38_to_nat', fax(ifps, elsewhere, start=500), fax_call(), 1, call_id='m@x', announced=False, kind='fax')
    case(add, 't38_before_its_sdp', fax(ifps, at=0, start=500), [d._replace(t=d.t + ONE_S) for d in fax_call()], 1,
         call_id='m@x', announced=True, packets=100)
    case(add, 't38_one_packet', fax(ifps[:1], start=500), fax_call(), 1, packets=1, call_id='m@x')
    for protocol in ('UDP/TLS/UDPTL', 'TCP', 'RTP/AVP'):
        case(add, 't38_not_by_' + protocol.replace('/', '_').lower(), fax(ifps, start=500),
             call(sdp(A, image(10000, protocol)), sdp(B, image(20000, protocol))), 0, **nobody)
    # One byte more or less is no UDPTL.
    longer = [p._replace(data=p.data + b'\0') for p in fax(ifps)]
    case(add, 't38_byte_more', longer, fax_call(), 0, **nobody)
    case(add, 't38_byte_less', [p._replace(data=p.data[:-1]) for p in fax(ifps)], fax_call(), 0, **nobody)
    # What is asked of a name server is none, whatever was announced.
    dns = b'\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\1\0\1'
    questions = [D(MEDIA_AT + i * PACKET, A, B, 10000, 20000, struct.pack('>H', i) + dns) for i in range(50)]
    case(add, 't38_is_no_dns', questions, fax_call(), 0, **{'capture.not_analysed': {'not_sip_or_media': 50}})


def switched(add):
    """Audio, then a re-INVITE to T.38 on the same ports (T.38 Annex D), then back."""
    t = Talk('m@x', step=10 * MS).invite(sdp(A, media(10000))).ok().ack()
    change = MEDIA_AT + 50 * PACKET
    t.t, t.cseq = change - 30 * MS, 2
    t.invite(sdp(A, image(10000)), in_dialog='t1').ok(sdp(B, image(20000))).ack()
    t.t, t.cseq = change + 150 * PACKET - 30 * MS, 3
    t.invite(sdp(A, media(10000)), in_dialog='t1').ok().ack()
    back = dict(seq=50, ts=8000 + 150 * 160, at=change + 150 * PACKET)
    out = steady(50) + steady(50, to_a, ssrc=9) + fax(page(100), at=change) + fax(page(20), to_a, at=change)
    out += steady(50, **back) + steady(50, to_a, ssrc=9, **back)
    case(add, 't38_switch', out, t.out, 4, **{
        'calls[0].streams': [0, 1, 2, 3], 'calls[0].findings': [], 'streams[0].kind': 'audio', 'streams[0].packets': 100,
        'streams[0].lost': 0, 'streams[0].findings': [], 'streams[1].packets': 100, 'streams[2].kind': 'fax',
        'streams[2].packets': 100, 'streams[2].call_id': 'm@x', 'streams[2].findings': [], 'streams[3].packets': 20,
        'streams[3].findings': [], 'calls[0].holds': None, 'capture.analysed': len(out) + 9})
    # Both were offered at once, and nothing is said of the change: no other source took over.
    lines = [sdp(a, media(p), image(p)) for a, p in ((A, 10000), (B, 20000))]
    case(add, 't38_same_offer', steady(50) + fax(page(50), at=change), call(*lines), 2,
         **{'streams[0].kind': 'audio', 'streams[1].kind': 'fax', 'streams[0].findings': [], 'streams[1].findings': [],
            'streams[0].call_id': 'm@x', 'streams[1].call_id': 'm@x'})
    # Refused: sound goes on as it was, with the codec that the first offer named.
    t = Talk('m@x', step=10 * MS).invite(sdp(A, media(10000, ((96, 'opus/48000/2'),)))).ok(
        sdp(B, media(20000, ((96, 'opus/48000/2'),)))).ack()
    t.t, t.cseq = change, 2
    t.invite(sdp(A, image(10000)), in_dialog='t1').reply(488).ack(failed=True)
    sound = steady(100, pt=96, step=960) + steady(100, to_a, pt=96, step=960, ssrc=9)
    case(add, 't38_refused', sound, t.out, 2, codec='opus', lost=0, **{'streams[1].codec': 'opus', 'streams[1].lost': 0,
                                                                      'streams[1].jitter_ms': '~0'})
    # T.38 as a payload of RTP (RFC 4612) is RTP.
    types = ((98, 't38/8000'),)
    case(add, 't38_in_rtp', steady(50, pt=98, payload=indicator('cng')), call(sdp(A, media(10000, types)),
                                                                                sdp(B, media(20000, types))), 1,
         codec='t38', kind='fax', ssrc='0x00001234', fax=None)


# --- hold -------------------------------------------------------------------------------------------------------------
def line(direction, port=10000, zero=False):
    lines = ['a=' + direction] if direction else []
    return media(port, lines=(['c=IN IP4 0.0.0.0'] if zero else []) + lines)


class Held(Talk):
    """A call whose changes come one second after each other."""

    def up(self, offer=None, answer=None):
        self.step = 10 * MS
        return self.invite(offer and sdp(self.a, offer)).ok(answer and sdp(self.b, answer)).ack()

    def change(self, offer, answer=None, by_a=True, code=200, at=None):
        """answer: a direction or None (refused, or no body)."""
        self.t = at if at is not None else (self.t // ONE_S + 1) * ONE_S
        self.cseq += 1
        ends, ports = ((self.a, self.b), (10000, 20000)) if by_a else ((self.b, self.a), (20000, 10000))
        far = self.to_tag
        self.request('INVITE', by_a=by_a, body=sdp(ends[0], offer if isinstance(offer, list) else line(offer, ports[0])),
                     to_tag=far, cseq=self.cseq if by_a else self.cseq + 100)
        if code >= 300:
            return self.reply(code, to_tag='t1').ack(failed=True)
        body = sdp(ends[1], answer if isinstance(answer, list) else line(answer, ports[1]))
        self.reply(200, body, to_tag='t1')
        return self.ack()


def holds(add):
    def one(name, t, expected, **also):
        """expected: (start, duration in ms or None, by)."""
        want = [dict(start=stamp(s), by=by, **({'duration_ms': d} if d is not None else {})) for s, d, by in expected]
        case(add, 'hold_' + name, [], t.out, 0, **{'calls[0].holds': want or None}, **also)

    def by_each(name, begin, answer, end='sendrecv', end_answer='sendrecv'):
        for by_a, who in ((True, 'caller'), (False, 'callee')):
            t = Held('m@x').up().change(begin, answer, by_a).change(end, end_answer, by_a)
            one('%s_by_%s' % (name, who), t, [(ONE_S, 1000, who)])
    by_each('sendonly', 'sendonly', 'recvonly')
    by_each('inactive', 'inactive', 'inactive')
    by_each('no_word', 'sendonly', 'recvonly', None, None)  # sendrecv is what nothing means (RFC 8866 6.7)
    zero = Held('m@x').up().change(line(None, zero=True), 'recvonly').change('sendrecv', 'sendrecv')
    one('zero_address', zero, [(ONE_S, 1000, 'caller')])  # RFC 2543 B.5
    # The other one holds too, and goes on when the first ends its hold.
    both = Held('m@x').up().change('sendonly', 'recvonly').change('inactive', 'inactive', by_a=False)
    both.change('recvonly', 'sendonly').change('sendrecv', 'sendrecv', by_a=False)
    one('by_both', both, [(ONE_S, 2000, 'caller'), (2 * ONE_S, 2000, 'callee')])
    # A refresh says the same again; what stays the same is no second hold.
    again = Held('m@x').up().change('sendonly', 'recvonly').change('sendonly', 'recvonly').change('sendrecv', 'sendrecv')
    one('refreshed', again, [(ONE_S, 2000, 'caller')])
    twice = Held('m@x').up()
    for _ in range(2):
        twice.change('sendonly', 'recvonly').change('sendrecv', 'sendrecv')
    one('twice', twice, [(ONE_S, 1000, 'caller'), (3 * ONE_S, 1000, 'caller')])
    # The answer to an open offer may hold.
    one('by_answer', Held('m@x').up().change('sendrecv', 'sendonly').change('sendrecv', 'sendrecv'), [(ONE_S + 10 * MS, 1000, 'callee')])
    # Goes on to the end of the call; and to the end of the capture, which is not known to be its end.
    over = Held('m@x').up().change('sendonly', 'recvonly')
    over.t = 5 * ONE_S
    one('to_the_end', over.bye().reply(200), [(ONE_S, 4000, 'caller')])
    one('open', Held('m@x').up().change('sendonly', 'recvonly'), [(ONE_S, None, 'caller')])
    # No holds: the first offer, a refused line, a refused offer, an early answer, video that pauses.
    one('none_first_offer', Held('m@x').up(line('inactive'), line('inactive', 20000)), [])
    one('none_first_answer', Held('m@x').up(line('sendrecv'), line('sendonly', 20000)), [])
    one('none_port_0', Held('m@x').up().change('sendrecv', line('sendonly', 0)), [])
    one('none_refused', Held('m@x').up().change('sendonly', code=488), [], **{'calls[0].findings[0].name': 'change_refused'})
    one('refused_end', Held('m@x').up().change('sendonly', 'recvonly').change('sendrecv', code=488).change('sendrecv', 'sendrecv'),
        [(ONE_S, 2000, 'caller')])
    t = Held('m@x').up()
    t.t = ONE_S
    pause = [sdp(a, media(p), media(p + 2, ((97, 'H264/90000'),), 'video', ['a=inactive'])) for a, p in ((A, 10000), (B, 20000))]
    t.invite(pause[0], in_dialog='t1', cseq=7).ok(pause[1]).ack()
    one('none_video', t, [])
    # Begun before the capture: only the re-INVITE of the hold and of its end are there.
    inside = Held('m@x').up().change('sendonly', 'recvonly').change('sendrecv', 'sendrecv')
    inside.out = inside.out[3:]
    one('start_not_seen', inside, [(ONE_S, 1000, 'caller')])
    # Seen once more at another hop, and sent twice.
    hop = Held('m@x').up().change('sendonly', 'recvonly')
    hop.out += [d._replace(t=d.t + 2 * MS, ttl=63, src='198.51.100.1') for d in hop.out[3:4]]
    hop.out += [hop.out[3]._replace(t=hop.out[3].t + 500 * MS)]
    hop.change('sendrecv', 'sendrecv')
    one('hop_and_again', hop, [(ONE_S, 1000, 'caller')])
    # Sound stops during the hold: no alarm.
    t = Held('m@x').up().change('sendonly', 'recvonly').change('sendrecv', 'sendrecv', at=9 * ONE_S)
    quiet = [p for way, ssrc in ((to_b, 1), (to_a, 2)) for i, p in enumerate(steady(600, way, ssrc=ssrc, at=0))
             if not 50 <= i < 450]
    quiet = [p._replace(data=p.data[:2] + struct.pack('>H', i % 200) + p.data[4:]) for i, p in enumerate(quiet)]
    case(add, 'hold_no_alarm', quiet, t.out, 2, **{'streams[0].findings': [], 'streams[1].findings': [], 'calls[0].findings': [],
                                                  'calls[0].holds[0].duration_ms': 8000})


# --- NAT --------------------------------------------------------------------------------------------------------------
FROM_NAT = {'name': 'media_from_unannounced', 'severity': 'note'}


def nat(add):
    from_nat = lambda at, p: to_b(at, p, src=NAT, sport=33333)
    to_nat = lambda at, p: to_a(at, p, dst=NAT, dport=33333)
    both = lambda count, **more: steady(count, from_nat, **more) + steady(count, to_nat, ssrc=9, **more)
    private = '10.0.0.5'
    opus, wide = media(10000, ((111, 'opus/48000/2'),)), media(20000, ((111, 'opus/48000/2'),))
    note = {'streams[0].findings[0].' + k: v for k, v in FROM_NAT.items()}
    # Both directions are the call's; what goes to the NAT is named by what the phone behind it announced.
    case(add, 'nat_opus', both(100, pt=111, step=960), call(sdp(private, opus), sdp(B, wide)), 2, codec='opus', clock_hz=48000,
         announced=True, **note, **{
             'streams[0].jitter_ms': '~0', 'streams[0].findings.length': 1, 'streams[0].findings[0].packets': [[0, 4]],
             'streams[1].codec': 'opus', 'streams[1].clock_hz': 48000, 'streams[1].jitter_ms': '~0', 'streams[1].jitter_max_ms': '~0',
             'streams[1].announced': False, 'streams[1].call_id': 'm@x', 'streams[1].findings': [], 'streams[1].kind': 'audio'})
    # The same number means another codec in each direction: the receiver's description decides there too.
    case(add, 'nat_crossed_types', steady(100, from_nat, pt=96, step=320) + steady(100, to_nat, ssrc=9, pt=96, step=960),
         call(sdp(private, media(10000, ((96, 'opus/48000/2'),))), sdp(B, media(20000, ((96, 'AMR-WB/16000'),)))), 2,
         codec='AMR-WB', **{'streams[1].codec': 'opus', 'streams[1].jitter_ms': '~0', 'streams[1].clock_hz': 48000})
    # Each has a number of its own for the same codec (RFC 3264 5.1): the sender uses that of the receiver.
    case(add, 'nat_asymmetric_types', steady(100, from_nat, pt=111, step=960) + steady(100, to_nat, ssrc=9, pt=96, step=960),
         call(sdp(private, media(10000, ((96, 'opus/48000/2'),))), sdp(B, media(20000, ((111, 'opus/48000/2'),)))), 2,
         codec='opus', **{'streams[1].codec': 'opus', 'streams[1].jitter_ms': '~0', 'streams[1].payload_types': [96]})
    # Two lines: video by the second one.
    lines = [sdp(a, media(p), media(p + 2, ((n, 'H264/90000'),), 'video')) for a, p, n in ((private, 10000, 97), (B, 20000, 98))]
    video = [D(MEDIA_AT + i * PACKET, B, NAT, 20002, 33335, rtp(i, i * 1800, 7, 97)) for i in range(50)]
    case(add, 'nat_video', video, call(*lines), 1, codec='H264', kind='video', clock_hz=90000, call_id='m@x', jitter_ms='~0')
    # Digits go by the receiver's number too.
    digit = [to_nat(MEDIA_AT + (50 + i) * PACKET, rtp(50 + i, 8000, 9, 100, bytes([7, 10]) + struct.pack('>H', 160 * (i + 1))))
             for i in range(5)]
    case(add, 'nat_digits', steady(50, to_nat, ssrc=9) + digit, call(sdp(private, media(10000, (0, (100, 'telephone-event/8000'))))), 1,
         dtmf='7', codec='PCMU', call_id='m@x')
    # The callee is behind one.
    callee = lambda at, p: to_a(at, p, src=NAT, sport=40000)
    case(add, 'nat_callee', steady(50, callee, ssrc=9), call(None, sdp('10.0.0.6', media(20000))), 1, call_id='m@x', **note)
    # Nothing is said where one cannot know, or where all is as announced.
    t = Talk('m@x', step=10 * MS).invite().reply(183)
    case(add, 'nat_no_answer', steady(50, callee, ssrc=9), t.out, 1, call_id='m@x', findings=[])
    case(add, 'nat_other_port', steady(50, lambda at, p: to_b(at, p, sport=10008)), call(), 1, call_id='m@x', findings=[])
    ice = ['a=ice-ufrag:F7gI', 'a=candidate:1 1 UDP 2130706431 10.0.1.1 8998 typ host']
    case(add, 'nat_ice', steady(50, from_nat), call(sdp(private, media(10000, lines=ice))), 1, call_id='m@x', findings=[])
    # Both ends private, or a relay in between: nobody announced either end.
    relayed = lambda at, p: D(at, NAT, '203.0.113.9', 33333, 44444, p)
    case(add, 'nat_both_private', steady(50, relayed), call(sdp(private), sdp('10.1.0.6', media(20000))), 1, call=None, announced=False)
    # RTP before the answer that announces where it comes from (RFC 3264 5.1), on ports that a call before it used.
    first = call(call_id='k@x', tag='e1') + Talk('k@x', at=60 * MS, tag='e1').request('BYE', cseq=2, to_tag='t1').reply(200).out
    t = Talk('m@x', at=3 * ONE_S, step=400 * MS).invite().ok().ack()
    early = steady(40, to_a, ssrc=9, at=3 * ONE_S + 100 * MS) + steady(40, ssrc=8, at=3 * ONE_S + 120 * MS)
    case(add, 'early_on_used_ports', early, first + t.out, 2, calls=2, call_id='m@x',
         **{'streams[1].call_id': 'm@x', 'streams[0].packets': 40, 'streams[1].packets': 40, 'streams[1].findings': []})


# --- forks ------------------------------------------------------------------------------------------------------------
def forks(add):
    """Three phones ring with sound of their own, two answer, one is hung up (RFC 3261 13.2.2.4)."""
    t = Talk('m@x', step=10 * MS).invite(sdp(A, media(10000))).reply(100)
    invite = t.last
    phones = {'a': 21000, 'b': 22000, 'c': 23000}
    for tag, port in phones.items():
        t.reply(183, sdp(B, media(port)), to_tag=tag, to=invite)
    t.t = 2 * ONE_S
    for tag in 'bc':
        t.reply(200, sdp(B, media(phones[tag])), to_tag=tag, to=invite)
    for tag in 'bc':
        t.request('ACK', cseq=1, to_tag=tag)
    t.cseq = 2
    t.request('BYE', to_tag='c').reply(200, to_tag='c')
    out = []
    for i, (tag, port) in enumerate(phones.items()):  # early sound of each, in turn
        out += steady(20, lambda at, p, port=port: to_a(at, p, sport=port), ssrc=20 + i, at=MEDIA_AT + i * 5 * MS)
    out += steady(50, lambda at, p: to_b(at, p, dport=22000), ssrc=5, at=2 * ONE_S + 50 * MS)
    out += steady(50, lambda at, p: to_a(at, p, sport=22000), ssrc=6, at=2 * ONE_S + 52 * MS)
    case(add, 'fork', out, t.out, 5, **{
        'calls[0].branches.length': 3, 'calls[0].streams': [0, 1, 2, 3, 4], 'calls[0].branches[0].to_tag': 'a',
        'calls[0].branches[0].streams': [0], 'calls[0].branches[1].streams': [1, 3, 4], 'calls[0].branches[2].streams': [2],
        'streams[0].branch': 0, 'streams[1].branch': 1, 'streams[2].branch': 2, 'streams[3].branch': 1, 'streams[4].branch': 1,
        'calls[0].branches[1].state': 'answered', 'calls[0].branches[2].state': 'ended'})
    # All behind one relay, which names one address for them: the one that was answered has its media.
    t = Talk('m@x', step=10 * MS).invite(sdp(A, media(10000)))
    invite = t.last
    for tag in 'ab':
        t.reply(183, sdp(B, media(20000)), to_tag=tag, to=invite)
    t.reply(200, sdp(B, media(20000)), to_tag='b', to=invite).request('ACK', cseq=1, to_tag='b')
    case(add, 'fork_one_address', steady(50), t.out, 1, branch=1, **{'calls[0].branches[1].streams': [0],
                                                                   'calls[0].branches[0].streams': []})
    # A gateway plays the ringing, then the phone talks from the same address: the answer is new signalling. Where
    # the ringing goes on behind it, the change is one of its own.
    for name, n, at, wanted in (('early_media_of_gateway', 90, 2 * ONE_S + 30 * MS, []), ('ssrc_changes_when_up', 150, 4 * ONE_S, None)):
        t = Talk('m@x', step=10 * MS).invite(sdp(A, media(10000))).reply(100)
        invite = t.last
        t.reply(183, sdp(B, media(20000)), to=invite)
        t.t = 2 * ONE_S
        t.ok(sdp(B, media(20000)), to=invite).request('ACK', cseq=1, to_tag='t1')
        out = steady(n, lambda at, p: to_a(at, p), ssrc=7, at=MEDIA_AT) + steady(50, lambda at, p: to_a(at, p), ssrc=8, at=at)
        change = {'streams[0].findings[0].name': 'ssrc_changed', 'streams[1].findings[0].name': 'ssrc_changed'}
        case(add, name, out, t.out, 2, **(change if wanted is None else {'streams[0].findings': [], 'streams[1].findings': []}))
    # One phone: no branches, none of a stream.
    case(add, 'no_fork', steady(50), call(), 1, branch=None, **{'calls[0].branches': None})


# --- changes, and what is known late ----------------------------------------------------------------------------------
def moves(add):
    """A re-INVITE moves B to another port and codec; sound goes to both for 200 ms."""
    t = Talk('m@x', step=10 * MS).invite(sdp(A, media(10000, (0, 8)))).ok().ack()
    change = MEDIA_AT + 100 * PACKET
    t.t, t.cseq = change - 30 * MS, 200
    t.request('INVITE', by_a=False, body=sdp(B, media(30000, (0,)))).reply(200, sdp(A, media(10000, (0, 8))), to_tag='t1').ack()
    new = lambda at, p: to_b(at, p, dport=30000)
    out = steady(110) + steady(100, new, seq=100, ts=16000, at=change)
    out += steady(100, to_a, ssrc=9) + steady(100, lambda at, p: to_a(at, p, sport=30000), ssrc=9, seq=100, ts=16000, at=change)
    case(add, 'moved', out, t.out, 4, **{'sum.lost': 0, 'calls[0].streams': [0, 1, 2, 3], 'calls[0].findings': [],
                                         'calls[0].holds': None, **{'streams[%d].findings' % i: [] for i in range(4)},
                                         **{'streams[%d].codec' % i: 'PCMU' for i in range(4)}})


def late(add):
    """The answer comes in fragments, of which the last is not captured: it is known when the capture ends."""
    opus = [sdp(a, media(p, ((111, 'opus/48000/2'),))) for a, p in ((A, 10000), (B, 20000))]
    t = Talk('m@x', step=10 * MS).invite(opus[0])
    before = t.out[:]
    t.reply(200, opus[1] + b'a=x-pad:' + b'p' * 3000 + b'\r\n')
    pieces = fragments(ip(t.out[-1]._replace(ident=99)), 1480, 2960)[:2]
    media_out = steady(200, pt=111, step=960)
    timed = [(d.t, ip(d)) for d in number(before + media_out)] + [(t.out[-1].t + i * MS, p) for i, p in enumerate(pieces)]
    rs = packets(timed)
    add('announce_late.pcap', pcap(rs), sip=2, calls=1, streams=1, also={
        'streams[0].call_id': 'm@x', 'streams[0].codec': 'opus', 'streams[0].clock_hz': 48000, 'streams[0].jitter_ms': '~0',
        'streams[0].announced': True, 'capture.analysed': len(rs)})


def cases(add):
    for part in (faxes, where_fax_is_believed, switched, holds, nat, forks, moves, late):
        part(add)
