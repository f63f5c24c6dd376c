"""What runs over a connection: TCP segments of two ends, WebSocket frames, SCTP packets, the framing of RFC 4571."""
import struct

from frames import ACK, FIN, MS, PSH, RST, SCTP, SYN, S, ipv4
from sip import A, B, message

MSS = b'\x02\x04\x05\xb4'  # the option of a SYN: 1,460 bytes


def spans(data, *cuts):
    """The pieces between these positions, as (start, end)."""
    edges = [0, *cuts, len(data)]
    return list(zip(edges, edges[1:]))


class Connection:
    """Segments of both ends in the order of the capture; each method adds some and moves the clock on by self.step."""

    def __init__(self, at=0, a=(A, 40000), b=(B, 5060), step=10 * MS, isn=(1000, 500000), options=b''):
        self.t, self.step, self.ends, self.options, self.out = at, step, (a, b), options, []
        self.isn, self.next = isn, [n + 1 for n in isn]  # sequence number of the next byte of each end

    def segment(self, by_a, seq, data=b'', flags=ACK, options=None):
        (src, sport), (dst, dport) = self.ends if by_a else self.ends[::-1]
        ack = self.next[by_a] if flags & ACK else 0
        self.out.append(S(self.t, src, dst, sport, dport, data, seq, ack, flags,
                          self.options if options is None else options))
        self.t += self.step
        return self

    def wait(self, ns):
        self.t += ns
        return self

    def open(self):
        self.segment(True, self.isn[0], flags=SYN, options=MSS)
        self.segment(False, self.isn[1], flags=SYN | ACK, options=MSS)
        return self.acknowledge(True)

    def say(self, data, *pieces, by_a=True, other=None):
        """Sends data in these pieces of it (all in one, if none is given), in their order; what no piece has is never
        sent. other: {piece number: bytes that it has instead}. The last byte has PSH."""
        at = self.next[not by_a]
        for i, (start, end) in enumerate(pieces or [(0, len(data))]):
            piece = (other or {}).get(i, data[start:end])
            self.segment(by_a, at + start, piece, ACK | PSH if end == len(data) else ACK)
        self.next[not by_a] += len(data)
        return self

    def acknowledge(self, by_a):
        return self.segment(by_a, self.next[not by_a])

    def finish(self, by_a=True):
        self.segment(by_a, self.next[not by_a], flags=FIN | ACK)
        self.next[not by_a] += 1
        return self

    def close(self):
        return self.finish().finish(False).acknowledge(True)

    def reset(self, by_a=True):
        return self.segment(by_a, self.next[not by_a], flags=RST | ACK)


def ask(method, call_id, body=b'', length=None, extra=(), cseq=1, via='TCP'):
    """A request of its own; methods differ, so that a reader sees which is which."""
    headers = [('Via', 'SIP/2.0/%s 192.0.2.10:5060;branch=z9hG4bK%s' % (via, call_id[0])), ('Max-Forwards', '70'),
               ('From', '<sip:alice@ex.com>;tag=f1'), ('To', '<sip:bob@ex.com>'), ('Call-ID', call_id),
               ('CSeq', '%d %s' % (cseq, method)), ('Contact', '<sip:u@192.0.2.10:5060;transport=tcp>')]
    kind = [('Content-Type', 'text/plain')] if body else []
    return message('%s sip:bob@ex.com SIP/2.0' % method, headers + list(extra) + kind, body, length)


# --- WebSocket (RFC 6455) ---------------------------------------------------------------------------------------------
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def ws(data, opcode=TEXT, mask=None, fin=True, form=None):
    """A frame. mask: four bytes, as a client must; form: 126 or 127 for a longer length field than needed."""
    size = len(data)
    form = form or (size if size < 126 else 126 if size < 65536 else 127)
    length = {126: struct.pack('>H', size & 0xffff), 127: struct.pack('>Q', size)}.get(form, b'')
    head = bytes([fin << 7 | opcode, (0x80 if mask else 0) | form]) + length
    if not mask:
        return head + data
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))


UPGRADE = (b'GET /ws HTTP/1.1\r\nHost: ex.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
           b'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\nSec-WebSocket-Version: 13\r\n\r\n')
SWITCHED = (b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
            b'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: sip\r\n\r\n')
MASK = b'\x37\xfa\x21\x3d'


# --- SCTP (RFC 9260) --------------------------------------------------------------------------------------------------
def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
    return value ^ 0xffffffff


def chunk(kind, flags, body):
    return struct.pack('>BBH', kind, flags, 4 + len(body)) + body + b'\0' * (-len(body) % 4)


def data_chunk(tsn, data, begins=True, ends=True, ssn=0, ppid=0):
    return chunk(0, begins << 1 | ends, struct.pack('>IHHI', tsn, 0, ssn, ppid) + data)


def sctp(d, *chunks, tag=0x11223344):
    """The IPv4 packet of these chunks; d has addresses, ports and time."""
    body = struct.pack('>HHII', d.sport, d.dport, tag, 0) + b''.join(chunks)
    return ipv4(d, body[:8] + struct.pack('<I', crc32c(body)) + body[12:], SCTP)


# --- RTP over TCP -----------------------------------------------------------------------------------------------------
def framed(*datagrams):
    """RFC 4571: each behind its length."""
    return b''.join(struct.pack('>H', len(d)) + d for d in datagrams)


def tls(kind, body, version=0x0303):
    return struct.pack('>BHH', kind, version, len(body)) + body
