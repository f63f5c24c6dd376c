#!/usr/bin/env python3
"""Writes the same calls over UDP, over TCP and in IP fragments, to be read with times and instruction counts taken.

usage: make_streams.py FOLDER [CALLS]    writes udp.pcap, tcp.pcap, tcp_small.pcap (segments of 536 bytes) and
fragments.pcap (of 576 bytes). 20,000 calls of 7 messages, if not said otherwise, on 500 pairs of ports, 500 at once. In
docs/decisions/0008 are the numbers. Same arguments, same bytes."""
import os
import struct
import sys

START_S, LINKS = 1704067200, 500
A, B = bytes([192, 0, 2, 10]), bytes([192, 0, 2, 20])
ETHERNET = bytes(5) + b'\x02' + bytes(5) + b'\x01' + b'\x08\0'
SYN, PSH, ACK = 2, 8, 16
SDP = ('v=0\r\no=- 1 1 IN IP4 %s\r\ns=-\r\nc=IN IP4 %s\r\nt=0 0\r\nm=audio %d RTP/AVP 0 8 101\r\na=rtpmap:0 PCMU/8000\r\n'
       'a=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\na=ptime:20\r\na=sendrecv\r\n')
STEPS = [(True, 'INVITE', 0), (False, 'INVITE', 100), (False, 'INVITE', 180), (False, 'INVITE', 200), (True, 'ACK', 0),
         (True, 'BYE', 0), (False, 'BYE', 200)]
REASONS = {100: 'Trying', 180: 'Ringing', 200: 'OK'}


def message(call, step):
    by_a, method, code = STEPS[step]
    number = 2 if method == 'BYE' else 1
    body = SDP % ('192.0.2.10', '192.0.2.10', 10000 + call % 20000 * 2) if step in (0, 3) else ''
    first = 'SIP/2.0 %d %s' % (code, REASONS[code]) if code else '%s sip:+4930%07d@192.0.2.20 SIP/2.0' % (method, call)
    return '\r\n'.join([
        first, 'Via: SIP/2.0/TCP 192.0.2.10:5060;branch=z9hG4bK-%d-%s;rport' % (call, method), 'Max-Forwards: 70',
        'From: "Alice" <sip:+4989%07d@192.0.2.10>;tag=a%d' % (call, call),
        'To: <sip:+4930%07d@192.0.2.20>%s' % (call, ';tag=b%d' % call if step > 1 else ''),
        'Call-ID: %08x-%d@192.0.2.10' % (call * 2654435761 % 2**32, call), 'CSeq: %d %s' % (number, method),
        'Contact: <sip:gw@192.0.2.%d:5060;transport=tcp>' % (10 if by_a else 20), 'User-Agent: Bench/1.0',
        'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, PRACK', 'Supported: timer, 100rel',
        *(['Content-Type: application/sdp'] if body else []), 'Content-Length: %d' % len(body), '', body]).encode()


class Capture:
    def __init__(self, path):
        self.file, self.ident = open(path, 'wb'), 0
        self.file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))

    def ip(self, at_us, by_a, protocol, payload, flags=0, ident=None):
        if ident is None:
            self.ident = ident = (self.ident + 1) % 65536
        src, dst = (A, B) if by_a else (B, A)
        frame = ETHERNET + struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(payload), ident, flags, 64, protocol, 0, src, dst) + payload
        self.file.write(struct.pack('<IIII', START_S + at_us // 10**6, at_us % 10**6, len(frame), len(frame)) + frame)


class Udp:
    def __init__(self, path, fragment=0):
        self.capture, self.fragment = Capture(path), fragment

    def send(self, at_us, link, by_a, data):
        ports = (20000 + link, 5060) if by_a else (5060, 20000 + link)
        datagram = struct.pack('>HHHH', *ports, 8 + len(data), 0) + data
        size = self.fragment or len(datagram)
        self.capture.ident = (self.capture.ident + 1) % 65536
        for at in range(0, len(datagram), size):
            more = at + size < len(datagram)
            self.capture.ip(at_us, by_a, 17, datagram[at:at + size], more << 13 | at // 8, self.capture.ident)
            at_us += 1


class Tcp:
    def __init__(self, path, mss):
        self.capture, self.mss, self.next = Capture(path), mss, {}

    def segment(self, at_us, link, by_a, flags, data=b''):
        ports = (20000 + link, 5060) if by_a else (5060, 20000 + link)
        numbers = self.next[link]
        head = struct.pack('>HHIIBBHHH', *ports, numbers[by_a], numbers[not by_a], 0x50, flags, 65535, 0, 0)
        self.capture.ip(at_us, by_a, 6, head + data)
        numbers[by_a] += len(data) + (flags & SYN == SYN)

    def send(self, at_us, link, by_a, data):
        if link not in self.next:
            self.next[link] = [1000 * link, 5000 * link]
            self.segment(at_us, link, True, SYN)
            self.segment(at_us + 1, link, False, SYN | ACK)
            self.segment(at_us + 2, link, True, ACK)
        for at in range(0, len(data), self.mss):
            self.segment(at_us + 3, link, by_a, PSH | ACK, data[at:at + self.mss])
        self.segment(at_us + 4, link, not by_a, ACK)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 20000
    path = lambda name: os.path.join(folder, name)
    ways = [Udp(path('udp.pcap')), Udp(path('fragments.pcap'), 552), Tcp(path('tcp.pcap'), 1460), Tcp(path('tcp_small.pcap'), 536)]
    at_us = 0
    for first in range(0, calls, LINKS):
        for step in range(len(STEPS)):
            for call in range(first, min(first + LINKS, calls)):
                data = message(call, step)
                for way in ways:
                    way.send(at_us, call % LINKS, STEPS[step][0], data)
                at_us += 100


if __name__ == '__main__':
    main()
