"""Datagrams in IP fragments: in every order, twice, overlapping, lost, with numbers used again, in tunnels and on two links.

Right answers: `packets` are all fragments up to the one that made the datagram whole, copies too, in the order of the
capture; `time` is that of the last of them, `first_time` that of the one with the first byte of the message."""
from cases_media import MEDIA_AT, PACKET, rtp
from cases_media import call as media_call
from cases_tunnel import GRE, IPIP, OUTER4, gre, outer, outer_udp, vxlan
from files import Record, cut, packets, pcap, stamp
from frames import MS, START_NS, D, eth, fragment, fragments, ip, number
from sip import A, A6, B, B6, Talk, base, sdp

ONE_S = 1000 * MS
HEAD = 8  # of UDP


def invite(call_id='f@x', size=4000, a=A, b=B, at=0, tag='f1', ident=77):
    """An INVITE whose message has this many bytes."""
    make = lambda pad: Talk(call_id, at, a, b, tag).invite(sdp(a), extra=[('X-Pad', 'p' * pad)]).out[0]
    return make(size - len(make(0).data))._replace(ident=ident)


def shown(call_id, length, frames, at, first_at=None, incomplete=None, **more):
    """A line of `--messages`; None: the field is not there; 'any': not checked."""
    line = {'request.method': 'INVITE', 'call_id': call_id, 'length': length, 'packets': [[0, n] for n in frames],
            'time': stamp(at), 'first_time': None if first_at in (None, at) else stamp(first_at) if first_at != 'any' else 'any',
            'transport': 'UDP', 'incomplete': incomplete, 'oddities': []}
    line.update(more)
    return {key: value for key, value in line.items() if value != 'any'}


def case(add, name, timed, messages, oddities=None, lost=0, wrap=None, rs=None, **also):
    """lost: records that count as fragment_incomplete; all others are analysed. oddities: all, or None."""
    rs = packets(timed, wrap) if rs is None else rs
    paths = {'capture.packets': len(rs), 'capture.analysed': len(rs) - lost, 'capture.complete': True,
             'capture.not_analysed': {'fragment_incomplete': lost} if lost else {}}
    if oddities is not None:
        paths['capture.oddities'] = oddities
    add('fragment_%s.pcap' % name, pcap(rs), sip=len(messages), calls=len({m['call_id'] for m in messages}), streams=0,
        messages=messages, also=dict(paths, **also))


def apart(pieces, at=0, step=10 * MS):
    return [(at + i * step, p) for i, p in enumerate(pieces)]


def both(add, name, order, frames, at, first_at=None, oddities=(), size=4000, cuts=(1480, 2960)):
    """Fragments of IPv4 and of IPv6 in this order, 10 ms apart."""
    for family, ends in (('v4', (A, B)), ('v6', (A6, B6))):
        pieces = fragments(ip(invite(a=ends[0], b=ends[1], size=size)), *cuts)
        case(add, '%s_%s' % (family, name), apart([pieces[i] for i in order]), [shown('f@x', size, frames, at, first_at)],
             dict(oddities))


def orders(add):
    both(add, 'in_order', (0, 1, 2), [1, 2, 3], 20 * MS, 0)
    both(add, 'reversed', (2, 1, 0), [1, 2, 3], 20 * MS)
    both(add, 'last_first', (2, 0, 1), [1, 2, 3], 20 * MS, 10 * MS)
    both(add, 'first_twice', (0, 0, 1, 2), [1, 2, 3, 4], 30 * MS, 0)
    both(add, 'middle_twice', (0, 1, 1, 2), [1, 2, 3, 4], 30 * MS, 0)
    both(add, 'all_twice', (0, 0, 1, 1, 2, 2), [1, 2, 3, 4, 5], 40 * MS, 0)
    both(add, 'copy_afterwards', (0, 1, 2, 1), [1, 2, 3], 20 * MS, 0)
    both(add, 'of_eight_bytes', (0, 1, 2), [1, 2, 3], 20 * MS, 0, cuts=(8, 1488))  # the first has UDP's header only
    both(add, 'of_24_bytes', range(101), range(1, 102), 1000 * MS, 0, size=2400, cuts=range(24, 2408, 24))
    for size in (9000, 11000, 22000, 60000):
        count = -(-(size + HEAD) // 1480)
        both(add, 'of_%d' % size, range(count), range(1, count + 1), (count - 1) * 10 * MS, 0, size=size,
             cuts=range(1480, size + HEAD, 1480))
    largest = fragments(ip(invite(size=65507)), 32768)
    case(add, 'v4_of_65507', apart(largest), [shown('f@x', 65507, [1, 2], 10 * MS, 0)], {})


def lost(add):
    for family, ends in (('v4', (A, B)), ('v6', (A6, B6))):
        d = invite(a=ends[0], b=ends[1])
        pieces = fragments(ip(d), 1480, 2960)
        one = {'ip.fragment.incomplete': 1}
        head = lambda n, frames, at, call_id='f@x', first_at=None: shown(call_id, n, frames, at, first_at, True, oddities='any')
        counted = {'capture.oddities[ip.fragment.incomplete]': 1}
        case(add, family + '_first_only', apart(pieces[:1]), [head(1480 - HEAD, [1], 0)], **counted)
        case(add, family + '_last_lost', apart(pieces[:2]), [head(2960 - HEAD, [1, 2], 10 * MS, first_at=0)], **counted)
        case(add, family + '_middle_lost', apart(pieces[::2]), [
            shown('f@x', 1480 - HEAD, [1, 2], 0, 'any', True, oddities='any', packets='any', time='any')], **counted)
        case(add, family + '_first_lost', apart(pieces[1:]), [], one, 2)
        # The number is used again after 120 s.
        other = fragments(ip(invite('g@x', a=ends[0], b=ends[1], tag='f2')), 1480, 2960)
        again = apart(other, 120 * ONE_S)
        case(add, family + '_number_again_after_head', apart(pieces[:1]) + again, [
            head(1480 - HEAD, [1], 0), shown('g@x', 4000, [2, 3, 4], 120 * ONE_S + 20 * MS, 120 * ONE_S)], **counted)
        case(add, family + '_number_again_after_tail', apart(pieces[1:]) + again, [
            shown('g@x', 4000, [3, 4, 5], 120 * ONE_S + 20 * MS, 120 * ONE_S)], one, 2)
        case(add, family + '_number_again_after_whole', apart(pieces) + again, [
            shown('f@x', 4000, [1, 2, 3], 20 * MS, 0), shown('g@x', 4000, [4, 5, 6], 120 * ONE_S + 20 * MS, 120 * ONE_S)], {})
        quick = apart(other, 2 * ONE_S)
        case(add, family + '_number_again_after_2_s', apart(pieces) + quick, [
            shown('f@x', 4000, [1, 2, 3], 20 * MS, 0), shown('g@x', 4000, [4, 5, 6], 2 * ONE_S + 20 * MS, 2 * ONE_S)], {})
        # Nothing of ours: whole, and not.
        name = D(0, *ends, 40000, 53, b'\x12\x34\1\0' + b'n' * 3000, ident=5)
        rs = packets(apart(fragments(ip(name), 1480)))
        add('fragment_%s_of_others.pcap' % family, pcap(rs), sip=0, calls=0, streams=0,
            also={'capture.analysed': 0, 'capture.not_analysed': {'not_sip_or_media': 2}, 'capture.oddities': {}})
        rs = packets(apart(fragments(ip(name), 1480)[:1]))
        add('fragment_%s_of_others_lost.pcap' % family, pcap(rs), sip=0, calls=0, streams=0, also={
            'capture.analysed': 0, 'capture.not_analysed': {'fragment_incomplete': 1}, 'capture.oddities': one})


def told_apart(add):
    """The same number at the same time, of different datagrams."""
    def pair(name, left, right, wraps=(eth, eth)):
        timed = [(t, wraps[0](p, p[0] >> 4 == 6)) for t, p in apart(left)] + \
                [(t, wraps[1](p, p[0] >> 4 == 6)) for t, p in apart(right, 5 * MS)]
        rs = [Record(START_NS + t, frame) for t, frame in sorted(timed, key=lambda x: x[0])]
        case(add, name, None, [shown('f@x', 4000, [1, 3, 5], 20 * MS, 0), shown('g@x', 4000, [2, 4, 6], 25 * MS, 5 * MS)], {}, rs=rs)
    split = lambda d: fragments(ip(d), 1480, 2960)
    pair('two_sources', split(invite()), split(invite('g@x', a='192.0.2.11')))
    pair('two_destinations', split(invite()), split(invite('g@x', b='192.0.2.21')))
    pair('two_sources_v6', split(invite(a=A6, b=B6)), split(invite('g@x', a='2001:db8::11', b=B6)))
    pair('two_directions', split(invite()), split(invite('g@x', a=B, b=A)))
    tags = [lambda p, v6, vlan=vlan: eth(p, v6, [(0x8100, vlan)]) for vlan in (1, 2)]
    pair('two_vlans', split(invite()), split(invite('g@x', tag='f2')), tags)
    nets = [lambda p, v6, vni=vni: eth(outer_udp(vxlan(eth(p, v6))[:4] + bytes([0, 0, vni, 0]) + eth(p, v6), 4789)) for vni in (1, 2)]
    pair('two_networks', split(invite()), split(invite('g@x', tag='f2')), nets)
    # One number, four datagrams, all fragments of the same place behind each other.
    sources = ['192.0.2.%d' % (30 + i) for i in range(4)]
    sets = [split(invite('s%d@x' % i, a=a)) for i, a in enumerate(sources)]
    timed = apart([s[k] for k in (1, 2, 0) for s in sets])
    case(add, 'four_sources', timed, [shown('s%d@x' % i, 4000, [1 + i, 5 + i, 9 + i], (80 + 10 * i) * MS) for i in range(4)], {})


def overlaps(add):
    d = invite()
    packet, body = ip(d), ip(d)[20:]
    size = len(body)
    lie = body.replace(b'f@x', b'g@x')
    place = body.index(b'f@x') // 8 * 8
    lying = packet[:20] + lie
    part = lambda a, b, p=packet: fragment(p, a, b)
    line = lambda frames, at, first_at=None: [shown('f@x', 4000, frames, at, first_at)]
    case(add, 'v4_overlap', apart([part(0, 1480), part(800, 2960), part(2960, size)]), line([1, 2, 3], 20 * MS, 0), {})
    case(add, 'v4_overlap_all', apart([part(0, 1480), part(0, 2960), part(2960, size)]), line([1, 2, 3], 20 * MS, 0), {})
    case(add, 'v4_conflict', apart([part(0, 1480), part(place, 2960, lying), part(2960, size)]), line([1, 2, 3], 20 * MS, 0),
         {'ip.fragment.conflict': 1})
    case(add, 'v4_conflict_first_later', apart([part(place, 2960), part(0, 1480, lying), part(2960, size)]),
         line([1, 2, 3], 20 * MS, 10 * MS), {'ip.fragment.conflict': 1})
    case(add, 'v4_conflict_same_place', apart([part(0, 1480), part(0, 1480, lying), part(1480, 2960), part(2960, size)]),
         line([1, 2, 3, 4], 30 * MS, 0), {'ip.fragment.conflict': 1})
    beyond = fragment(packet[:20] + b'x' * 65535 + b'y' * 1465, 65528, 67000, more=False)
    case(add, 'v4_overlong', apart([beyond]), [], {'ip.fragment.overlong': 1}, 1)
    case(add, 'v4_overlong_between', apart([part(0, 1480), beyond, part(1480, 2960), part(2960, size)]),
         line([1, 3, 4], 30 * MS, 0), {'ip.fragment.overlong': 1}, 1)
    six = ip(invite(a=A6, b=B6))
    size6 = len(six) - 40
    part6 = lambda a, b: fragment(six, a, b)
    case(add, 'v6_overlap', apart([part6(0, 1480), part6(800, 2960), part6(2960, size6)]), [], {'ip.fragment.overlap_v6': 1}, 3)
    case(add, 'v6_overlap_then_good', apart([part6(0, 1480), part6(800, 2960), part6(2960, size6)]) +
         apart(fragments(ip(invite('g@x', a=A6, b=B6)), 1480, ident=8), ONE_S),
         [shown('g@x', 4000, [4, 5], ONE_S + 10 * MS, ONE_S)], {'ip.fragment.overlap_v6': 1}, 3)
    # Jumbo fragments that the capture kept the first bytes of.
    for name, snaplen in (('first', 1514), ('second', 3200)):
        pieces = fragments(packet, 3000) if name == 'first' else fragments(ip(invite(size=8000)), 2000)
        rs = cut(packets(apart(pieces)), snaplen)
        add('fragment_v4_snaplen_in_%s.pcap' % name, pcap(rs, snaplen=snaplen), sip=1, calls=1, streams=0, also={
            'capture.analysed': 2, 'calls[f@x].state': 'calling', 'capture.oddities[sip.truncated]': 1})


def headers(add):
    """IPv6: what stands in front of the fragment header and behind it."""
    d = invite(a=A6, b=B6)
    hop = bytes([17, 0, 1, 4, 0, 0, 0, 0])
    plain = ip(d)
    with_hop = plain[:4] + (len(plain) - 32).to_bytes(2, 'big') + b'\0' + plain[7:40] + hop + plain[40:]
    line = [shown('f@x', 4000, [1, 2, 3], 20 * MS, 0)]
    case(add, 'v6_behind_hop_by_hop', apart(fragments(with_hop, 1480, 2960, before=8)), line, {})
    case(add, 'v6_behind_hop_by_hop_reversed', apart(fragments(with_hop, 1480, 2960, before=8)[::-1]),
         [shown('f@x', 4000, [1, 2, 3], 20 * MS)], {})
    destination = plain[:4] + (len(plain) - 32).to_bytes(2, 'big') + b'\x3c' + plain[7:40] + hop + plain[40:]
    case(add, 'v6_destination_inside', apart(fragments(destination, 1480, 2960)), line, {})


def tunnels(add):
    """Fragments inside a tunnel, of the tunnel, and both."""
    d = invite()
    packet = ip(d)
    line = [shown('f@x', 4000, [1, 2, 3], 20 * MS, 0)]
    inside = fragments(packet, 1480, 2960)
    case(add, 'in_gre', apart([outer(gre(p, 0x0800), GRE) for p in inside]), line, {})
    case(add, 'in_vxlan', apart([outer_udp(vxlan(eth(p)), 4789) for p in inside]), line, {})
    case(add, 'of_gre', apart(fragments(outer(gre(packet, 0x0800), GRE), 1480, 2960)), line, {})
    case(add, 'of_ipip_reversed', apart(fragments(outer(packet, IPIP), 1480, 2960)[::-1]),
         [shown('f@x', 4000, [1, 2, 3], 20 * MS)], {})
    case(add, 'of_vxlan', apart(fragments(outer_udp(vxlan(eth(packet)), 4789), 1480, 2960)), line, {})
    case(add, 'of_gre_v6', apart(fragments(outer(gre(packet, 0x0800), GRE, ('2001:db8:1::1', '2001:db8:1::2')), 1480, 2960)), line, {})
    halves = fragments(packet, 2000)
    four = [p for i, half in enumerate(halves) for p in
            fragments(ip(D(0, *OUTER4, 50000, 4789, vxlan(eth(half)), ident=i + 1)), 1000)]
    case(add, 'in_fragments', apart(four), [shown('f@x', 4000, [1, 2, 3, 4], 30 * MS, 'any')], {})
    call = [(s.t + i, p) for s in number(base()) for i, p in enumerate(fragments(ip(s), 104))]
    rs = packets(call, lambda p, v6: eth(p, v6, [(0x88a8, 7), (0x8100, 8)]))
    add('fragment_call_qinq.pcap', pcap(rs), sip=7, calls=1, streams=0, also={
        'calls[c1@x].state': 'ended', 'calls[c1@x].pdd_ms': '~40', 'capture.analysed': len(rs), 'capture.oddities': {}})


def streams(add):
    """RTP in datagrams that are too large for the link."""
    packets_of = [D(MEDIA_AT + i * PACKET, A, B, 10000, 20000, rtp(i, i * 160, payload=b'\xff' * 2000), ident=100 + i)
                  for i in range(50)]
    pieces = [(d.t + k, p) for d in packets_of for k, p in enumerate(fragments(ip(d), 1480))]
    talk = [(d.t, ip(d)) for d in number(media_call())]
    want = {'streams[0].packets': 50, 'streams[0].lost': 0, 'streams[0].call_id': 'm@x', 'streams[0].jitter_ms': '~0',
            'capture.analysed': 103, 'capture.oddities': {}}
    add('fragment_rtp.pcap', pcap(packets(talk + pieces)), sip=3, calls=1, streams=1, also=want)
    swapped = [(d.t + k, p) for d in packets_of for k, p in enumerate(fragments(ip(d), 1480)[::-1])]
    add('fragment_rtp_swapped.pcap', pcap(packets(talk + swapped)), sip=3, calls=1, streams=1, also=want)
    lost = [x for i, x in enumerate(pieces) if i != 21]
    add('fragment_rtp_one_lost.pcap', pcap(packets(talk + lost)), sip=3, calls=1, streams=1, also={
        'streams[0].unique': 49, 'streams[0].lost': 1, 'streams[0].expected': 50, 'capture.packets': 102,
        'capture.oddities[ip.fragment.incomplete]': 1, 'capture.not_analysed.fragment_incomplete': 1})


def cases(add):
    for part in (orders, lost, told_apart, overlaps, headers, tunnels, streams):
        part(add)
