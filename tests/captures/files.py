"""Capture files: pcap in all its variants, pcapng block by block. A record is a Record; times are ns since 1970."""
import struct
import time
from collections import namedtuple

from frames import START_NS, eth, ip, is_v6, number

# length: bytes on the wire, those of the frame if None
Record = namedtuple('Record', 't frame length', defaults=(None,))

MICRO, NANO, MODIFIED = 0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34


def records(datagrams, wrap=None):
    """Frames of datagrams in order of time; wrap(packet, is_v6) is the link layer, Ethernet if None."""
    wrap = wrap or eth
    return [Record(START_NS + d.t, wrap(ip(d), is_v6(d.src))) for d in number(datagrams)]


def packets(timed, wrap=None):
    """Frames of (time, packet) in order of time."""
    wrap = wrap or eth
    return [Record(START_NS + t, wrap(p, p[0] >> 4 == 6)) for t, p in sorted(timed, key=lambda pair: pair[0])]


def stamp(t):
    """RFC 3339 of a time after START_NS, as the reports write it."""
    whole = time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime((START_NS + t) // 10**9))
    return '%s.%09dZ' % (whole, (START_NS + t) % 10**9)


def pcap_header(magic=MICRO, order='<', link=1, snaplen=262144, version=(2, 4)):
    return struct.pack(order + 'IHHiIII', magic, version[0], version[1], 0, 0, snaplen, link)


def pcap_record(r, magic=MICRO, order='<', swapped_lengths=False, captured=None):
    fraction = r.t % 10**9 if magic == NANO else r.t % 10**9 // 1000
    have = len(r.frame) if captured is None else captured
    lengths = [have, len(r.frame) if r.length is None else r.length]
    if swapped_lengths:
        lengths.reverse()
    more = struct.pack(order + 'IHBB', 1, 0x0800, 0, 0) if magic == MODIFIED else b''
    return struct.pack(order + 'IIII', r.t // 10**9, fraction, *lengths) + more + r.frame


def pcap(rs, magic=MICRO, order='<', link=1, snaplen=262144, version=(2, 4)):
    swapped = version < (2, 4)
    return pcap_header(magic, order, link, snaplen, version) + b''.join(
        pcap_record(r, magic, order, swapped) for r in rs)


def cut(rs, snaplen):
    """What a capture with this snaplen keeps."""
    return [Record(r.t, r.frame[:snaplen], len(r.frame)) for r in rs]


def pad4(data):
    return data + b'\0' * (-len(data) % 4)


class Ng:
    """A pcapng section: self.out grows block by block."""

    def __init__(self, order='<'):
        self.order, self.resolutions, self.out = order, [], b''
        self.block(0x0a0d0d0a, self.pack('IHHq', 0x1a2b3c4d, 1, 0, -1))

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def block(self, kind, body):
        body = pad4(body)
        total = len(body) + 12
        self.out += self.pack('II', kind, total) + body + self.pack('I', total)
        return self

    def option(self, code, value):
        return self.pack('HH', code, len(value)) + pad4(value)

    def interface(self, link=1, resolution=None, offset_s=0, snaplen=0):
        """resolution: the byte of if_tsresol, None for no option (10^-6)."""
        options = self.option(2, b'eth0')
        if resolution is not None:
            options += self.option(9, bytes([resolution]))
        if offset_s:
            options += self.option(14, self.pack('q', offset_s))
        self.resolutions.append((6 if resolution is None else resolution, offset_s))
        return self.block(1, self.pack('HHI', link, 0, snaplen) + options + self.option(0, b''))

    def ticks(self, t, index):
        resolution, offset_s = self.resolutions[index]
        per_second = 2**(resolution & 127) if resolution & 128 else 10**resolution
        return (t - offset_s * 10**9) * per_second // 10**9

    def packet(self, r, index=0, comment=b''):
        ticks = self.ticks(r.t, index)
        body = self.pack('IIIII', index, ticks >> 32, ticks & 0xffffffff, len(r.frame), r.length or len(r.frame))
        return self.block(6, body + pad4(r.frame) + (self.option(1, comment) + self.option(0, b'') if comment else b''))

    def simple(self, r):
        return self.block(3, self.pack('I', r.length or len(r.frame)) + r.frame)

    def obsolete(self, r, index=0):
        ticks = self.ticks(r.t, index)
        return self.block(2, self.pack('HHIIII', index, 0xffff, ticks >> 32, ticks & 0xffffffff, len(r.frame),
                                       r.length or len(r.frame)) + r.frame)

    def packets(self, rs, index=0):
        for r in rs:
            self.packet(r, index)
        return self
