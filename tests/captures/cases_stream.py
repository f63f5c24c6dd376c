"""SIP over TCP: cut anywhere, several in a segment, in any order, again, overlapping, with holes, cut lengths, keep-alives.

Right answers: `packets` are the segments that brought a byte of the message first, in the order of its bytes; `time` is
that of the last of them to arrive, `first_time` that of the one with its first byte, where it differs.
"""
from files import Record, packets, pcap, records, stamp
from frames import MS, START_NS, SYN, eth, fragments, ip, ipv4, number, tcp
from sip import A, A6, B, B6, Talk, base, media, sdp
from streams import Connection, ask, spans

ONE_S = 1000 * MS
LONG_BODY = sdp(A, media(10000, lines=['a=note:' + 'n' * 400]))
HANDSHAKE = 3  # packets before the first with bytes


def shown(method, call_id, length, frames, at, first_at=None, incomplete=None, **more):
    """A line of `--messages`: frames are record numbers, at and first_at times; None: the field is not there."""
    first = stamp(first_at) if first_at is not None and first_at != at else None
    line = {'request.method': method, 'call_id': call_id, 'length': length, 'packets': [[0, n] for n in frames],
            'time': stamp(at), 'first_time': first, 'transport': 'TCP', 'incomplete': incomplete, 'oddities': []}
    line.update(more)
    return {key: value for key, value in line.items() if value != 'any'}


def stream(add, name, segments, messages, oddities=None, calls=None, seen=None, **also):
    """All segments are analysed. oddities: all of them, of the capture; None: only those in also. seen: the records, if
    they are not those of the segments."""
    rs = records(segments) if seen is None else seen
    paths = {'capture.packets': len(rs), 'capture.analysed': len(rs), 'capture.not_analysed': {}, 'capture.complete': True}
    if oddities is not None:
        paths['capture.oddities'] = oddities
    if 'keepalives' in also:
        paths['capture.keepalives'] = also.pop('keepalives')
    for key, value in also.items():
        paths['capture.oddities[%s]' % key.replace('__', '.')] = value
    add('stream_%s.pcap' % name, pcap(rs), sip=len(messages), calls=len({m['call_id'] for m in messages})
        if calls is None else calls, streams=0, also=paths, messages=messages)


def invite(call_id='inv@x', body=None):
    return Talk(call_id).invite(body).out[0].data.replace(b'SIP/2.0/UDP', b'SIP/2.0/TCP')


def whole(method, call_id):
    """A message and how it is shown: (bytes, function of frames, time and the time of its first byte)."""
    data = ask(method, call_id)
    return data, lambda frames, at, first_at=None, **more: shown(method, call_id, len(data), frames, at, first_at, **more)


FIRST, first = whole('OPTIONS', '1st@x')
SECOND, second = whole('INFO', '2nd@x')
THIRD, third = whole('UPDATE', '3rd@x')


def cuts(add):
    data = invite()
    name = data.index(b'Content-Length') + 4
    c = Connection().open().say(data, *spans(data, 6, name, len(data) - 40)).acknowledge(False).close()
    stream(add, 'four_segments', c.out, [shown('INVITE', 'inv@x', len(data), [4, 5, 6, 7], 60 * MS, 30 * MS)], {})
    c = Connection(step=MS).open().say(FIRST, *spans(FIRST, *range(1, len(FIRST)))).close()
    last = HANDSHAKE + len(FIRST)
    stream(add, 'each_byte_a_segment', c.out, [first(range(4, last + 1), (last - 1) * MS, 3 * MS)], {})
    register, subscribe = ask('REGISTER', 'reg@x'), ask('SUBSCRIBE', 'sub@x')
    c = Connection().open().say(register + subscribe + FIRST).close()
    stream(add, 'three_in_one_segment', c.out, [
        shown('REGISTER', 'reg@x', len(register), [4], 30 * MS), shown('SUBSCRIBE', 'sub@x', len(subscribe), [4], 30 * MS),
        first([4], 30 * MS)], {})
    hello = ask('MESSAGE', 'hello@x', b'hello')
    c = Connection().open().say(hello + FIRST).close()
    stream(add, 'body_without_line_end', c.out, [shown('MESSAGE', 'hello@x', len(hello), [4], 30 * MS), first([4], 30 * MS)], {})
    data = FIRST + SECOND + THIRD
    c = Connection().open().say(data, *spans(data, len(FIRST) + 100)).close()
    stream(add, 'one_and_a_piece', c.out, [first([4], 30 * MS), second([4, 5], 40 * MS, 30 * MS), third([5], 40 * MS)], {})
    big = ask('MESSAGE', 'big@x', b'0123456789' * 30000)
    c = Connection(step=MS).open().say(big + FIRST, *spans(big + FIRST, *range(1448, len(big), 1448))).close()
    last = HANDSHAKE + -(-len(big) // 1448)
    stream(add, 'of_300_kb', c.out, [shown('MESSAGE', 'big@x', len(big), range(4, last + 1), (last - 1) * MS, 3 * MS),
                                     first([last], (last - 1) * MS)], {})
    long = ask('MESSAGE', 'long@x', b'x' * 1200000)
    c = Connection(step=MS).open().say(long, *spans(long, *range(60000, len(long), 60000))).say(FIRST).close()
    last = HANDSHAKE + -(-len(long) // 60000)
    stream(add, 'of_more_than_the_limit', c.out, [
        shown('MESSAGE', 'long@x', 1 << 20, range(4, 22), 20 * MS, 3 * MS, incomplete=True, oddities='any'),
        first([last + 1], last * MS)], sip__stream__too_long=1)


def orders(add):
    data = invite('order@x', LONG_BODY)
    size, three = len(data), [(0, 300), (300, 600), (600, len(data))]
    assert size > 700
    line = lambda frames, at, first_at=None, **more: shown('INVITE', 'order@x', size, frames, at, first_at, **more)

    def one(name, pieces, message, oddities, **more):
        stream(add, name, Connection().open().say(data, *pieces, **more).acknowledge(False).close().out, [message], oddities)
    one('reordered', [three[0], three[2], three[1]], line([4, 6, 5], 50 * MS, 30 * MS), {'tcp.reordered': 1})
    one('reversed', three[::-1], line([6, 5, 4], 50 * MS), {'tcp.reordered': 2})
    one('sent_twice', [three[0], three[0], three[1], three[1], three[2]], line([4, 6, 8], 70 * MS, 30 * MS),
        {'tcp.retransmitted': 2})
    one('overlap', [(0, 300), (200, 600), (600, size)], line([4, 5, 6], 50 * MS, 30 * MS), {})
    one('sent_again_as_one', [three[0], three[1], (0, 600), three[2]], line([4, 5, 7], 60 * MS, 30 * MS),
        {'tcp.retransmitted': 1})
    one('hole_filled_by_all', [three[0], three[2], (0, size)], line([4, 6, 5], 50 * MS, 30 * MS), {'tcp.reordered': 1})
    at = data.index(b'order@x')
    lie = data[at:600].replace(b'order@x', b'other@x')
    one('overlap_conflict', [(0, 300), (at, 600), (600, size)], line([4, 5, 6], 50 * MS, 30 * MS), {'tcp.overlap.conflict': 1},
        other={1: lie})
    early = data[100:at + 7].replace(b'order@x', b'other@x')
    one('overlap_conflict_early', [(0, 100), (at, 600), (100, at + 7), (600, size)], line([4, 6, 5, 7], 60 * MS, 30 * MS),
        {'tcp.overlap.conflict': 1, 'tcp.reordered': 1}, other={2: early})
    # What came second lies inside what came first, and the other way round.
    one('overlap_inside', [(0, 100), (200, size), (150, 500), (100, 160)], line([4, 7, 6, 5], 60 * MS, 30 * MS), None)
    messages = FIRST + SECOND + THIRD
    a, b = len(FIRST), len(FIRST) + len(SECOND)
    c = Connection().open().say(messages, (0, a), (b, len(messages)), (a, b)).close()
    stream(add, 'reordered_messages', c.out, [first([4], 30 * MS), second([6], 50 * MS), third([5], 40 * MS)],
           {'tcp.reordered': 1})
    c = Connection(isn=(0xffffff00, 0xfffffff0)).open()
    long = ask('MESSAGE', 'wrap@x', b'w' * 1000)
    c.say(long, (150, len(long)), (0, 150)).acknowledge(False).say(FIRST).close()
    stream(add, 'sequence_wrap', c.out, [shown('MESSAGE', 'wrap@x', len(long), [5, 4], 40 * MS), first([7], 60 * MS)],
           {'tcp.reordered': 1})
    c = Connection().open().say(FIRST).wait(20 * ONE_S)
    c.segment(True, c.next[0] - 1, FIRST[-1:]).acknowledge(False).say(SECOND).close()
    stream(add, 'probe_of_one_byte', c.out, [first([4], 30 * MS), second([7], 20 * ONE_S + 60 * MS)], {})
    c = Connection().open().say(FIRST).close()
    copies = [x for s in number(c.out) for x in (s, s._replace(t=s.t + 20000))]
    stream(add, 'mirrored', copies, [first([7], 30 * MS)], {}, calls=1)
    only = number(Connection().say(FIRST).say(SECOND).out)
    add('stream_mirrored_data.pcap', pcap(records([x for s in only for x in (s, s._replace(t=s.t + 20000))])), sip=2, calls=2,
        streams=0, also={'capture.duplicates': 2, 'capture.analysed': 4, 'capture.oddities[tcp.retransmitted]': None})


def taps(add):
    """One connection at two places: other tags around the same packets are no other messages."""
    c = Connection().open().say(FIRST).say(SECOND).close()
    there = records(number(c.out), lambda p, v6: eth(p, v6, [(0x8100, 10)]))
    here = records(number(c.out), lambda p, v6: eth(p, v6, [(0x8100, 20)]))
    both = [r for pair in zip(there, (r._replace(t=r.t + 20000) for r in here)) for r in pair]
    add('stream_two_vlans.pcap', pcap(both), sip=2, calls=2, streams=0, also={
        'capture.duplicates': 2, 'capture.analysed': len(both), 'calls[0].retransmissions': 0, 'calls[0].duplicates': 1})
    c = Connection().open().say(FIRST)
    for n in range(20):  # a card fills in the checksum, so only the number says that each is another packet
        c.segment(False, c.next[1]).next[0] += 10
    add('stream_acknowledged_in_steps.pcap', pcap(records([s._replace(ident=7) for s in c.out])), sip=1, calls=1, streams=0,
        also={'capture.duplicates': 0})


def holes(add):
    data = invite('gap@x', LONG_BODY)
    size, body = len(data), data.index(b'\r\n\r\n') + 4
    headers = dict(oddities='any')
    for name, end in (('headers', body - 60), ('body', body + 60)):
        c = Connection().open().say(data, (0, end), (end + 100, size)).acknowledge(False).wait(5 * ONE_S).say(FIRST).close()
        stream(add, 'gap_in_' + name, c.out, [shown('INVITE', 'gap@x', end, [4], 30 * MS, incomplete=True, **headers),
                                              first([7], 5 * ONE_S + 60 * MS)],
               tcp__gap=1, sip__stream__incomplete=1, tcp__skipped_bytes=size - end - 100)
    end = body + 60
    c = Connection().open().say(data + FIRST, (0, end), (end + 100, size + len(FIRST))).acknowledge(False).wait(5 * ONE_S)
    c.say(SECOND).close()
    stream(add, 'gap_then_message_in_segment', c.out, [
        shown('INVITE', 'gap@x', end, [4], 30 * MS, incomplete=True, **headers), first([5], 40 * MS),
        second([7], 5 * ONE_S + 60 * MS)], tcp__gap=1, sip__stream__incomplete=1, tcp__skipped_bytes=size - end - 100)
    messages = FIRST + SECOND + THIRD
    a, b = len(FIRST), len(FIRST) + len(SECOND)
    c = Connection().open().say(messages, (0, a), (b, len(messages))).acknowledge(False).wait(5 * ONE_S).close()
    stream(add, 'gap_of_one_message', c.out, [first([4], 30 * MS), third([5], 40 * MS)], {'tcp.gap': 1})
    c = Connection().open().say(messages, (0, a), (b, len(messages))).wait(1 * ONE_S)
    c.segment(True, 1001 + a, SECOND).close()
    stream(add, 'hole_filled_after_1_s', c.out, [first([4], 30 * MS), second([6], ONE_S + 50 * MS), third([5], 40 * MS)],
           {'tcp.reordered': 1})
    c = Connection().open().say(messages, (0, a), (b, len(messages))).wait(5 * ONE_S)
    c.say(FIRST.replace(b'1st@x', b'4th@x')).segment(True, 1001 + a, SECOND).segment(True, 1001 + a, SECOND).close()
    stream(add, 'hole_filled_after_5_s', c.out, [
        first([4], 30 * MS), third([5], 40 * MS), shown('OPTIONS', '4th@x', len(FIRST), [6], 5 * ONE_S + 50 * MS),
        second([7], 5 * ONE_S + 60 * MS)], tcp__gap=1)
    c = Connection().say(messages, (0, a), (b, len(messages))).wait(10 * ONE_S).say(FIRST.replace(b'1st@x', b'4th@x'))
    stream(add, 'gap_other_side_unseen', c.out, [
        first([1], 0), third([2], 10 * MS), shown('OPTIONS', '4th@x', len(FIRST), [3], 10 * ONE_S + 20 * MS)],
        {'tcp.gap': 1, 'tcp.mid_stream': 1})
    c = Connection().open().say(data[:body + 60]).finish()
    stream(add, 'end_in_body', c.out, [shown('INVITE', 'gap@x', body + 60, [4], 30 * MS, incomplete=True, **headers)],
           sip__stream__incomplete=1)
    rs = records(Connection().open().say(data).say(FIRST).close().out)
    cut = [Record(r.t, r.frame[:54 + body + 20], len(r.frame)) for r in rs]
    stream(add, 'cut_by_snap_length', [], [
        shown('INVITE', 'gap@x', body + 20, [4], 30 * MS, incomplete=True, **headers), first([5], 40 * MS)], seen=cut)


def beginnings(add):
    tail = sdp(A)[-80:]
    c = Connection().say(tail + FIRST).say(SECOND)
    stream(add, 'begins_in_body', c.out, [first([1], 0), second([2], 10 * MS)], {'tcp.mid_stream': 1, 'tcp.skipped_bytes': 80})
    c = Connection().say(tail).say(FIRST)
    stream(add, 'begins_in_body_apart', c.out, [first([2], 10 * MS)], {'tcp.mid_stream': 1, 'tcp.skipped_bytes': 80})
    c = Connection().say(FIRST).say(SECOND)
    stream(add, 'begins_at_message', c.out, [first([1], 0), second([2], 10 * MS)], {'tcp.mid_stream': 1})
    c = Connection(step=MS).say(FIRST + SECOND + THIRD, (len(FIRST), len(FIRST + SECOND)), (0, len(FIRST)),
                                (len(FIRST + SECOND), len(FIRST + SECOND + THIRD)))
    stream(add, 'begins_with_second_message', c.out, [second([1], 0), first([2], MS), third([3], 2 * MS)],
           {'tcp.mid_stream': 1})
    c = Connection().say(FIRST, (100, len(FIRST)), (0, 100)).wait(4 * ONE_S).say(SECOND)
    stream(add, 'begins_reordered', c.out, [first([2, 1], 10 * MS), second([3], 4 * ONE_S + 20 * MS)], tcp__mid_stream=1,
           tcp__skipped_bytes=None)
    c = Connection()
    c.segment(True, 1000, FIRST, SYN).next[0] += len(FIRST)
    stream(add, 'bytes_in_syn', c.say(SECOND).out, [first([1], 0), second([2], 10 * MS)], {})
    for name, front in {'proxy_1': b'PROXY TCP4 192.0.2.1 192.0.2.2 4000 5060\r\n',
                        'proxy_2': b'\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c' + b'\1\2\3\4\5\6\7\x08\x13\xc4\x13\xc4'}.items():
        for at in (3, len(front) - 2, len(front)):
            data = front + FIRST + SECOND
            c = Connection().open().say(data, *spans(data, at)).close()
            stream(add, 'begins_with_%s_cut_at_%d' % (name, at), c.out,
                   [first([5], 40 * MS), second([5], 40 * MS)], {'tcp.skipped_bytes': len(front)})
    half = invite('half@x')
    half = half[:half.index(b'\r\n\r\n') + 34]
    ends = {'fin': lambda c: c.finish(), 'rst': lambda c: c.reset(), 'nothing': lambda c: c}
    for name, end in ends.items():
        c = end(Connection().open().say(half))
        again = Connection(at=c.t + ONE_S, isn=(3000000000, 70000)).open().say(FIRST).close()
        frame = len(c.out) + 4
        stream(add, 'port_again_after_' + name, c.out + again.out, [
            shown('INVITE', 'half@x', len(half), [4], 30 * MS, incomplete=True, oddities='any'),
            first([frame], again.out[3].t)], sip__stream__incomplete=1)


def keepalives(add):
    ping, pong = b'\r\n\r\n', b'\r\n'
    c = Connection().open().say(ping).say(pong, by_a=False).say(FIRST).say(ping).say(pong, by_a=False).close()
    stream(add, 'keepalive_alone', c.out, [first([6], 50 * MS)], {}, keepalives=4)
    c = Connection().open().say(ping + FIRST).close()
    stream(add, 'keepalive_glued', c.out, [first([4], 30 * MS)], {})
    c = Connection().open().say(FIRST + ping + SECOND).close()
    stream(add, 'keepalive_between', c.out, [first([4], 30 * MS), second([4], 30 * MS)], {})
    c = Connection().open().say(ping).say(pong, by_a=False).wait(30 * ONE_S).say(ping).say(pong, by_a=False)
    stream(add, 'keepalive_only', c.out, [], {}, keepalives=4)
    data = FIRST + ping + pong + SECOND
    c = Connection().open().say(data, *spans(data, len(FIRST) + 1, len(FIRST) + 3)).close()
    stream(add, 'keepalive_cut', c.out, [first([4], 30 * MS), second([6], 50 * MS)], {})
    c = Connection().open().say(FIRST + ping * 200 + SECOND).close()
    stream(add, 'keepalive_200_times', c.out, [first([4], 30 * MS), second([4], 30 * MS)], {})


def lengths(add):
    bare = ask('OPTIONS', 'bare@x', length=False)
    register = ask('REGISTER', 'reg@x')
    c = Connection().open().say(bare + register).close()
    stream(add, 'length_missing', c.out, [
        shown('OPTIONS', 'bare@x', len(bare), [4], 30 * MS, oddities=['sip.content_length.missing']),
        shown('REGISTER', 'reg@x', len(register), [4], 30 * MS)], {'sip.content_length.missing': 1})
    body = b'text that nobody can place'
    absurd = {'negative': ('-999', 'negative'), 'huge': ('9' * 20, 'malformed'), 'word': ('abc', 'malformed'),
              'two': (len(body), 'conflict')}
    for name, (value, oddity) in absurd.items():
        extra = [('Content-Length', '3')] if name == 'two' else []
        bad = ask('MESSAGE', 'bad@x', body, value, extra)
        c = Connection().open().say(bad + FIRST).wait(ONE_S).say(SECOND).close()
        oddity = 'sip.content_length.' + oddity
        stream(add, 'length_' + name, c.out, [
            shown('MESSAGE', 'bad@x', len(bad) - len(body), [4], 30 * MS, incomplete='any', oddities=[oddity]), first([4], 30 * MS),
            second([5], ONE_S + 40 * MS)], **{oddity.replace('.', '__'): 1, 'tcp__skipped_bytes': len(body)})
    short = ask('MESSAGE', 'short@x', b'hello world', 9)
    c = Connection().open().say(short + FIRST).close()
    stream(add, 'length_too_small', c.out, [shown('MESSAGE', 'short@x', len(short) - 2, [4], 30 * MS), first([4], 30 * MS)],
           {'tcp.skipped_bytes': 2})
    same = ask('MESSAGE', 'same@x', body, extra=[('Content-Length', str(len(body)))])
    c = Connection().open().say(same + FIRST).close()
    stream(add, 'length_same_twice', c.out, [shown('MESSAGE', 'same@x', len(same), [4], 30 * MS), first([4], 30 * MS)], {})


def over_tcp(datagrams):
    return [d._replace(data=d.data.replace(b'SIP/2.0/UDP', b'SIP/2.0/TCP')) for d in datagrams]


def call_segments(c, datagrams, pieces=None):
    """The messages of a call over one connection, both ways, at their own times."""
    for d in over_tcp(datagrams):
        c.t = max(c.t, d.t)
        c.say(d.data, *(pieces(d.data) if pieces else []), by_a=d.src in (A, A6))
    return c


def calls(add):
    times = {'state': 'ended', 'trying_ms': '~20', 'pdd_ms': '~40', 'setup_ms': '~60', 'ring_ms': '~20', 'duration_ms': '~40',
             'transport': 'TCP', 'messages': 7, 'retransmissions': 0, 'ended_by': 'caller'}

    def call(name, segments=None, rs=None, **more):
        rs = records(segments) if rs is None else rs
        want = {'calls[c1@x].' + key: value for key, value in dict(times, **more).items()}
        add('stream_call_%s.pcap' % name, pcap(rs), sip=7, calls=1, streams=0,
            also=dict(want, **{'capture.analysed': len(rs), 'capture.packets': len(rs), 'capture.oddities': {}}))
    at = lambda **more: Connection(step=MS, **more).open()
    later = lambda v6=False: [d._replace(t=d.t + 20 * MS) for d in (base(a=A6, b=B6) if v6 else base())]
    plain = call_segments(at(), later()).close().out
    call('plain', plain)
    call('v6', call_segments(at(a=(A6, 40000), b=(B6, 5060)), later(True)).close().out, src='[%s]:40000' % A6)
    call('other_ports', call_segments(at(a=(A, 40000), b=(B, 12345)), later()).close().out, dst=B + ':12345')
    call('timestamps', call_segments(at(options=b'\x01\x01\x08\x0a' + b'\0\0\0\7' * 2), later()).close().out)
    call('small_segments', call_segments(Connection(step=1000).open(), later(), lambda data: spans(data, *range(50, len(data), 50)))
         .close().out)
    rebuilt = lambda make: [Record(r.t, eth(make(s))) for r, s in zip(records(plain), number(plain))]
    call('wrong_checksum', rs=rebuilt(lambda s: ipv4(s, tcp(s, 0xbad1), 6)))
    call('total_length_0', rs=rebuilt(lambda s: ipv4(s, tcp(s), 6, total=0)))
    call('vlans', rs=records(plain, lambda p, v6: eth(p, v6, [(0x88a8, 7), (0x8100, 8)])))
    in_pieces = [(s.t + i, p) for s in number(plain) for i, p in
                 enumerate(fragments(ip(s), 104, ident=s.ident) if len(s.data) > 200 else [ip(s)])]
    call('ip_fragments', rs=packets(in_pieces))
    c = Connection().open().say(invite('lost@x', LONG_BODY)).say(FIRST).close()
    lossy = [(s.t + i, p) for s in number(c.out) for i, p in
             enumerate(fragments(ip(s), 304, 600, ident=s.ident)[::2] if len(s.data) > 600 else [ip(s)])]
    add('stream_lost_fragment.pcap', pcap(packets(lossy)), sip=2, calls=2, streams=0, also={
        'calls[lost@x].method': 'INVITE', 'calls[1st@x].messages': 1, 'capture.analysed': len(lossy),
        'capture.oddities[ip.fragment.incomplete]': 1, 'capture.oddities[tcp.gap]': 1})
    tiny = [(s.t + i, p) for s in number(plain) for i, p in
            enumerate(fragments(ip(s), 8, ident=s.ident) if len(s.data) > 200 else [ip(s)])]
    rs = packets(tiny)
    add('stream_call_tiny_fragments.pcap', pcap(rs), sip=7, calls=1, streams=0, also={
        'calls[c1@x].state': 'ended', 'capture.analysed': len(rs),
        'capture.oddities[ip.fragment.tiny]': sum(len(s.data) > 200 for s in plain)})
    # Each message over a connection of its own, all with the same ports on the two VLANs.
    two = []
    for vlan, call_id in ((1, 'v1@x'), (2, 'v2@x')):
        c = call_segments(at(), [d._replace(t=d.t + 20 * MS) for d in base(call_id)]).close()
        two += [(s.t, vlan, s) for s in c.out]
    rs = [Record(START_NS + t, eth(ip(s._replace(ident=n + 1)), tags=[(0x8100, vlan)]))
          for n, (t, vlan, s) in enumerate(sorted(two, key=lambda x: x[:2]))]
    add('stream_call_two_vlans.pcap', pcap(rs), sip=14, calls=2, streams=0, also={
        'calls[v1@x].messages': 7, 'calls[v2@x].messages': 7, 'calls[v1@x].state': 'ended', 'calls[v2@x].state': 'ended',
        'capture.oddities': {}, 'capture.analysed': len(rs)})
    crowd = [s for i in range(200) for s in call_segments(
        Connection(step=MS, a=(A, 20000 + i)).open(), [d._replace(t=d.t + 20 * MS) for d in base('n%d@x' % i, tag='f%d' % i)],
        lambda data: spans(data, 150)).close().out]
    add('stream_call_200_at_once.pcap', pcap(records(crowd)), sip=1400, calls=200, streams=0, also={
        'calls[n0@x].state': 'ended', 'calls[n199@x].state': 'ended', 'calls[n77@x].messages': 7, 'capture.oddities': {},
        'capture.analysed': len(crowd)})


def cases(add):
    for part in (cuts, orders, taps, holes, beginnings, keepalives, lengths, calls):
        part(add)
