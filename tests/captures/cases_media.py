"""Streams: clean, lost, swapped, repeated, changing; their join to calls through SDP. Times: 20 ms a packet."""
import struct

from files import pcap, records
from frames import D, MS
from sip import A, A6, B, B6, Talk, media, sdp

MEDIA_AT = 100 * MS
PACKET = 20 * MS


def rtp(seq, ts, ssrc=0x1234, pt=0, payload=b'\x20\xa0' * 80, marker=False, csrc=(), extension=b'', padding=0, version=2):
    first = version << 6 | bool(padding) << 5 | bool(extension) << 4 | len(csrc)
    head = struct.pack('>BBHII', first, marker << 7 | pt, seq & 0xffff, ts & 0xffffffff, ssrc)
    head += b''.join(struct.pack('>I', c) for c in csrc)
    if extension:
        head += struct.pack('>HH', 0xbede, len(extension) // 4) + extension
    return head + payload + (b'\0' * (padding - 1) + bytes([padding]) if padding else b'')


def to_b(t, data, src=A, dst=B, sport=10000, dport=20000):
    return D(t, src, dst, sport, dport, data)


def to_a(t, data, src=B, dst=A, sport=20000, dport=10000):
    return D(t, src, dst, sport, dport, data)


def steady(count, way=to_b, seq=0, ts=0, step=160, at=MEDIA_AT, **more):
    return [way(at + i * PACKET, rtp(seq + i, ts + i * step, **more)) for i in range(count)]


def call(offer=None, answer=None, call_id='m@x', **more):
    return Talk(call_id, step=10 * MS, **more).invite(offer).ok(answer).ack().out


WHOLE_PATHS = ('calls[', 'streams[', 'capture.', 'sum.', 'max.')


def stream(add, name, datagrams, /, signalling=None, streams=1, sip=3, calls=1, **also):
    """also: fields of streams[0], or whole paths."""
    out = (call() if signalling is None else signalling) + datagrams
    paths = {k if k.startswith(WHOLE_PATHS) else 'streams[0].' + k: v for k, v in also.items()}
    add('rtp_%s.pcap' % name, pcap(records(out)), sip=sip, calls=calls, streams=streams, also=paths)


def numbers(add):
    clean = dict(lost=0, jitter_ms='~0', jitter_max_ms='~0', reordered=0, duplicates=0, codec='PCMU', clock_hz=8000,
                 loss_percent='~0', call_id='m@x')
    both = steady(500) + steady(500, to_a, ssrc=9)
    stream(add, 'clean', both, streams=2, packets=500, unique=500, expected=500, mos='~4.409', duration_ms='~9980',
           delta_max_ms='~20', **dict(clean, **{'streams[1].packets': 500, 'streams[1].lost': 0, 'streams[1].call_id': 'm@x',
                                                'capture.rtp_packets': 1000}))
    stream(add, 'seq_wrap', steady(200, seq=65436), expected=200, packets=200, **clean)
    stream(add, 'seq_wrap_twice', steady(70000, seq=65500, payload=b''), expected=70000, packets=70000, lost=0)
    stream(add, 'ts_wrap', steady(200, ts=0xffffffff - 16000), expected=200, packets=200, **clean)
    stream(add, 'both_wrap_backwards', steady(200, seq=65535, ts=0xffffffff), expected=200, packets=200, **clean)
    late = steady(200)
    late[0], late[1] = late[0]._replace(t=late[1].t), late[1]._replace(t=late[0].t)
    stream(add, 'first_late', late, expected=200, lost=0, reordered=1, unique=200, duplicates=0)
    swapped = steady(200)
    swapped[100], swapped[101] = swapped[100]._replace(t=swapped[101].t), swapped[101]._replace(t=swapped[100].t)
    stream(add, 'swap', swapped, expected=200, lost=0, reordered=1, unique=200, duplicates=0, packets=200)
    wrapped = steady(200, seq=65436)
    wrapped[99], wrapped[100] = wrapped[99]._replace(t=wrapped[100].t), wrapped[100]._replace(t=wrapped[99].t)
    stream(add, 'swap_at_wrap', wrapped, expected=200, lost=0, reordered=1, unique=200, packets=200)
    far = steady(200)
    far[50] = far[50]._replace(t=far[60].t + MS)
    stream(add, 'ten_late', far, expected=200, lost=0, reordered=1, unique=200, duplicates=0)
    gone = {*range(100, 110), *range(500, 1000, 50)}
    stream(add, 'loss', [p for i, p in enumerate(steady(1000)) if i not in gone], expected=1000, unique=980, lost=20,
           loss_percent='~2', burst_ratio='~1.782', mos='~4.228', duplicates=0, jitter_ms='~0')
    stream(add, 'loss_at_wrap', [p for i, p in enumerate(steady(200, seq=65436)) if i not in (99, 100, 101)], lost=3, expected=200)
    stream(add, 'loss_every_tenth', [p for i, p in enumerate(steady(1000)) if i % 10 != 5], lost=100, expected=1000,
           loss_percent='~10', mos='~3.411', burst_ratio='~1')
    stream(add, 'jump_1000', steady(100) + steady(100, seq=1100, ts=16000, at=MEDIA_AT + 100 * PACKET), expected=1200, lost=1000)
    stream(add, 'jump_5000', steady(100) + steady(100, seq=5100, ts=16000, at=MEDIA_AT + 100 * PACKET), streams=2,
           **{'sum.lost': 0, 'sum.packets': 200, 'sum.duplicates': 0})
    stream(add, 'restart', steady(100) + steady(100, at=MEDIA_AT + 100 * PACKET), streams=2,
           **{'sum.lost': 0, 'sum.packets': 200, 'sum.duplicates': 0, 'sum.reordered': 0})
    one_stray = steady(200)
    one_stray.insert(100, to_b(one_stray[100].t - MS, rtp(40000, 99)))
    stream(add, 'one_stray_number', one_stray, **{'streams[0].unique': 200, 'streams[0].lost': 0})


def repeats(add):
    again = [p._replace(t=p.t + MS) for p in steady(200)[50:60]]
    stream(add, 'ten_twice', steady(200) + again, packets=210, unique=200, expected=200, duplicates=10, lost=0,
           loss_percent='~0', reordered=0, jitter_ms='~0')
    twice = [q for p in steady(200) for q in (p, p._replace(t=p.t + 100000))]
    stream(add, 'all_twice', twice, packets=400, unique=200, expected=200, duplicates=200, lost=0, jitter_ms='~0')
    mirrored = [p._replace(ident=i + 1, t=p.t + k * 20000) for i, p in enumerate(steady(200)) for k in (0, 1)]
    stream(add, 'mirrored', mirrored, unique=200, expected=200, lost=0, jitter_ms='~0')
    lost_and_twice = [q for i, p in enumerate(steady(200)) if i % 20 != 7 for q in (p, p._replace(t=p.t + 100000))]
    stream(add, 'all_twice_and_lost', lost_and_twice, packets=380, unique=190, expected=200, lost=10, duplicates=190)


def changes(add):
    def after(n, **more):
        return steady(100, at=MEDIA_AT + n * PACKET, **more)
    stream(add, 'ssrc_change', steady(100) + after(100, seq=5000, ts=77777, ssrc=0x9999), streams=2,
           **{'sum.packets': 200, 'sum.lost': 0, 'max.jitter_max_ms': '~0', 'streams[0].packets': 100,
              'streams[1].call_id': 'm@x', 'capture.rtp_packets': 200})
    stream(add, 'codec_change', steady(100) + after(100, seq=100, ts=16000, pt=8) + after(200, seq=200, ts=32000),
           call(sdp(A, media(10000, (0, 8))), sdp(B, media(20000, (0, 8)))), lost=0, packets=300, expected=300, jitter_ms='~0',
           **{'segments.length': 3, 'segments[1].codec': 'PCMA', 'segments[1].packets': 100, 'segments[2].codec': 'PCMU'})
    quiet = steady(50)
    quiet.append(to_b(MEDIA_AT + 50 * PACKET, rtp(50, 8000, pt=13, payload=b'\x40')))
    quiet += [p._replace(t=p.t + 3000 * MS) for p in steady(50, seq=51, ts=8160 + 24000, at=MEDIA_AT + 51 * PACKET)]
    marked = [p._replace(data=p.data[:1] + bytes([p.data[1] | 0x80]) + p.data[2:]) if i == 51 else p
              for i, p in enumerate(quiet)]
    for name, packets in (('silence', marked), ('silence_no_marker', quiet)):
        stream(add, name, packets, call(sdp(A, media(10000, (0, 13))), sdp(B, media(20000, (0, 13)))), lost=0, packets=101,
               expected=101, jitter_ms='~0', jitter_max_ms='~0', mos='~4.409', codec='PCMU')


def digits(add):
    packets, seq, at = [], 0, MEDIA_AT

    def audio(count):
        nonlocal seq, at
        for _ in range(count):
            packets.append(to_b(at, rtp(seq, (at - MEDIA_AT) // PACKET * 160)))
            seq, at = seq + 1, at + PACKET
    audio(20)
    for event in (5, 11, 12, 0, 0):
        start = (at - MEDIA_AT) // PACKET * 160
        for i in range(8):  # five updates, then the end three times
            body = bytes([event, (0x80 if i >= 5 else 0) | 10]) + struct.pack('>H', 160 * min(i + 1, 5))
            packets.append(to_b(at, rtp(seq, start, pt=101, payload=body, marker=i == 0)))
            seq, at = seq + 1, at + PACKET
        audio(10)
    stream(add, 'dtmf', packets, dtmf='5#A00', lost=0, jitter_ms='~0', jitter_max_ms='~0', codec='PCMU')
    stream(add, 'dtmf_end_lost', [p for p in packets if not (p.data[1] & 127 == 101 and p.data[13] & 0x80)], dtmf='5#A00')


def codecs(add):
    def coded(name, pt, text, clock, step, shown, static=False):
        lines = [media(port, (pt if static else (pt, text), 101)) for port in (10000, 20000)]
        stream(add, name, steady(200, step=step, pt=pt) + steady(200, to_a, step=step, pt=pt, ssrc=9),
               call(sdp(A, lines[0]), sdp(B, lines[1])), streams=2, codec=shown, clock_hz=clock, jitter_ms='~0', lost=0,
               **{'streams[1].codec': shown, 'streams[1].jitter_ms': '~0'})
    coded('opus', 96, 'opus/48000/2', 48000, 960, 'opus')
    coded('opus_upper', 111, 'OPUS/48000/2', 48000, 960, 'opus')
    coded('g722', 9, None, 8000, 160, 'G722', static=True)
    coded('g722_dynamic', 97, 'g722/8000', 8000, 160, 'G722')
    coded('amr_wb', 98, 'AMR-WB/16000/1', 16000, 320, 'AMR-WB')
    coded('amr', 99, 'AMR/8000', 8000, 160, 'AMR')
    coded('g729', 18, None, 8000, 160, 'G729', static=True)
    coded('pcma', 8, None, 8000, 160, 'PCMA', static=True)
    coded('speex_wide', 100, 'speex/16000', 16000, 320, 'speex')
    coded('ilbc', 102, 'iLBC/8000', 8000, 160, 'iLBC')
    # Each side sends with the number that the other announced.
    stream(add, 'asymmetric_types', steady(200, pt=111, step=960) + steady(200, to_a, pt=96, step=960, ssrc=9),
           call(sdp(A, media(10000, ((96, 'opus/48000/2'),))), sdp(B, media(20000, ((111, 'opus/48000/2'),)))), streams=2,
           codec='opus', clock_hz=48000, jitter_ms='~0', **{'streams[1].codec': 'opus', 'streams[1].jitter_ms': '~0'})
    # The same number stands for another codec in each direction: the receiver's description decides.
    stream(add, 'crossed_types', steady(200, pt=96, step=320) + steady(200, to_a, pt=96, step=960, ssrc=9),
           call(sdp(A, media(10000, ((96, 'opus/48000/2'),))), sdp(B, media(20000, ((96, 'AMR-WB/16000'),)))), streams=2,
           codec='AMR-WB', jitter_ms='~0', **{'streams[1].codec': 'opus', 'streams[1].jitter_ms': '~0'})


def headers(add):
    shapes = {'csrc': dict(csrc=(1, 2)), 'csrc15': dict(csrc=tuple(range(15))), 'extension': dict(extension=b'\x10\xaa\0\0'),
              'padding': dict(padding=4), 'all': dict(csrc=(1, 2), extension=b'\x10\xaa\0\0' * 3, padding=4),
              'no_payload': dict(payload=b'')}
    for name, shape in shapes.items():
        stream(add, 'header_' + name, steady(100, **shape), packets=100, lost=0, jitter_ms='~0', codec='PCMU')
    packets = steady(100)
    good = packets[50].data
    bad = {'padding_0': bytes([0xa0]) + good[1:-1] + b'\0', 'padding_huge': bytes([0xa0]) + good[1:-1] + b'\xff',
           'extension_huge': bytes([0x90]) + good[1:12] + b'\xbe\xde\xff\xff' + good[12:], 'csrc_cut': bytes([0x8f]) + good[1:20],
           'version_1': bytes([0x40]) + good[1:], 'version_3': bytes([0xc0]) + good[1:], 'eleven_bytes': good[:11],
           'one_byte': b'\x80', 'empty': b''}
    for name, data in bad.items():
        stream(add, 'bad_' + name, packets + [to_b(packets[50].t + 3 * MS, data)], packets=100, unique=100, lost=0, duplicates=0,
               **{'capture.packets': 104, 'capture.rtp_packets': 100})


def joins(add):
    t = Talk('m@x', step=10 * MS).invite().ok().ack()
    t.t, t.cseq = MEDIA_AT + 100 * PACKET - 30 * MS, 2
    t.invite(sdp(A), in_dialog='t1').ok(sdp(B, media(30000, (8,)))).ack()
    moved = lambda at, data: to_b(at, data, dport=30000)
    stream(add, 'reinvite_moves_port', steady(100) + steady(100, moved, seq=100, ts=16000, at=MEDIA_AT + 100 * PACKET, pt=8), t.out,
           streams=2, sip=6, **{'sum.lost': 0, 'sum.packets': 200, 'calls[m@x].state': 'answered', 'streams[1].codec': 'PCMA',
                                'streams[1].call_id': 'm@x'})
    session_media = sdp('198.51.100.1', media(10000, lines=['c=IN IP4 ' + A]))
    media_only = sdp(B, media(20000, lines=['c=IN IP4 ' + B]), session_c=False)
    stream(add, 'c_at_media', steady(50) + steady(50, to_a, ssrc=9), call(session_media, media_only), streams=2, call_id='m@x',
           **{'streams[1].call_id': 'm@x'})
    two = [sdp(a, media(p), media(q, ((97, 'H264/90000'),), 'video')) for a, p, q in ((A, 10000, 10002), (B, 20000, 0))]
    stream(add, 'port_0_refused', steady(50) + steady(50, to_a, ssrc=9), call(*two), streams=2, codec='PCMU', call_id='m@x')
    lines = [sdp(a, media(p), media(p + 2, ((97, 'H264/90000'),), 'video')) for a, p in ((A, 10000), (B, 20000))]
    video = lambda at, data: to_b(at + MS, data, sport=10002, dport=20002)
    stream(add, 'audio_and_video', steady(50) + steady(50, video, pt=97, step=1800, ssrc=7), call(*lines), streams=2, codec='PCMU',
           **{'streams[1].codec': 'H264', 'streams[1].clock_hz': 90000, 'streams[1].call_id': 'm@x'})
    six = [D(p.t, A6, B6, p.sport, p.dport, p.data) for p in steady(50)]
    stream(add, 'v6', six, call(a=A6, b=B6), call_id='m@x', codec='PCMU', src='[%s]:10000' % A6, dst='[%s]:20000' % B6)
    early = steady(15, to_a, at=0, ssrc=9)
    t = Talk('m@x', at=0, step=300 * MS).invite().ok().ack()
    stream(add, 'before_its_sdp', steady(20, at=10 * MS) + early, t.out, streams=2, **{
        'streams[0].packets': 15, 'streams[1].packets': 20, 'streams[0].call_id': 'm@x', 'streams[1].call_id': 'm@x'})
    stream(add, 'same_first_time', steady(50) + steady(50, to_a, ssrc=9), streams=2, call_id='m@x', **{'streams[1].call_id': 'm@x'})
    nat = lambda at, data: to_b(at, data, src='203.0.113.7', sport=33333)
    back = lambda at, data: to_a(at, data, dst='203.0.113.7', dport=33333)
    stream(add, 'from_behind_nat', steady(100, nat) + steady(100, back, ssrc=9), call(sdp('10.0.0.5')), streams=2, call_id='m@x',
           **{'streams[1].call_id': 'm@x', 'sum.lost': 0})
    two_calls = call() + call(sdp(A, media(10010)), sdp(B, media(20010)), 'n@x', at=5 * MS, tag='g1')
    other = lambda at, data: to_b(at + MS, data, sport=10010, dport=20010)
    stream(add, 'two_calls_same_ssrc', steady(50) + steady(50, other), two_calls, streams=2, sip=6, calls=2, call_id='m@x',
           **{'streams[1].call_id': 'n@x', 'sum.lost': 0, 'sum.duplicates': 0})


def multipart(add):
    def parts(boundary, *bodies, eol='\r\n', before='', after=''):
        text = before
        for kind, body in bodies:
            text += '--%s%sContent-Type: %s%s%s%s%s' % (boundary, eol, kind, eol, eol, body, eol)
        return (text + '--%s--%s%s' % (boundary, eol, after)).encode()
    pidf = ('application/pidf+xml', '<presence entity="sip:a@x"/>')
    own = ('application/sdp', sdp(A).decode())
    shapes = {
        'mixed': ('multipart/mixed;boundary=b1', parts('b1', own, pidf)),
        'mixed_last': ('multipart/mixed; boundary=b1', parts('b1', pidf, own)),
        'quoted': ('multipart/mixed;boundary="a b:c=1"', parts('a b:c=1', pidf, own)),
        'preamble': ('multipart/mixed;boundary=b1', parts('b1', pidf, own, before='read me\r\n', after='the end\r\n')),
        'lf_lines': ('multipart/mixed;boundary=b1', parts('b1', pidf, ('application/sdp', sdp(A, eol='\n').decode()), eol='\n')),
        'upper': ('Multipart/MIXED;BOUNDARY=b1', parts('b1', pidf, ('Application/SDP', own[1]))),
        'related': ('multipart/related;type="application/sdp";boundary=b1', parts('b1', own, pidf)),
        'nested': ('multipart/mixed;boundary=out', parts('out', pidf, ('multipart/related;boundary=in',
                                                                      parts('in', pidf, own).decode()))),
        'prefix_boundary': ('multipart/mixed;boundary=b1', parts('b1', ('text/plain', '--b1x is no boundary'), own)),
        'no_end': ('multipart/mixed;boundary=b1', parts('b1', pidf, own).rsplit(b'--b1--', 1)[0])}
    for name, (kind, body) in shapes.items():
        t = Talk('m@x', step=10 * MS).invite(body, kind=kind).ok().ack()
        stream(add, 'multipart_' + name, steady(20) + steady(20, to_a, ssrc=9), t.out, streams=2, call_id='m@x',
               **{'streams[1].call_id': 'm@x', 'streams[1].codec': 'PCMU'})


def cases(add):
    for part in (numbers, repeats, changes, digits, codecs, headers, joins, multipart):
        part(add)
