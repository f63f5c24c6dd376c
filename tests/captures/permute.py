"""Streams and datagrams taken apart in every way, thousands in a file, each a connection or datagram with a Call-ID of its own.

Three SIP messages in two or three TCP segments: cut at every position and every pair of positions, in every order, and for each
pair once more with one segment twice. A datagram in two to four IP fragments: every order, and every order with one of them
twice. Each gives the same messages, whole. What must be found stands beside the capture in NAME.messages, a line for each
message in the order of the capture: length, records, Call-ID."""
import gzip
import itertools
import random

from files import Record, pcap
from frames import ACK, FIN, MS, START_NS, SYN, D, S, fragments, ip, ipv4, ipv6, is_v6, udp
from sip import A, A6, B, B6

RAW = 101  # the link type of bare IP packets: the smallest files
MESSAGES = [b'BYE sip:b SIP/2.0\r\ni:%04x\r\nl:0\r\n\r\n', b'INFO sip:b SIP/2.0\r\ni:%04x\r\nl:3\r\n\r\nABC',
            b'ACK sip:b SIP/2.0\r\ni:%04x\r\nl:0\r\n\r\n']


def ways(size):
    """(positions of the cuts, order of the segments) of every stream."""
    for cut in range(1, size):
        for order in ((0, 1), (1, 0), (0, 0, 1), (0, 1, 0), (1, 1, 0), (1, 0, 1)):
            yield (cut,), order
    for n, pair in enumerate(itertools.combinations(range(1, size), 2)):
        orders = list(itertools.permutations(range(3)))
        for order in orders:
            yield pair, order
        order, again = orders[n % 6], n // 6 % 3
        place = order.index(again) + 1 if n // 18 % 2 else 3  # at once, or behind all others
        yield pair, order[:place] + (again,) + order[place:]


class Streams:
    """Connections one after the other, and the messages of each in the order of its stream."""

    def __init__(self):
        self.records, self.lines, self.count = [], [], 0

    def packet(self, t, port, seq, data, flags):
        ident = len(self.records) % 65535 + 1
        s = S(t, A, B, port, 5060, data, seq, 1, flags, ident=ident)
        self.records.append(Record(START_NS + t, ip(s)))
        return len(self.records)

    def connection(self, cuts, order):
        parts = [m % self.count for m in MESSAGES]
        data = b''.join(parts)
        edges, t, port = [0, *cuts, len(data)], self.count * 10 * MS, 1024 + self.count
        self.packet(t, port, 999, b'', SYN)
        came = {}  # piece -> the record that brought it first
        for n, piece in enumerate(order):
            start, end = edges[piece], edges[piece + 1]
            last = FIN if end == len(data) else 0
            record = self.packet(t + (n + 1) * MS, port, 1000 + start, data[start:end], ACK | last)
            came.setdefault(piece, record)
        found, at = [], 0
        for m in parts:
            pieces = [k for k in range(len(edges) - 1) if edges[k] < at + len(m) and edges[k + 1] > at]
            found.append(([came[k] for k in pieces], len(m)))
            at += len(m)
        for records, length in found:  # a stream gives them in its own order
            self.lines.append((length, records, '%04x' % self.count))
        self.count += 1


def tcp_streams(add):
    streams = Streams()
    for cuts, order in ways(sum(len(m % 0) for m in MESSAGES)):
        streams.connection(cuts, order)
    assert streams.count < 64000  # ports
    add('permute_tcp.pcap.gz', gzip.compress(pcap(streams.records, link=RAW), 6, mtime=0), sip=len(streams.lines),
        calls=streams.count, streams=0, messages=streams.lines, also={
            'capture.packets': len(streams.records), 'capture.analysed': len(streams.records), 'capture.not_analysed': {},
            'capture.oddities[tcp.gap]': None, 'capture.oddities[sip.stream.incomplete]': None,
            'capture.oddities[tcp.overlap.conflict]': None, 'capture.oddities[tcp.forgotten]': None})


DATAGRAM = b'OPTIONS sip:b SIP/2.0\r\ni:%04x\r\nl:36\r\n\r\nabcdefghijklmnopqrstuvwxyz0123456789'
CUTS = {2: (40,), 3: (24, 56), 4: (16, 40, 72)}


def fragment_ways():
    """(cuts, order of the fragments): all orders, and all with one twice."""
    for cut in range(8, 8 + len(DATAGRAM % 0), 8):
        yield (cut,), (0, 1)
        yield (cut,), (1, 0)
    for count, cuts in CUTS.items():
        for order in itertools.permutations(range(count)):
            yield cuts, order
        for again in range(count):
            for order in sorted(set(itertools.permutations([*range(count), again]))):
                yield cuts, order


def pieces_of(number, cuts, ends):
    data = DATAGRAM % number
    d = D(0, *ends, 5060, 5060, data, ident=number + 1)
    packet = ipv6(d, udp(d)) if is_v6(ends[0]) else ipv4(d, udp(d))
    return fragments(packet, *cuts, ident=number + 1)


def datagrams(add):
    for family, ends in (('v4', (A, B)), ('v6', (A6, B6))):
        rows, length = [], len(DATAGRAM % 0)
        for number, (cuts, order) in enumerate(fragment_ways()):
            pieces = pieces_of(number, cuts, ends)
            rows.append([(number, piece, pieces[piece], len(pieces)) for piece in order])
        draw = random.Random(7)
        mixed = sorted((x for row in rows for x in zip(sorted(draw.random() for _ in row), row)), key=lambda x: x[0])
        for name, frames in (('', [x for row in rows for x in row]), ('_mixed', [x for _, x in mixed])):
            came, lines = {}, []
            for record, (number, piece, _, count) in enumerate(frames, 1):
                seen, records = came.setdefault(number, (set(), []))
                if len(seen) < count:
                    seen.add(piece)
                    records.append(record)
                    if len(seen) == count:
                        lines.append((length, records, '%04x' % number))
            step = 900 * MS // len(frames)  # all within a second, so that a copy is taken for one
            rs = [Record(START_NS + n * step, packet) for n, (_, _, packet, _) in enumerate(frames)]
            add('permute_fragments_%s%s.pcap' % (family, name), pcap(rs, link=RAW), sip=len(rows), calls=len(rows), streams=0,
                messages=lines, also={'capture.packets': len(rs), 'capture.analysed': len(rs), 'capture.not_analysed': {},
                                      'capture.oddities[ip.fragment.incomplete]': None,
                                      'capture.oddities[ip.fragment.conflict]': None,
                                      'capture.oddities[ip.fragment.overlap_v6]': None})


def cases(add):
    tcp_streams(add)
    datagrams(add)
