"""What payloads tell: redundant data, repair, video, text, the sound of G.711, SRTP by its look, and what is no RTP."""
import math
import random
import struct

from cases_media import MEDIA_AT, PACKET, call, rtp, steady, stream, to_a, to_b
from frames import MS
from sip import A, B, media, sdp

TICKS = 160


# --- G.711, straight from its tables ----------------------------------------------------------------------------------
def mu_amplitude(code):
    return (((code % 16 * 2 + 33) << code // 16) - 33) * 4


def a_amplitude(code):
    return (code % 16 * 2 + 1) * 8 if code < 16 else ((code % 16 * 2 + 33) << (code // 16 - 1)) * 8


def encoder(law):
    amplitude, key = (mu_amplitude, 0x7f) if law == 0 else (a_amplitude, 0x55)
    codes = [amplitude(code) for code in range(128)]

    def encode(x):
        code = min(range(128), key=lambda c: abs(codes[c] - abs(x)))
        return (code ^ key) & 0x7f | (0x80 if x >= 0 else 0)
    return encode


def tone(law, dbov, hz=440, count=1):
    """Payloads of a sine of so many dBov; above -3 dBov it is clipped."""
    peak, encode = 32768 * 10 ** (dbov / 20) * math.sqrt(2), encoder(law)
    wave = [encode(max(-32768, min(32767, peak * math.sin(2 * math.pi * hz * i / 8000)))) for i in range(TICKS * count)]
    return [bytes(wave[i * TICKS:(i + 1) * TICKS]) for i in range(count)]


def sounds(payloads, pt=0, way=to_b, **more):
    return [way(MEDIA_AT + i * PACKET, rtp(i, i * TICKS, pt=pt, payload=p, **more)) for i, p in enumerate(payloads)]


def both_laws(add, name, payloads, **also):
    for pt in (0, 8):
        types = call(sdp(A, media(10000, (0, 8))), sdp(B, media(20000, (0, 8))))
        stream(add, 'sound_%s_%s' % (name, ('mu', 'a')[pt == 8]), sounds(payloads(pt), pt), types, kind='audio', **also)


def sound(add):
    silence = {0: b'\xff\x7f' * 80, 8: b'\xd5\x55' * 80}
    talk = {pt: tone(pt, -20, count=50) for pt in (0, 8)}
    both_laws(add, 'tone', lambda pt: talk[pt], **{
        'audio.packets': 50, 'audio.silent_packets': 0, 'audio.clipped_packets': 0, 'audio.longest_silence_ms': '~0',
        'findings.length': 0})
    # 12 s of silence in 14 s.
    both_laws(add, 'dead_air', lambda pt: talk[pt] + [silence[pt]] * 600 + talk[pt], **{
        'audio.packets': 700, 'audio.silent_packets': 600, 'audio.longest_silence_ms': '~12000',
        'findings[0].name': 'dead_air', 'findings[0].severity': 'warning',
        'findings[0].packets': [[0, 54]], 'findings.length': 1,
        'findings[0].text': 'Nothing is heard for 12.0 s at a stretch: packets come, with silence in them.'})
    both_laws(add, 'nine_seconds', lambda pt: talk[pt] + [silence[pt]] * 450 + talk[pt], **{
        'audio.silent_packets': 450, 'audio.longest_silence_ms': '~9000', 'findings.length': 0})
    both_laws(add, 'nothing_but_silence', lambda pt: [silence[pt]] * 200, **{
        'audio.silent_packets': 200, 'audio.level_dbov': None, 'findings[0].name': 'dead_air',
        'findings[0].text': 'All its sound is silence, up to 4.0 s at a stretch.'})
    both_laws(add, 'early_silence', lambda pt: [silence[pt]] * 100, **{'audio.silent_packets': 100, 'findings.length': 0})
    both_laws(add, 'clipping', lambda pt: tone(pt, 2, count=100), **{
        'audio.clipped_packets': 100, 'findings[0].name': 'clipping', 'findings[0].severity': 'warning'})
    loud = {pt: tone(pt, 2, count=1)[0] for pt in (0, 8)}
    both_laws(add, 'clipping_now_and_then', lambda pt: [loud[pt] if i % 50 == 49 else talk[pt][i % 50] for i in range(500)], **{
        'audio.clipped_packets': 10, 'findings[0].name': 'clipping', 'findings[0].severity': 'note',
        'findings[0].text': 'Its sound is too loud: 10 of 500 packets are clipped.'})
    both_laws(add, 'two_bangs', lambda pt: [loud[pt] if i < 2 else talk[pt][i % 50] for i in range(100)], **{
        'audio.clipped_packets': 2, 'findings.length': 0})
    both_laws(add, 'anonymised', lambda pt: [(b'\x00', b'\x2a')[pt == 8] * 160] * 200, audio=None, **{'findings.length': 0})
    # DTX: a pause of 15 s behind a comfort noise packet, between talk, is no dead air.
    quiet = sounds([silence[0]] * 50)
    quiet.append(to_b(MEDIA_AT + 50 * PACKET, rtp(50, 8000, pt=13, payload=b'\x40')))
    quiet += [p._replace(t=p.t + 15000 * MS) for p in steady(50, seq=51, ts=8160 + 120000, at=MEDIA_AT + 51 * PACKET, payload=silence[0])]
    stream(add, 'sound_dtx', quiet, call(sdp(A, media(10000, (0, 13))), sdp(B, media(20000, (0, 13)))), **{
        'audio.silent_packets': 100, 'audio.longest_silence_ms': '~1000', 'findings.length': 0})


# --- RFC 2198 -----------------------------------------------------------------------------------------------------------
def red(primary, data, *blocks):
    """blocks: (payload type, timestamp offset, data), oldest first."""
    heads = b''.join(struct.pack('>I', 1 << 31 | pt << 24 | offset << 10 | len(d)) for pt, offset, d in blocks)
    return heads + bytes([primary]) + b''.join(d for _, _, d in blocks) + data


def redundant(count, step, pt, primary, blocks, lost=(), way=to_b, data=b'\x78' * 30, **more):
    old = [(primary, (blocks - k) * step, data) for k in range(blocks)]
    return [way(MEDIA_AT + i * PACKET, rtp(i, i * step, pt=pt, payload=red(primary, data, *old), **more))
            for i in range(count) if i not in lost]


def announced(types, kind='audio', lines=()):
    return call(*[sdp(a, media(p, types, kind, lines)) for a, p in ((A, 10000), (B, 20000))])


def redundancy(add):
    opus = announced(((63, 'red/48000/2'), (111, 'opus/48000/2')))
    with_fmtp = announced(((63, 'red/48000/2'), (111, 'opus/48000/2')), lines=['a=fmtp:63 111/111'])
    clean = dict(kind='audio', codec='opus', clock_hz=48000, jitter_ms='~0', payload_types=[63, 111], segments=None)
    for name, signalling in (('red_opus', opus), ('red_opus_fmtp', with_fmtp)):
        stream(add, name, redundant(100, 960, 63, 111, 1), signalling, packets=100, lost=0, redundant=100, recovered=0, **clean)
    stream(add, 'red_opus_loss', redundant(100, 960, 63, 111, 1, {10, 30, 31}), opus, packets=97, lost=3, redundant=97,
           recovered=2, loss_runs=1, loss_run_max=1, gap_max_ms='~20', **clean)
    stream(add, 'red_opus_two_loss', redundant(100, 960, 63, 111, 2, {10, 30, 31, 50, 51, 52}), opus, lost=6, recovered=5, loss_runs=1, loss_run_max=1, **clean)
    stream(add, 'red_primary_alone', redundant(100, 960, 63, 111, 0, {10}), opus, lost=1, redundant=0, recovered=0, **clean)
    stream(add, 'red_static', redundant(100, 160, 121, 0, 1, {7}, data=b'\xff' * 160), announced(((121, 'red/8000'), 0)),
           codec='PCMU', clock_hz=8000, lost=1, recovered=1, redundant=99, jitter_ms='~0', payload_types=[0, 121], mos='~4.409', loss_runs=0)
    # Three packets later is in time for a buffer of 60 ms, four is not.
    for later, mos, runs in ((3, '~4.409', 0), (4, '~4.328', 1)):
        packets = [to_b(MEDIA_AT + i * PACKET, rtp(i, i * 160, pt=121, payload=red(0, b'\xff' * 160, (0, later * 160, b'\xff' * 160))))
                   for i in range(100) if i != 7]
        stream(add, 'red_%d_later' % later, packets, announced(((121, 'red/8000'), 0)), lost=1, recovered=1, mos=mos, loss_runs=runs)
    lying = redundant(100, 960, 63, 111, 1)
    lying[50] = to_b(lying[50].t, rtp(50, 50 * 960, pt=63, payload=b'\xef\x0f\x03\xff\x6f\x01'))
    stream(add, 'red_lies', lying, opus, packets=100, lost=0, redundant=99, recovered=0, jitter_ms='~0', codec='opus')
    text = announced(((100, 'red/1000'), (98, 't140/1000')), 'text', ['a=fmtp:100 98/98/98'])
    typed = [to_b(MEDIA_AT + i * 300 * MS, rtp(i, i * 300, pt=100, marker=i == 0,
                                               payload=red(98, b'abc'[i % 3:], (98, 600, b'x'), (98, 300, b''))))
             for i in range(40) if i not in (10, 11)]
    stream(add, 'text_t140', typed, text, kind='text', codec='t140', clock_hz=1000, packets=38, lost=2, recovered=2, mos=None,
           mos_missing='the E-model scores speech, not text')
    digits = announced(((63, 'red/8000'), 0, (101, 'telephone-event/8000')))
    packets = steady(20)
    for i in range(8):
        event = bytes([7, (0x80 if i >= 5 else 0) | 10]) + struct.pack('>H', 160 * min(i + 1, 5))
        packets.append(to_b(MEDIA_AT + (20 + i) * PACKET, rtp(20 + i, 20 * 160, pt=63, marker=i == 0,
                                                              payload=red(101, event, (101, 320, b'\x05\x8a\x03\x20')))))
    packets += steady(20, seq=28, ts=28 * 160, at=MEDIA_AT + 28 * PACKET)
    stream(add, 'red_events', packets, digits, dtmf='7', codec='PCMU', lost=0, jitter_ms='~0', redundant=8, segments=None)
    # Not announced, nobody can say that it is redundant data.
    stream(add, 'red_unknown', redundant(100, 960, 63, 111, 1), [], sip=0, calls=0, redundant=0, kind=None, codec=None)


# --- Video, FEC, RTX ----------------------------------------------------------------------------------------------------
def frames(count, pt=97, parts=3, fec=None, at=MEDIA_AT + 500000, ssrc=7, lost=()):
    """Video of 25 frames a second: the packets of a frame have one timestamp, the last has the marker."""
    out, seq = [], 0
    for frame in range(count):
        for part in range(parts + (fec is not None)):
            is_fec = part == parts
            data = rtp(seq, frame * 3600, ssrc, fec if is_fec else pt, b'\x41' * 900, marker=part == parts - 1)
            if seq not in lost:
                out.append(to_b(at + frame * 40 * MS, data))
            seq += 1
    return out


def video(add):
    for name in ('H263', 'H264', 'H265', 'VP8', 'VP9', 'AV1'):
        stream(add, 'video_' + name.lower(), frames(50), announced(((97, name + '/90000'),), 'video'), kind='video', codec=name,
               clock_hz=90000, packets=150, lost=0, jitter_ms='~0', jitter_max_ms='~0', mos=None, segments=None,
               mos_missing='the E-model scores speech, not video', repair=0)
    stream(add, 'video_loss', frames(50, lost={10, 11, 70}), announced(((97, 'VP8/90000'),), 'video'), lost=3, expected=150)
    types = ((97, 'VP8/90000'), (98, 'rtx/90000'), (117, 'ulpfec/90000'))
    stream(add, 'video_ulpfec', frames(50, fec=117), announced(types, 'video'), kind='video', codec='VP8', packets=200, lost=0,
           repair=50, jitter_ms='~0', segments=None)
    inside = announced(((97, 'VP8/90000'), (116, 'red/90000'), (117, 'ulpfec/90000')), 'video')
    wrapped = [p._replace(data=p.data[:1] + bytes([p.data[1] & 0x80 | 116]) + p.data[2:12] + bytes([p.data[1] & 127]) + p.data[12:])
               for p in frames(50, fec=117)]
    stream(add, 'video_ulpfec_in_red', wrapped, inside, kind='video', codec='VP8', packets=200, lost=0, repair=50, redundant=0,
           jitter_ms='~0', segments=None)
    again = [to_b(MEDIA_AT + i * 170 * MS, rtp(i, i * 30000, 8, 98, b'\0\1' + b'\x41' * 500)) for i in range(20)]
    stream(add, 'video_rtx', frames(50) + again, announced(types, 'video'), streams=2, **{
        'streams[0].codec': 'rtx', 'streams[1].codec': 'VP8', 'sum.repair': 20, 'sum.packets': 170, 'streams[1].repair': 0})
    stream(add, 'rtx_alone', again, announced(types, 'video'), kind='other', codec='rtx', clock_hz=90000, packets=20, repair=20,
           lost=0, jitter_ms=None, mos=None, mos_missing='its packets only repair those of other streams')
    for name in ('ulpfec', 'parityfec', 'flexfec', 'flexfec-03', 'uleciprotfec'):
        corrections = [to_b(MEDIA_AT + i * 170 * MS, rtp(i, i * 30000, 8, 98, b'\0' * 50)) for i in range(20)]
        stream(add, name.replace('-', '_') + '_alone', corrections, announced(((97, 'VP8/90000'), (98, name + '/90000')), 'video'),
               kind='other', codec=name, clock_hz=90000, repair=20, mos=None, jitter_ms=None)


# --- SRTP ---------------------------------------------------------------------------------------------------------------
def cipher(count, pt, size, step=160, lost=()):
    noise = random.Random(pt * 1000 + size)
    return [to_b(MEDIA_AT + i * PACKET, rtp(i, i * step, pt=pt, payload=noise.randbytes(size))) for i in range(count) if i not in lost]


def srtp(add):
    rows = (('pcmu_80', 0, 170), ('pcmu_32', 0, 164), ('pcma_aead', 8, 176), ('g722_80', 9, 170), ('g729_80', 18, 30), ('gsm_32', 3, 37))
    for name, pt, size in rows:
        packets = cipher(100, pt, size, lost={50, 51})
        stream(add, 'look_' + name, packets, [], sip=0, calls=0, encrypted=True, encrypted_by='look', lost=2, audio=None,
               jitter_ms='~0', **{'findings.length': 0})
    stream(add, 'look_dynamic', cipher(100, 105, 170), announced(((105, 'PCMA/8000'),)), encrypted=True, encrypted_by='look',
           codec='PCMA')
    stream(add, 'look_too_few', cipher(15, 0, 170), [], sip=0, calls=0, encrypted=False, encrypted_by=None)
    stream(add, 'look_plain', cipher(100, 18, 20), [], sip=0, calls=0, encrypted=False, encrypted_by=None)
    stream(add, 'look_odd_size', cipher(100, 0, 168), [], sip=0, calls=0, encrypted=False)
    crypto = ['a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz']
    stream(add, 'look_announced', cipher(100, 0, 170), announced((0,), lines=crypto), encrypted=True, encrypted_by='sdp', audio=None)


def strangers(add):
    """Five packets in a row that make sense are a stream; with other timestamps or numbers they are none."""
    for name, numbers, times, found in (
            ('five', range(5), range(0, 800, 160), 1), ('four', range(4), range(0, 640, 160), 0),
            ('times_back', range(9), range(9000, 0, -1000), 0), ('times_jump', range(9), range(0, 9 << 24, 1 << 24), 0),
            ('numbers_apart', range(0, 90, 10), range(0, 1440, 160), 0),
            ('wrap', range(65533, 65538), range(0xffffff00, 0xffffff00 + 800, 160), 1),
            ('one_time', range(5), (77,) * 5, 1)):
        packets = [to_b(MEDIA_AT + i * PACKET, rtp(n, t, pt=111)) for i, (n, t) in enumerate(zip(numbers, times))]
        stream(add, 'stranger_' + name, packets, [], sip=0, calls=0, streams=found)


def cases(add):
    for part in (sound, redundancy, video, srtp, strangers):
        part(add)
