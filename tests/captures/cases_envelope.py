"""The call in HEP envelopes of all versions, and in the chunks of SCTP."""
import gzip
import ipaddress
import itertools
import struct
import zlib

from files import Record, pcap, records
from frames import D, MS, START_NS, eth, ipv4, ipv6, is_v6, number
from sip import base, base6

AGENT, COLLECTOR, HEP_PORT = '198.51.100.1', '198.51.100.9', 9060
UDP, TCP, SCTP = 17, 6, 132
SIP, RTCP_JSON, LOG = 1, 5, 100
PAYLOAD, COMPRESSED, CORRELATION, NODE = 0x0f, 0x10, 0x11, 0x13
ENDED = {'calls[c1@x].state': 'ended', 'calls[c1@x].messages': 7}
ENDS = {'calls[c1@x].src': '192.0.2.10:5060', 'calls[c1@x].dst': '192.0.2.20:5060'}
ENDS6 = {'calls[c1@x].src': '[2001:db8::10]:5060', 'calls[c1@x].dst': '[2001:db8::20]:5060'}


# --- HEP ---

def chunk(kind, body, vendor=0, length=None):
    return struct.pack('>HHH', vendor, kind, 6 + len(body) if length is None else length) + body


def chunks(d, payload=None, kind=SIP, protocol=UDP):
    """What senders write, in their order; payload: chunks, the datagram's bytes if None."""
    packed = [ipaddress.ip_address(a).packed for a in (d.src, d.dst)]
    v6, at = is_v6(d.src), START_NS + d.t
    return [chunk(1, bytes([10 if v6 else 2])), chunk(2, bytes([protocol])),
            chunk(5 if v6 else 3, packed[0]), chunk(6 if v6 else 4, packed[1]),
            chunk(7, struct.pack('>H', d.sport)), chunk(8, struct.pack('>H', d.dport)),
            chunk(9, struct.pack('>I', at // 10**9)), chunk(10, struct.pack('>I', at % 10**9 // 1000)),
            chunk(11, bytes([kind])), chunk(12, struct.pack('>I', 2001)),
            *([chunk(PAYLOAD, d.data)] if payload is None else payload)]


def hep3(parts, longer=0):
    body = b''.join(parts)
    return struct.pack('>4sH', b'HEP3', 6 + len(body) + longer) + body


def hep12(d, version, order='<', counts_time=False):
    """The header is the sender's struct in memory: its time has the order of its processor."""
    addresses = b''.join(ipaddress.ip_address(a).packed for a in (d.src, d.dst))
    time = b''
    if version == 2:
        at = START_NS + d.t
        time = struct.pack(order + 'IIHH', at // 10**9, at % 10**9 // 1000, 2001, 0xa55a)
    length = 8 + len(addresses) + (len(time) if counts_time else 0)
    head = struct.pack('>BBBBHH', version, length, 10 if is_v6(d.src) else 2, UDP, d.sport, d.dport)
    return head + addresses + time + d.data


def sent(envelopes, step=MS, port=HEP_PORT):
    """Envelopes on their way to the collector, at other times than what is in them."""
    return [D(50 * MS + i * step, AGENT, COLLECTOR, 50000, port, e) for i, e in enumerate(envelopes)]


def call(add, name, datagrams, sip=7, calls=1, ends=ENDS, messages=None, **also):
    expected = dict(ENDED, **ends, **{'calls[c1@x].pdd_ms': '~40'}) if sip == 7 else {}
    count = len(datagrams)
    expected.update({'capture.packets': count, 'capture.analysed': count}, **also)
    add('hep_%s.pcap' % name, pcap(records(datagrams)), sip=sip, calls=calls, streams=0, messages=messages,
        also={path: value for path, value in expected.items() if value is not None})


def version_3(add):
    call(add, '3', sent(hep3(chunks(d)) for d in base()))
    call(add, '3_v6', sent(hep3(chunks(d)) for d in base6()), ends=ENDS6)
    call(add, '3_other_port', sent((hep3(chunks(d)) for d in base()), port=12345))
    call(add, '3_payload_first', sent(hep3(chunks(d)[::-1]) for d in base()))
    orders = itertools.cycle((1, 3, 7, 9))
    turned = [hep3([chunks(d)[i * step % 11] for i in range(11)]) for d, step in zip(base(), orders)]
    call(add, '3_any_order', sent(turned))
    vendor = [chunk(PAYLOAD, b'not this one', vendor=3), chunk(1, b'x' * 40, vendor=0xffff)]
    call(add, '3_vendor_chunks', sent(hep3(vendor + chunks(d) + vendor) for d in base()))
    unknown = [chunk(0x26, b'tag'), chunk(0x7fff, b''), chunk(0x14, bytes(8))]
    call(add, '3_unknown_chunks', sent(hep3(unknown + chunks(d)) for d in base()))
    more = [chunk(CORRELATION, b'c1@x'), chunk(NODE, b'node7'), chunk(0x12, b'\0\x64'), chunk(0x0e, b'secret')]
    call(add, '3_correlation', sent(hep3(more + chunks(d)) for d in base()), messages=[{'correlation_id': 'c1@x'}] * 7)
    call(add, '3_chunks_twice', sent(hep3(chunks(d) + chunks(base()[0])) for d in base()))
    call(add, '3_tls', sent(hep3(chunks(d, protocol=22)) for d in base()))
    empty = [hep3(chunks(base()[0], payload=[]))] * 2
    call(add, '3_no_payload', sent(empty), sip=0, calls=0, **{'capture.analysed': None})


def compressed(add):
    def deflate(data):
        z = zlib.compressobj(9, zlib.DEFLATED, -15)
        return z.compress(data) + z.flush()
    for name, pack in (('zlib', zlib.compress), ('gzip', lambda data: gzip.compress(data, mtime=0)), ('deflate', deflate)):
        call(add, '3_' + name, sent(hep3(chunks(d, [chunk(COMPRESSED, pack(d.data))])) for d in base()))
    nothing = {'capture.analysed': None, 'sip': 0, 'calls': 0, 'capture.oddities[hep.inflate]': 1}
    first = base()[0]
    cut = chunk(COMPRESSED, zlib.compress(first.data)[:-20])
    call(add, '3_zlib_cut', sent([hep3(chunks(first, [cut]))]), **nothing)
    bomb = chunk(COMPRESSED, zlib.compress(first.data + bytes(16 << 20)))
    call(add, '3_bomb', sent([hep3(chunks(first, [bomb]))]), **nothing)


def lengths(add):
    """Lengths that lie: what made sense counts, and each envelope is flagged."""
    odd = {'capture.oddities[hep.length]': 7}
    tail = [chunk(CORRELATION, b'behind the payload')]
    call(add, '3_total_longer', sent(hep3(chunks(d), 20) for d in base()), **odd)
    call(add, '3_total_shorter', sent(hep3(chunks(d) + tail, -len(tail[0])) for d in base()), **odd)
    for length in (0, 5, 500):
        bad = [chunk(CORRELATION, b'abc', length=length)]
        call(add, '3_chunk_length_%d' % length, sent(hep3(chunks(d) + bad) for d in base()), **odd)
    beyond = [hep3(chunks(d, [chunk(PAYLOAD, d.data, length=6000)])) for d in base()]
    call(add, '3_payload_beyond', sent(beyond), **odd)
    wrong = [chunk(3, b'\1\2\3'), chunk(7, b'\1\2\3')]
    call(add, '3_contents_too_short', sent(hep3(wrong + chunks(d)) for d in base()), **odd)


def others(add):
    """Payloads that are not SIP stand beside the call."""
    first = base()[0]
    report = b'{"sender_information":{"packets":100,"octets":16000},"ssrc":4660,"type":200,"report_blocks":[]}'
    parts = [hep3(chunks(d)) for d in base()]
    parts += [hep3(chunks(first._replace(data=report, t=60 * MS), kind=RTCP_JSON)),
              hep3(chunks(first._replace(data=b'a line of a log: INVITE sip:x SIP/2.0', t=70 * MS), kind=LOG))]
    call(add, '3_rtcp_and_log', sent(parts), **{'capture.analysed': None})


def versions_1_and_2(add):
    for name, order, counts in (('2', '<', False), ('2_big_endian', '>', False), ('2_length_with_time', '<', True)):
        call(add, name, sent(hep12(d, 2, order, counts) for d in base()))
        call(add, name + '_v6', sent(hep12(d, 2, order, counts) for d in base6()), ends=ENDS6)
    # No time inside: that of the capture counts, 20 ms from message to message.
    call(add, '1', sent((hep12(d, 1) for d in base()), 20 * MS))
    call(add, '1_v6', sent((hep12(d, 1) for d in base6()), 20 * MS), ends=ENDS6)


def tcp(d, sequence, acknowledgement=1, flags=0x18):
    """d.data in a segment."""
    return struct.pack('>HHIIBBHHH', d.sport, d.dport, sequence, acknowledgement, 0x50, flags, 65535, 0, 0) + d.data


def together(add):
    """What came together in a stream, in one envelope or one chunk."""
    ds = base()
    joined = [ds[0]._replace(data=ds[0].data + b'\r\n' + b''.join(d.data for d in ds[1:]))]
    call(add, '3_of_a_stream', sent(hep3(chunks(d, protocol=6)) for d in joined), sip=7, **{
        'calls[c1@x].pdd_ms': None, 'calls[c1@x].transport': 'TCP', 'calls[c1@x].state': 'ended'})
    side = Side()
    sctp(add, 'several_in_a_chunk', [packet(d, [sctp_data(side.tsn(d), d.data)]) for d in joined])


def over_tcp(add):
    """Envelopes follow each other in the stream: each in its segment, all in one, cut anywhere."""
    stream = b''.join(hep3(chunks(d)) for d in base())
    each = [hep3(chunks(d)) for d in base()]
    thirds = [stream[i:i + 700] for i in range(0, len(stream), 700)]
    for name, segments in (('each', each), ('cut', thirds), ('bytes', [stream[:1], stream[1:5], stream[5:6], stream[6:1400],
                                                                       stream[1400:]])):
        rows, at = [(b'', 100, 0x02)], 101
        for segment in segments:
            rows.append((segment, at, 0x18))
            at += len(segment)
        ds = number(sent(data for data, _, _ in rows))
        frames = [eth(ipv4(d, tcp(d, sequence, flags=flags), TCP)) for d, (_, sequence, flags) in zip(ds, rows)]
        add('hep_3_tcp_%s.pcap' % name, pcap([Record(START_NS + d.t, f) for d, f in zip(ds, frames)]), sip=7, calls=1,
            streams=0, also=dict(ENDED, **ENDS, **{'calls[c1@x].pdd_ms': '~40', 'capture.packets': len(rows)}))


# --- SCTP ---

ENDS_BIT, BEGINS_BIT, UNORDERED_BIT, WHOLE = 1, 2, 4, 3


def sctp_chunk(kind, body=b'', flags=0, length=None):
    size = 4 + len(body) if length is None else length
    return struct.pack('>BBH', kind, flags, size) + body + b'\0' * (-len(body) % 4)


def sctp_data(tsn, body, flags=WHOLE, stream=0, length=None):
    head = struct.pack('>IHHI', tsn % 2**32, stream, 0, 0)
    return sctp_chunk(0, head + body, flags, None if length is None else 16 + length)


def sctp_idata(tsn, body, message, last, flags=WHOLE, stream=0):
    return sctp_chunk(64, struct.pack('>IHHII', tsn % 2**32, stream, 0, message, last) + body, flags)


class Side:
    """Counts the TSNs of each direction from `first` on; tag: 7 towards the callee, 8 back."""

    def __init__(self, first=1000):
        self.first, self.next = first, {}

    def tsn(self, d):
        tsn = self.next.get(d.src, self.first)
        self.next[d.src] = tsn + 1
        return tsn


def packet(d, parts, at=None, tag=None):
    """A row (time, addresses, SCTP packet)."""
    head = struct.pack('>HHII', d.sport, d.dport, 7 + (d.src > d.dst) if tag is None else tag, 0)
    return (d.t if at is None else at, d, head + b''.join(parts))


def sctp(add, name, rows, sip=7, calls=1, ends=ENDS, **also):
    frames = []
    for i, (at, d, bytes_) in enumerate(sorted(rows, key=lambda row: row[0])):
        d = d._replace(ident=i + 1)
        inner = ipv6(d, bytes_, SCTP) if is_v6(d.src) else ipv4(d, bytes_, SCTP)
        frames.append(Record(START_NS + at, eth(inner, is_v6(d.src))))
    expected = dict(ENDED, **ends, **{'calls[c1@x].transport': 'SCTP', 'calls[c1@x].retransmissions': 0})
    expected.update({'capture.packets': len(rows), 'capture.analysed': len(rows)}, **also)
    add('sctp_%s.pcap' % name, pcap(frames), sip=sip, calls=calls, streams=0,
        also={path: value for path, value in expected.items() if value is not None})


def pieces(side, d, size=100, more=0):
    """A message in several chunks."""
    parts = [d.data[i:i + size] for i in range(0, len(d.data), size)]
    flags = [(BEGINS_BIT if i == 0 else 0) | (ENDS_BIT if i == len(parts) - 1 else 0) | more for i in range(len(parts))]
    return [sctp_data(side.tsn(d), part, f) for part, f in zip(parts, flags)]


def spread(d, parts, order=lambda rows: rows, step=MS):
    """Each chunk in a packet of its own."""
    return [packet(d, [part], d.t + i * step) for i, part in enumerate(order(parts))]


def whole_messages(add):
    def each(side, datagrams, **more):
        return [packet(d, [sctp_data(side.tsn(d), d.data, **more)]) for d in datagrams]
    timed = {'calls[c1@x].pdd_ms': '~40'}
    sctp(add, 'call', each(Side(), base()), **timed)
    sctp(add, 'call_v6', each(Side(), base6()), ends=ENDS6, **timed)
    sctp(add, 'tsn_wrap', each(Side(2**32 - 1), base()), **timed)
    sctp(add, 'unordered', each(Side(), base(), flags=WHOLE | UNORDERED_BIT), **timed)
    side, streams = Side(), itertools.count()
    sctp(add, 'streams', [packet(d, [sctp_data(side.tsn(d), d.data, stream=next(streams) * 7)]) for d in base()], **timed)
    side, sack = Side(), sctp_chunk(3, bytes(12))
    sctp(add, 'other_chunks', [packet(d, [sack, sctp_chunk(200, b'odd'), sctp_data(side.tsn(d), d.data), sctp_chunk(4, bytes(8))])
                               for d in base()], **timed)
    side, b = Side(), base()
    bundle = [[b[0]], b[1:4], [b[4], b[5]], [b[6]]]  # 100, 180 and 200 in one packet; ACK and BYE in one
    sctp(add, 'bundled', [packet(ds[0], [sctp_data(side.tsn(d), d.data) for d in ds]) for ds in bundle])
    side = Side()
    sctp(add, 'idata', [packet(d, [sctp_idata(side.tsn(d), d.data, i, 0)]) for i, d in enumerate(base())], **timed)


def fragments(add):
    side = Side()
    sctp(add, 'fragments', [row for d in base() for row in spread(d, pieces(side, d))])
    side = Side()
    sctp(add, 'fragments_bundled', [packet(d, pieces(side, d)) for d in base()], **{'calls[c1@x].pdd_ms': '~40'})
    side = Side()
    sctp(add, 'fragments_reversed', [row for d in base() for row in spread(d, pieces(side, d), lambda parts: parts[::-1])])
    side = Side(2**32 - 2)
    sctp(add, 'fragments_wrap', [row for d in base() for row in spread(d, pieces(side, d, more=UNORDERED_BIT))])
    side, big = Side(), [d._replace(data=d.data.replace(b'Content-Length', b'X-Long: %s\r\nContent-Length' % (b'x' * 9000)))
                         for d in base()]
    sctp(add, 'fragments_large', [row for d in big for row in spread(d, pieces(side, d, 1200))])
    side, rows = Side(), []
    for d in base():
        parts = pieces(side, d)
        rows += spread(d, parts) + spread(d._replace(t=d.t + 10 * MS), parts[1:])
    sctp(add, 'fragments_again', rows)
    side, rows = Side(), []
    for i, d in enumerate(base()):
        halves = (d.data[:50], d.data[50:])
        rows += [packet(d, [sctp_idata(side.tsn(d), halves[1], i, 1, ENDS_BIT)]),
                 packet(d, [sctp_idata(side.tsn(d), halves[0], i, 0, BEGINS_BIT)], d.t + MS)]
    sctp(add, 'idata_reversed', rows)


def again(add):
    """Retransmissions of SCTP are none of SIP; another association is not a retransmission."""
    side, rows = Side(), []
    for d in base():
        part = [sctp_data(side.tsn(d), d.data)]
        rows += [packet(d, part), packet(d, part, d.t + 60 * MS)]
    sctp(add, 'again', rows, **{'calls[c1@x].pdd_ms': '~40'})
    rows, init = [], sctp_chunk(1, struct.pack('>IIHHI', 9, 65535, 10, 10, 500))
    for i, name in enumerate(('c1@x', 'c2@x')):
        side = Side()
        ds = base(name, at=i * 1000 * MS)
        rows.append(packet(ds[0], [init], ds[0].t - MS, tag=0))
        rows += [packet(d, [sctp_data(side.tsn(d), d.data)], tag=7 + i * 10 + (d.src > d.dst)) for d in ds]
    sctp(add, 'two_associations', rows, sip=14, calls=2, **{'calls[c2@x].state': 'ended'})


def faults(add):
    side, rows = Side(), []
    for d in base():
        parts = pieces(side, d)
        rows += spread(d, parts[:1] + parts[2:] if d.t == 0 else parts)
    sctp(add, 'fragment_lost', rows, sip=None, calls=2, **{'calls[c1@x].messages': None, 'calls[c1@x].state': None,
                                                  'capture.analysed': None, 'capture.oddities[sctp.incomplete]': 1})
    side = Side()
    lies = [packet(d, [sctp_data(side.tsn(d), d.data), b'\0\3\0\2' + bytes(20)]) for d in base()]
    sctp(add, 'chunk_length_2', lies, **{'calls[c1@x].pdd_ms': '~40'})


def cases(add):
    for part in (version_3, compressed, lengths, others, versions_1_and_2, together, over_tcp, whole_messages, fragments, again, faults):
        part(add)
