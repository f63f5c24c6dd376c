"""Streams that a seeded network damages; what must be found is counted here, by a few lines that share nothing with the
reader: loss, copies and reordering by number, jitter by RFC 3550 A.8, loss by intervals of 5 s."""
import random

from frames import MS
from cases_media import MEDIA_AT, PACKET, call, rtp, steady, stream, to_b
from sip import A, B, media, sdp


def counted(arrivals):
    """arrivals: sequence numbers that never wrapped, in order of arrival."""
    seen, top, reordered, duplicates = set(), -1, 0, 0
    for seq in arrivals:
        if seq in seen:
            duplicates += 1
        elif seq < top:
            reordered += 1
        seen.add(seq)
        top = max(top, seq)
    expected = max(seen) - min(seen) + 1
    return {'packets': len(arrivals), 'unique': len(seen), 'expected': expected, 'lost': expected - len(seen),
            'duplicates': duplicates, 'reordered': reordered, 'too_late': 0}


def jitter(packets, clock=8000):
    """Largest and mean estimate in ms. packets: (arrival in ns, RTP timestamp), none of them late or a copy."""
    value, top, total, last = 0.0, 0.0, 0.0, None
    for at, ts in packets:
        if last:
            apart = abs((at - last[0]) * clock / 1e9 - (ts - last[1]))
            value += (apart - value) / 16
            total += value
            top = max(top, value)
        last = (at, ts)
    return top * 1000 / clock, total * 1000 / clock / max(1, len(packets) - 1)


def damaged(add, seed, count=2000, loss=0.03, copies=0.02, displaced=0.02, first=0):
    draw = random.Random(seed)
    slots = []
    for i in range(count):
        if 0 < i < count - 1 and draw.random() < loss:
            continue
        late = draw.randrange(1, 40) if draw.random() < displaced and i else 0
        slots.append((i + late + draw.random() / 3, i))
        if draw.random() < copies:
            slots.append((i + late + 1 + draw.random() * 20, i))
    slots.sort()
    packets = [to_b(MEDIA_AT + int(at * PACKET), rtp(first + i, i * 160, payload=b'\xff' * 20)) for at, i in slots]
    stream(add, 'random_%d' % seed, packets, **counted([i for _, i in slots]))


def shaken(add, seed, spread_ms, clock=8000, step=160, pt=0, name=None):
    """Arrivals moved by up to spread_ms, but never past a neighbour."""
    draw = random.Random(seed)
    times = [MEDIA_AT + i * PACKET + int(draw.random() * spread_ms * 1000) * 1000 for i in range(500)]
    packets = [to_b(t, rtp(i, i * step, pt=pt, payload=b'\0' * 20)) for i, t in enumerate(times)]
    top, mean = jitter([(t, i * step) for i, t in enumerate(times)], clock)
    types = ((pt, name),) if name else (pt,)
    stream(add, 'jitter_%d_%dms' % (clock, spread_ms), packets, call(sdp(A, media(10000, types)), sdp(B, media(20000, types))),
           jitter_max_ms='~%.3f' % top, jitter_ms='~%.3f' % mean, lost=0, reordered=0)


def outages(add):
    holes = {*range(100, 110), *range(500, 1000, 50)}
    kept = [p for i, p in enumerate(steady(1000)) if i not in holes]
    stream(add, 'intervals', kept, **{'intervals.length': 4, 'intervals[0].lost': 10, 'intervals[1].lost': 0,
                                      'intervals[2].lost': 5, 'intervals[3].lost': 5, 'intervals[0].packets': 240,
                                      'intervals[1].packets': 250, 'intervals[2].packets': 245, 'intervals[3].packets': 245})
    minute = [p for i, p in enumerate(steady(3000)) if not 1500 <= i < 1550]
    stream(add, 'one_second_out', minute, expected=3000, unique=2950, lost=50, loss_percent='~1.667', bursts=1,
           **{'intervals.length': 12, 'intervals[6].lost': 50, 'intervals[6].packets': 200, 'intervals[5].lost': 0})
    # A gap belongs to the interval of the packet that ends it.
    border = [p for i, p in enumerate(steady(600)) if not 240 <= i < 260]
    stream(add, 'gap_over_a_border', border, lost=20, **{'intervals[0].lost': 0, 'intervals[1].lost': 20})
    late = steady(1400, payload=b'')
    late[10] = late[10]._replace(t=late[1200].t + MS)
    stream(add, 'beyond_the_window', late, packets=1400, too_late=1, unique=1399, expected=1400, lost=1, duplicates=0)
    late = steady(1400, payload=b'')
    late[300] = late[300]._replace(t=late[1200].t + MS)
    stream(add, 'inside_the_window', late, packets=1400, too_late=0, unique=1400, expected=1400, lost=0, reordered=1)
    for back in (1, 50, 100):
        early = steady(300)
        first = early[back]._replace(t=MEDIA_AT - PACKET)
        stream(add, 'starts_%d_late' % back, [first] + early[:back] + early[back + 1:], expected=300, lost=0, unique=300,
               reordered=back)


def pauses(add):
    """Silence suppression without comfort noise: timestamps go on, packets do not."""
    for name, marker in (('pause_marked', True), ('pause_unmarked', False)):
        later = steady(100, seq=100, ts=16000 + 16000, at=MEDIA_AT + 200 * PACKET)
        later[0] = to_b(later[0].t, rtp(100, 32000, marker=marker))
        stream(add, name, steady(100) + later, lost=0, expected=200, jitter_ms='~0', jitter_max_ms='~0', codec='PCMU')


def neighbours(add):
    """What else comes to a media port (RFC 7983): neither RTP nor SIP, and never a stream."""
    stun = b'\0\1\0\0\x21\x12\xa4\x42' + b'z' * 12
    others = {'stun': stun, 'dtls': b'\x16\xfe\xfd' + b'\0' * 20, 'channel': b'\x40\0\0\x04abcd', 'zrtp': b'\x10\0\0\1ZRTP' + b'\0' * 20,
              'text': b'hello', 'zeros': b'\0\0\0\0'}
    for name, data in others.items():
        odd = [to_b(MEDIA_AT + i * 100 * MS + MS, data) for i in range(10)]
        stream(add, 'beside_' + name, steady(100) + odd, packets=100, lost=0, **{'capture.rtp_packets': 100, 'capture.packets': 113})


def cases(add):
    for seed in range(1, 7):
        damaged(add, seed, first=(0, 65000, 30000)[seed % 3])
    damaged(add, 7, loss=0.4)
    damaged(add, 8, copies=0.9)
    damaged(add, 9, displaced=0.5)
    for seed, (spread_ms, clock, step, pt, name) in enumerate((
            (1, 8000, 160, 0, None), (5, 8000, 160, 0, None), (19, 8000, 160, 0, None), (10, 48000, 960, 96, 'opus/48000/2'),
            (10, 16000, 320, 97, 'AMR-WB/16000'), (19, 90000, 1800, 98, 'H264/90000'))):
        shaken(add, seed, spread_ms, clock, step, pt, name)
    for part in (outages, pauses, neighbours):
        part(add)
