"""From datagrams to frames: IP, UDP and the link layers around them, as small functions that fit into each other.

A datagram is a D, a TCP segment an S; ip() makes the packet of either; a link wrapper takes (packet, is_v6) and makes
the frame. fragment() takes a packet apart, icmp_error() quotes one.
"""
import functools
import ipaddress
import struct
from collections import namedtuple

START_NS = 1700000000 * 10**9  # 2023-11-14T22:13:20Z
MS = 10**6

MACS = bytes.fromhex('020000000002' '020000000001')

# time in ns after START_NS, addresses as text, payload; ident: IPv4 identification, given by number() if None
D = namedtuple('D', 't src dst sport dport data ttl ident', defaults=(64, None))

# likewise; sequence and acknowledgement numbers, flags, options (a multiple of 4 bytes)
S = namedtuple('S', 't src dst sport dport data seq ack flags options ttl ident', defaults=(b'', 64, None))
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
TCP, UDP, ICMP, ICMP6, SCTP = 6, 17, 1, 58, 132


def number(datagrams):
    """In order of time, each with an IP identification of its own where it has none."""
    ordered = sorted(datagrams, key=lambda d: d.t)
    return [d if d.ident is not None else d._replace(ident=i % 65535 + 1) for i, d in enumerate(ordered)]


def is_v6(address):
    return ':' in address


@functools.lru_cache
def packed(address):
    return ipaddress.ip_address(address).packed


def checksum(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack('>%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def udp(d, length=None, sum16=0):
    return struct.pack('>HHHH', d.sport, d.dport, 8 + len(d.data) if length is None else length, sum16) + d.data


def ipv4(d, inner, protocol=17, options=b'', total=None, flags=0, ident=None):
    size = 20 + len(options) + len(inner) if total is None else total
    head = struct.pack('>BBHHHBBH4s4s', 0x40 + 5 + len(options) // 4, 0, size, d.ident if ident is None else ident,
                       flags, d.ttl, protocol, 0, packed(d.src),
                       packed(d.dst)) + options
    return head[:10] + struct.pack('>H', checksum(head)) + head[12:] + inner


def ipv6(d, inner, protocol=17, extensions=(), length=None):
    """extensions: (protocol number, body without its next-header byte) from the outside in."""
    numbers = [n for n, _ in extensions] + [protocol]
    chain = b''.join(bytes([following]) + body for (_, body), following in zip(extensions, numbers[1:]))
    size = len(chain) + len(inner) if length is None else length
    return struct.pack('>IHBB16s16s', 6 << 28, size, numbers[0], d.ttl, packed(d.src),
                       packed(d.dst)) + chain + inner


def pseudo(d, size, protocol):
    """What the checksums of TCP and ICMPv6 cover besides their own bytes."""
    ends = packed(d.src) + packed(d.dst)
    return ends + struct.pack('>IHBB', size, 0, 0, protocol)


def tcp(s, sum16=None):
    """sum16: a checksum that is not the right one."""
    head = struct.pack('>HHIIBBHHH', s.sport, s.dport, s.seq & 0xffffffff, s.ack & 0xffffffff,
                       (20 + len(s.options)) // 4 << 4, s.flags, 65535, 0, 0) + s.options
    right = checksum(pseudo(s, len(head) + len(s.data), TCP) + head + s.data)
    return head[:16] + struct.pack('>H', right if sum16 is None else sum16) + head[18:] + s.data


def ip(d):
    inner, protocol = (tcp(d), TCP) if isinstance(d, S) else (udp(d), UDP)
    return ipv6(d, inner, protocol) if is_v6(d.src) else ipv4(d, inner, protocol)


def fragment(packet, start, end, more=None, ident=7, before=0):
    """Bytes start to end of what an IP packet carries; more: by default whether that is not all. Of IPv6, `before`
    bytes of one extension header stay in front of the fragment header, and `ident` is its identification."""
    if packet[0] >> 4 == 4:
        head, body = packet[:(packet[0] & 15) * 4], packet[(packet[0] & 15) * 4:]
        more = end < len(body) if more is None else more
        size = len(head) + len(body[start:end])
        head = head[:2] + struct.pack('>H', size) + head[4:6] + struct.pack('>H', more << 13 | start // 8) + head[8:10] + \
            b'\0\0' + head[12:]
        return head[:10] + struct.pack('>H', checksum(head)) + head[12:] + body[start:end]
    head, body = packet[:40 + before], packet[40 + before:]
    more = end < len(body) if more is None else more
    pointer = 40 if before else 6  # where the type of what follows stands
    following = head[pointer]
    head = head[:pointer] + b'\x2c' + head[pointer + 1:]
    extra = struct.pack('>BBHI', following, 0, start | more, ident)
    head = head[:4] + struct.pack('>H', before + 8 + len(body[start:end])) + head[6:]
    return head + extra + body[start:end]


def fragments(packet, *cuts, **more):
    """All fragments in order, cut at these offsets of what the packet carries (multiples of 8)."""
    size = len(packet) - (40 + more.get('before', 0) if packet[0] >> 4 == 6 else (packet[0] & 15) * 4)
    edges = [0, *cuts, size]
    return [fragment(packet, a, b, **more) for a, b in zip(edges, edges[1:])]


def icmp(d, kind, code, body, word=b'\0\0\0\0'):
    """An ICMP packet from d.src to d.dst; word: the second four bytes of its header."""
    data = bytes([kind, code, 0, 0]) + word + body
    if is_v6(d.src):
        sum16 = checksum(pseudo(d, len(data), ICMP6) + data)
    else:
        sum16 = checksum(data)
    data = data[:2] + struct.pack('>H', sum16) + data[4:]
    return ipv6(d, data, ICMP6) if is_v6(d.src) else ipv4(d, data, ICMP)


def icmp_error(d, by, kind=None, code=None, keep=None, delay=MS):
    """(time, packet): `by` tells the sender of d that it did not arrive, by default that its port is unreachable.
    keep: bytes of d's packet that are quoted, by default what 576 (IPv6: 1,280) bytes have room for."""
    v6 = is_v6(d.src)
    kind, code = ((1, 4) if v6 else (3, 3)) if kind is None else (kind, code)
    keep = ((1280 if v6 else 576) - (48 if v6 else 28)) if keep is None else keep
    back = D(d.t + delay, by, d.src, 0, 0, b'', ident=0x7777)
    return back.t, icmp(back, kind, code, ip(d)[:keep])


def ethertype(v6):
    return 0x86dd if v6 else 0x0800


def tagged(tags, packet, v6, last=None):
    """What follows a type field of tags[0][0]: tags are (type, VLAN id), and then the packet."""
    types = [t for t, _ in tags] + [ethertype(v6) if last is None else last]
    return b''.join(struct.pack('>HH', vid, following) for (_, vid), following in zip(tags, types[1:])) + packet


def first_type(tags, v6, last=None):
    return tags[0][0] if tags else ethertype(v6) if last is None else last


def eth(packet, v6=False, tags=(), type16=None, trailer=b''):
    first = first_type(tags, v6, type16)
    return MACS + struct.pack('>H', first) + tagged(tags, packet, v6, type16) + trailer


def snap(packet, v6=False, organisation=b'\0\0\0'):
    return b'\xaa\xaa\x03' + organisation + struct.pack('>H', ethertype(v6)) + packet


def llc_eth(body, trailer=b''):
    return MACS + struct.pack('>H', len(body)) + body + trailer


def mpls(packet, labels):
    stack = b''.join(struct.pack('>I', label << 12 | (i == len(labels) - 1) << 8 | 64) for i, label in enumerate(labels))
    return stack + packet


def ppp(packet, v6=False, framing=b'\xff\x03', short=False):
    protocol = 0x57 if v6 else 0x21
    return framing + (bytes([protocol]) if short else struct.pack('>H', protocol)) + packet


def pppoe(packet, v6=False):
    body = ppp(packet, v6, framing=b'')
    return struct.pack('>BBHH', 0x11, 0, 7, len(body)) + body


def sll(packet, v6=False, tags=()):
    return struct.pack('>HHH8sH', 0, 1, 6, MACS[6:] + b'\0\0', first_type(tags, v6)) + tagged(tags, packet, v6)


def sll2(packet, v6=False, tags=()):
    head = struct.pack('>HHIHBB8s', first_type(tags, v6), 0, 3, 1, 0, 6, MACS[6:] + b'\0\0')
    return head + tagged(tags, packet, v6)


def nflog(packet, v6=False):
    def value(kind, data):
        return struct.pack('<HH', 4 + len(data), kind) + data + b'\0' * (-len(data) % 4)
    return bytes([10 if v6 else 2, 0, 0, 5]) + value(1, b'\x08\0\x01\0') + value(10, b'sip\0') + value(9, packet)
