"""From datagrams to frames: IP, UDP and the link layers around them, as small functions that fit into each other.

A datagram is a D; ip(d) makes its packet; a link wrapper takes (packet, is_v6) and makes the frame.
"""
import ipaddress
import struct
from collections import namedtuple

START_NS = 1700000000 * 10**9  # 2023-11-14T22:13:20Z
MS = 10**6

MACS = bytes.fromhex('020000000002' '020000000001')

# time in ns after START_NS, addresses as text, payload; ident: IPv4 identification, given by number() if None
D = namedtuple('D', 't src dst sport dport data ttl ident', defaults=(64, None))


def number(datagrams):
    """In order of time, each with an IP identification of its own where it has none."""
    ordered = sorted(datagrams, key=lambda d: d.t)
    return [d if d.ident is not None else d._replace(ident=i % 65535 + 1) for i, d in enumerate(ordered)]


def is_v6(address):
    return ':' in address


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
                       flags, d.ttl, protocol, 0, ipaddress.ip_address(d.src).packed,
                       ipaddress.ip_address(d.dst).packed) + options
    return head[:10] + struct.pack('>H', checksum(head)) + head[12:] + inner


def ipv6(d, inner, protocol=17, extensions=(), length=None):
    """extensions: (protocol number, body without its next-header byte) from the outside in."""
    numbers = [n for n, _ in extensions] + [protocol]
    chain = b''.join(bytes([following]) + body for (_, body), following in zip(extensions, numbers[1:]))
    size = len(chain) + len(inner) if length is None else length
    return struct.pack('>IHBB16s16s', 6 << 28, size, numbers[0], d.ttl, ipaddress.ip_address(d.src).packed,
                       ipaddress.ip_address(d.dst).packed) + chain + inner


def ip(d):
    return ipv6(d, udp(d)) if is_v6(d.src) else ipv4(d, udp(d))


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
