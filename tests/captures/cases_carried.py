"""What else runs over connections: WebSocket, RTP in the framing of RFC 4571, SCTP, TLS, and what is none of ours."""
import struct

from cases_media import MEDIA_AT, PACKET, rtp
from cases_stream import ONE_S, shown, stream
from files import packets, pcap, records, stamp
from frames import ACK, MS, RST, SYN, D
from sip import A, B, Talk, message, sdp
from streams import (BINARY, CLOSE, MASK, PING, PONG, SWITCHED, UPGRADE, Connection, ask, chunk, data_chunk, framed, sctp, spans,
                     tls, ws)

WEB = (B, 8080)


def upgraded(**more):
    """A connection that has just become a WebSocket: records 1 to 5, ends at 50 ms."""
    return Connection(b=WEB, **more).open().say(UPGRADE).say(SWITCHED, by_a=False)


def websocket(add):
    def one(name, c, messages, oddities=(), **more):
        stream(add, 'ws_' + name, c.out, [dict(m, transport='WS') for m in messages], {} if oddities == () else oddities, **more)

    register, options = ask('REGISTER', 'reg@x', via='WS'), ask('OPTIONS', 'opt@x', via='WS')
    short = message('SIP/2.0 200 OK', [('v', 'SIP/2.0/WS a;branch=z9hG4bKr'), ('f', '<sip:a>;tag=1'), ('t', '<sip:b>;tag=2'),
                                       ('i', 'short@x'), ('CSeq', '1 INFO')], length=False)
    assert len(short) < 126 < len(register) < 65536
    reg = lambda frames, at, first_at=None: shown('REGISTER', 'reg@x', len(register), frames, at, first_at)
    opt = lambda frames, at, first_at=None: shown('OPTIONS', 'opt@x', len(options), frames, at, first_at)
    reply = lambda frame, at, src='%s:8080' % B: {'response.code': 200, 'call_id': 'short@x', 'length': len(short), 'src': src,
                                                  'packets': [[0, frame]], 'time': stamp(at), 'oddities': []}
    c = upgraded().say(ws(register, mask=MASK)).say(ws(short), by_a=False).close()
    one('masked_and_short', c, [reg([6], 50 * MS), reply(7, 60 * MS)])
    one('two_in_segment', upgraded().say(ws(register, mask=MASK) + ws(options, mask=b'\0\0\0\0')).close(),
        [reg([6], 50 * MS), opt([6], 50 * MS)])
    one('binary', upgraded().say(ws(register, BINARY, MASK)).close(), [reg([6], 50 * MS)])
    pieces = [ws(register[:50], mask=MASK, fin=False), ws(b'are you there', PING, MASK), ws(register[50:130], 0, b'\1\2\3\4', False),
              ws(register[130:], 0, MASK)]
    one('fragmented', upgraded().say(b''.join(pieces) + ws(options, mask=MASK)).close(), [reg([6], 50 * MS), opt([6], 50 * MS)])
    c = upgraded().say(pieces[0]).say(pieces[1]).say(ws(b'are you there', PONG), by_a=False).say(pieces[2]).say(pieces[3]).close()
    one('fragmented_over_segments', c, [reg([6, 9, 10], 90 * MS, 50 * MS)])
    c = upgraded().say(ws(b'\r\n\r\n', mask=MASK)).say(ws(b'\r\n'), by_a=False).say(ws(register, mask=MASK))
    one('keepalives', c.say(ws(b'', PING), by_a=False).say(ws(b'', PONG, MASK)).close(), [reg([8], 70 * MS)])
    for form in (126, 127):
        c = upgraded().say(ws(short, mask=MASK, form=form)).close()
        one('short_in_form_%d' % form, c, [reply(6, 50 * MS, A + ':40000')], None)
    large = ask('MESSAGE', 'large@x', b'l' * 70000, via='WS')
    frame, size = ws(large, mask=MASK) + ws(options, mask=MASK), len(ws(large, mask=MASK))
    c = upgraded(step=MS).say(frame, *spans(frame, *range(1448, size, 1448))).close()
    last = 5 + -(-size // 1448)
    one('of_70_kb', c, [shown('MESSAGE', 'large@x', len(large), range(6, last + 1), (last - 1) * MS, 5 * MS),
                        opt([last], (last - 1) * MS)])
    frame = ws(register, mask=MASK) + ws(options, mask=MASK)
    for at in (1, 2, 3, 4, 7, 8, 9):
        c = upgraded().say(frame, *spans(frame, at)).close()
        one('cut_at_%d' % at, c, [reg([6, 7], 60 * MS, 50 * MS), opt([7], 60 * MS)])
    one('reordered', upgraded().say(frame, (100, len(frame)), (0, 100)).close(), [reg([7, 6], 60 * MS), opt([6], 50 * MS)],
        {'tcp.reordered': 1})
    bare = ask('OPTIONS', 'bare@x', b'body without a length', False, via='WS')
    one('no_content_length', upgraded().say(ws(bare, mask=MASK)).close(), [shown('OPTIONS', 'bare@x', len(bare), [6], 50 * MS)])
    c = Connection(b=WEB).open().say(UPGRADE).say(SWITCHED + ws(short), by_a=False).close()
    one('first_frame_with_answer', c, [reply(5, 40 * MS)])
    c = Connection(b=(B, 34567)).open().say(UPGRADE.replace(b'\r\n', b'\r\nOrigin: null\r\n', 1))
    c.say(SWITCHED, *spans(SWITCHED, 20, 21), by_a=False).say(ws(register, mask=MASK)).close()
    one('other_port_and_cut_answer', c, [reg([8], 70 * MS)])
    c = Connection(b=WEB).say(ws(register, mask=MASK)).say(ws(short), by_a=False)
    one('mid_stream', c, [reg([1], 0), reply(2, 10 * MS)], {'tcp.mid_stream': 2})
    c = upgraded().say(ws(register, mask=MASK)).say(ws(b'\x03\xe8', CLOSE, MASK)).say(ws(b'\x03\xe8', CLOSE), by_a=False)
    one('closed', c.close(), [reg([6], 50 * MS)])
    chat = Connection(b=WEB).open().say(UPGRADE.replace(b'sip', b'chat')).say(SWITCHED.replace(b'sip', b'chat'), by_a=False)
    none_of_ours(add, 'ws_chat', chat.say(ws(b'{"text":"hello"}', mask=MASK)).close().out)


def none_of_ours(add, name, segments, reason='not_sip_or_media', **more):
    rs = records(segments)
    add('stream_%s.pcap' % name, pcap(rs), sip=0, calls=0, streams=0, also=dict({
        'capture.analysed': 0, 'capture.not_analysed': {reason: len(rs)}, 'capture.packets': len(rs)}, **more))


def quoted(add):
    """Text that quotes SIP: mail, logs, uploads, pages of which a segment was lost."""
    trace = ask('OPTIONS', 'no@x') + b'\r\n'
    texts = {'mail': b'EHLO me\r\nMAIL FROM:<a@b>\r\nDATA\r\n\r\nthe trace:\r\n' + trace + b'.\r\n',
             'syslog': b'<14>Nov 30 proxy: got\r\n' + trace + b'<14>Nov 30 next\r\n',
             'text_log': b'U 2023/11/14 22:13:20 10.0.0.1:5060 -> 10.0.0.2:5060\r\n' + trace,
             'json_line': b'{"sip":"' + trace}
    for name, data in texts.items():
        none_of_ours(add, 'quoted_' + name, Connection(b=(B, 5514)).open().say(data).close().out)
    for method in (b'POST', b'PUT', b'PATCH'):
        data = method + b' /log HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n99\r\n' + trace
        none_of_ours(add, 'quoted_http_' + method.decode().lower(), Connection(b=WEB).open().say(data).close().out)
    page = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n99\r\n' + b'log\r\n' * 100 + trace
    for name, (begin, end) in {'chunk': (200, 300), 'head': (0, 100)}.items():
        c = Connection(b=WEB).open().say(b'GET /log HTTP/1.1\r\nHost: x\r\n\r\n')
        c.say(page, *([(0, begin)] if begin else []), (end, len(page)), by_a=False).acknowledge(True).wait(5 * ONE_S).close()
        none_of_ours(add, 'quoted_http_lost_' + name, c.out, **{'capture.oddities[tcp.gap]': 1})
    c = upgraded().say(ws(b'{"sip":"' + trace + b'"}', mask=MASK)).close()
    none_of_ours(add, 'ws_quoted', c.out)


def other(add):
    request = b'GET / HTTP/1.1\r\nHost: ex.com\r\nUser-Agent: sip:x\r\n\r\n'
    page = b'INVITE sip:bob@ex.com SIP/2.0\r\nCall-ID: no@x\r\n\r\n'
    answer = b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n' % len(page)
    none_of_ours(add, 'http', Connection(b=(B, 80)).open().say(request).say(answer + page, by_a=False).close().out)
    ssh = Connection(b=(B, 22)).open().say(b'SSH-2.0-x\r\n', by_a=False).say(b'SSH-2.0-y\r\n').say(b'\0\0\1\x14\x06\x14' + b'k' * 200)
    none_of_ours(add, 'ssh', ssh.close().out)
    none_of_ours(add, 'syn_only', [s for i in range(5) for s in Connection(at=i * ONE_S, a=(A, 40000 + i)).open().out[:1]])
    none_of_ours(add, 'handshake_only', Connection().open().close().out)
    none_of_ours(add, 'refused', Connection().segment(True, 1000, flags=SYN).segment(False, 0, flags=RST | ACK).out)
    none_of_ours(add, 'zeros', Connection().open().say(b'\0' * 1000).say(b'\0' * 1000, by_a=False).close().out)
    hello = tls(22, b'\1\0\0\x2b' + b'\3\3' + b'r' * 32 + b'\0' + b'\0\4\xc0\x2f\0\x9c' + b'\1\0', 0x0301)
    server = tls(22, b'\2\0\0\x26' + b'\3\3' + b's' * 32 + b'\0\xc0\x2f\0') + tls(20, b'\1') + tls(23, b'e' * 300)
    data = [tls(23, bytes([i]) * 400) for i in range(3)]
    for port in (5061, 443, 12345):
        c = Connection(b=(B, port)).open().say(hello).say(server, *spans(server, 40), by_a=False).say(data[0]).say(data[1], by_a=False)
        none_of_ours(add, 'tls_%d' % port, c.close().out, 'encrypted')
    none_of_ours(add, 'tls_mid_stream', Connection(b=(B, 5061)).say(data[0]).say(data[1], by_a=False).say(data[2]).out, 'encrypted')
    c = Connection(b=(B, 5061)).open().say(hello + data[0], (100, len(hello + data[0])), (0, 100), (0, 100)).close()
    none_of_ours(add, 'tls_reordered', c.out, 'encrypted')


def over_rtp_framing(add):
    """Media over TCP. The caller connects (RFC 4145), so that only the answer names a port."""
    offer = sdp(A, ['m=audio 9 TCP/RTP/AVP 0', 'a=setup:active', 'a=connection:new'])
    answer = sdp(B, ['m=audio 20000 TCP/RTP/AVP 0', 'a=setup:passive', 'a=connection:new'])
    signalling = Talk('m@x', step=10 * MS).invite(offer).ok(answer).ack().out

    def one(name, segments, count=50, talk=signalling, streams=1, **also):
        rs = records(talk + segments)
        want = {'streams[0].packets': count, 'streams[0].lost': 0, 'streams[0].duplicates': 0, 'streams[0].unique': count,
                'streams[0].src': '%s:50000' % A, 'streams[0].dst': '%s:20000' % B, 'capture.analysed': len(rs),
                'capture.rtp_packets': count * streams}
        if talk:
            want.update({'streams[0].call_id': 'm@x', 'streams[0].codec': 'PCMU'})
        add('stream_rtp_%s.pcap' % name, pcap(rs), sip=len(talk), calls=1 if talk else 0, streams=streams, also=dict(want, **also))

    def media(pieces=None, group=1, both=False, count=50):
        c = Connection(at=MEDIA_AT - 30 * MS, a=(A, 50000), b=(B, 20000), step=1000).open()
        for i in range(0, count, group):
            c.t = max(c.t, MEDIA_AT + (i + group - 1) * PACKET)
            data = framed(*(rtp(j, j * 160) for j in range(i, i + group)))
            c.say(data, *(pieces(data) if pieces else []))
            if both:
                c.say(framed(rtp(700 + i, i * 160, ssrc=9)), by_a=False)
        return c
    one('plain', media().close().out, **{'streams[0].jitter_ms': '~0'})
    one('both_ways', media(both=True).close().out, streams=2, **{'streams[1].packets': 50, 'streams[1].lost': 0})
    one('five_in_segment', media(group=5).close().out)
    one('cut_in_length', media(lambda data: spans(data, 1)).close().out)
    one('cut_in_three', media(lambda data: spans(data, 3, 100)).close().out)
    one('reordered', media(lambda data: [(90, len(data)), (0, 90)]).close().out)
    one('sent_twice', media(lambda data: [(0, len(data)), (0, len(data))]).close().out,
        **{'capture.oddities[tcp.retransmitted]': 50})
    one('without_sip', media().close().out, talk=[])
    mixed = media()
    report = struct.pack('>BBHIIIIII', 0x80, 200, 6, 0x1234, 0, 0, 0, 50, 8000)
    stun = struct.pack('>HHI12s', 1, 0, 0x2112a442, b'transaction.')
    one('with_rtcp_and_stun', mixed.say(framed(report, stun)).close().out, **{'capture.rtcp_packets': 1})


def association(add):
    """Which packets a message of SCTP came in; more in cases_envelope.py."""
    def d(n, data=b'', by_a=True):
        return D(n * 10 * MS, *((A, B) if by_a else (B, A)), 5060, 5060, data, ident=n + 1)

    def one(name, timed, messages, oddities=None, **also):
        rs = packets(timed)
        add('sctp_lines_%s.pcap' % name, pcap(rs), sip=len(messages), calls=len({m['call_id'] for m in messages}), streams=0,
            messages=[dict(m, transport='SCTP') for m in messages],
            also=dict({'capture.analysed': len(rs), 'capture.oddities': oddities or {}}, **also))
    setup = [(d(0).t, sctp(d(0), chunk(1, 0, struct.pack('>IIHHI', 1, 65536, 1, 1, 100)), tag=0)),
             (d(1).t, sctp(d(1, by_a=False), chunk(2, 0, struct.pack('>IIHHI', 2, 65536, 1, 1, 200)))),
             (d(2).t, sctp(d(2), chunk(10, 0, b'cookie'))), (d(3).t, sctp(d(3, by_a=False), chunk(11, 0, b'')))]
    first, second = ask('OPTIONS', '1st@x', via='SCTP'), ask('INFO', '2nd@x', via='SCTP')
    say = lambda n, *chunks: (d(n).t, sctp(d(n), *chunks))
    line1 = lambda frames, at, first_at=None: shown('OPTIONS', '1st@x', len(first), frames, at * 10 * MS,
                                                    None if first_at is None else first_at * 10 * MS)
    line2 = lambda frames, at: shown('INFO', '2nd@x', len(second), frames, at * 10 * MS)
    sack = chunk(3, 0, struct.pack('>IIHH', 101, 65536, 0, 0))
    one('one_chunk', setup + [say(4, data_chunk(100, first)), say(5, sack)], [line1([5], 4)])
    one('bundled', setup + [say(4, sack, data_chunk(100, first), data_chunk(101, second, ssn=1))], [line1([5], 4), line2([5], 4)])
    three = [data_chunk(100, first[:50], ends=False), data_chunk(101, first[50:120], False, False), data_chunk(102, first[120:], False)]
    one('three_chunks', setup + [say(4 + i, c) for i, c in enumerate(three)], [line1([5, 6, 7], 6, 4)])
    one('three_chunks_reversed', setup + [say(4 + i, c) for i, c in enumerate(three[::-1])], [line1([7, 6, 5], 6)])
    again = [three[0], three[0], three[1], three[2], three[1]]
    one('chunks_again', setup + [say(4 + i, c) for i, c in enumerate(again)], [line1([5, 7, 8], 7, 4)],
        {'sctp.retransmitted': 2})


def cases(add):
    for part in (websocket, over_rtp_framing, association, quoted, other):
        part(add)
