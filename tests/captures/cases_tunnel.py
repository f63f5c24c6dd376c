"""The call in every tunnel, in tunnels inside tunnels, and SIP and RTP on the ports of tunnels without one."""
import struct

from cases_media import MEDIA_AT, PACKET, rtp
from files import Record, pcap, records
from frames import D, MACS, START_NS, eth, ethertype, ip, ipv4, ipv6, is_v6, mpls, number, ppp
from sip import base, base6

OUTER4, OUTER6 = ('198.51.100.1', '198.51.100.2'), ('2001:db8:1::1', '2001:db8:1::2')
ETHERNET, VLAN = 0x6558, 0x8100
IPIP, IPV6, GRE, AH, ETHERIP, L2TP, MPLS, ESP = 4, 41, 47, 51, 97, 115, 137, 50
VXLAN_PORTS, GENEVE_PORT, GTP_PORT, TZSP_PORT, TEREDO_PORT, L2TP_PORT = (4789, 8472), 6081, 2152, 37008, 3544, 1701


def outer(inner, protocol, ends=OUTER4):
    """An IP packet between the ends of a tunnel."""
    d = D(0, *ends, 0, 0, b'', ident=1)
    return ipv6(d, inner, protocol) if is_v6(ends[0]) else ipv4(d, inner, protocol)


def outer_udp(inner, port, ends=OUTER4, source=50000):
    return ip(D(0, *ends, source, port, inner, ident=1))


def gre(inner, type16, flags=0):
    """Checksum, key and sequence as the flags say; the checksum is not looked at."""
    words = sum(bool(flags & bit) for bit in (0x8000, 0x2000, 0x1000))
    return struct.pack('>HH', flags, type16) + b'\0\0\0\x07' * words + inner


def pptp(inner, flags=0x3001):
    more = b'\0\0\0\x09' * bool(flags & 0x80)
    return struct.pack('>HHHHI', flags, 0x880b, len(inner), 5, 8) + more + inner


def erspan2(frame):
    return gre(struct.pack('>HHI', 0x1000 | 5, 3, 9) + frame, 0x88be, 0x1000)


def erspan3(inner, kind=0, more=False):
    head = struct.pack('>HHIHBB', 0x2000 | 5, 3, 9, 0, kind << 2, more)
    return gre(head + b'\0' * 8 * more + inner, 0x22eb, 0x1000)


def vxlan(frame):
    return struct.pack('>II', 0x08000000, 0x123 << 8) + frame


def geneve(inner, type16, options=b'', flags=0):
    return struct.pack('>BBHI', len(options) // 4, flags, type16, 0x123 << 8) + options + inner


def gtp(inner, flags=0x30, extensions=()):
    """extensions: (type, body) with a body of 4 n + 2 bytes."""
    more = b''
    if flags & 7:
        kinds = [kind for kind, _ in extensions] + [0]
        more = struct.pack('>HBB', 77, 0, kinds[0])
        for (_, body), following in zip(extensions, kinds[1:]):
            more += bytes([(len(body) + 2) // 4]) + body + bytes([following])
    return struct.pack('>BBHI', flags, 255, len(more) + len(inner), 0xabcd) + more + inner


def tzsp(frame, tags=b'\x01'):
    return struct.pack('>BBH', 1, 0, 1) + tags + frame


def ah(inner, following, digest=12):
    return struct.pack('>BBHII', following, (12 + digest) // 4 - 2, 0, 1, 2) + b'\x5a' * digest + inner


def family(v6):
    return IPV6 if v6 else IPIP


def way(*steps, ends=OUTER4):
    """What a message says of its way through one tunnel."""
    return ['ip %s > %s' % ends, *steps]


def call(add, name, wrap, datagrams=None, outside_v6=False, path=None):
    """wrap(packet, is_v6) makes the outer packet; path: what each message says of its way."""
    messages = [{'path': path, 'call_id': 'c1@x', 'packets': [[0, i + 1]]} for i in range(7)]
    add('tunnel_%s.pcap' % name, pcap(records(datagrams or base(), lambda p, v6: eth(wrap(p, v6), outside_v6))), sip=7,
        calls=1, streams=0, also={'calls[c1@x].state': 'ended', 'calls[c1@x].pdd_ms': '~40',
                                  'calls[c1@x].messages': 7, 'capture.packets': 7, 'capture.analysed': 7},
        messages=messages if path else None)


def both(add, name, wrap, *steps):
    """wrap(packet, is_v6, ends): each family inside each. steps: of the way, behind the outer packet's."""
    for ends, outside in ((OUTER4, 'v4'), (OUTER6, 'v6')):
        for datagrams, inside in ((base(), 'v4'), (base6(), 'v6')):
            call(add, '%s_%s_in_%s' % (name, inside, outside), lambda p, v6, e=ends: wrap(p, v6, e), datagrams,
                 is_v6(ends[0]), way(*steps, ends=ends))


def in_ip(add):
    both(add, 'ip', lambda p, v6, e: outer(p, family(v6), e))
    both(add, 'gre', lambda p, v6, e: outer(gre(p, ethertype(v6)), GRE, e), 'gre')
    both(add, 'etherip', lambda p, v6, e: outer(b'\x30\0' + eth(p, v6), ETHERIP, e), 'etherip')
    both(add, 'mpls', lambda p, v6, e: outer(mpls(p, [16, 17]), MPLS, e), 'mpls 16', 'mpls 17')
    both(add, 'ah_ip', lambda p, v6, e: outer(ah(p, family(v6)), AH, e))
    for flags in (0x8000, 0x2000, 0x1000, 0xa000, 0x3000, 0xb000):
        call(add, 'gre_%04x' % flags, lambda p, v6, f=flags: outer(gre(p, 0x0800, f), GRE),
             path=way('gre 7' if flags & 0x2000 else 'gre'))
    call(add, 'gre_mpls', lambda p, v6: outer(gre(mpls(p, [16]), 0x8847), GRE), path=way('gre', 'mpls 16'))
    call(add, 'gre_ethernet', lambda p, v6: outer(gre(eth(p, v6), ETHERNET, 0x2000), GRE), path=way('gre 7'))
    call(add, 'gre_ethernet_vlan', lambda p, v6: outer(gre(eth(p, v6, [(VLAN, 7)]), ETHERNET), GRE),
         path=way('gre', 'vlan 7'))
    call(add, 'gre_ppp', lambda p, v6: outer(pptp(ppp(p, v6)), GRE))
    call(add, 'gre_ppp_acknowledged', lambda p, v6: outer(pptp(ppp(p, v6, b''), 0x3081), GRE))
    call(add, 'erspan1', lambda p, v6: outer(gre(eth(p, v6), 0x88be), GRE))
    call(add, 'erspan2', lambda p, v6: outer(erspan2(eth(p, v6, [(VLAN, 5)])), GRE))
    call(add, 'erspan3', lambda p, v6: outer(erspan3(eth(p, v6)), GRE))
    call(add, 'erspan3_platform', lambda p, v6: outer(erspan3(eth(p, v6), more=True), GRE))
    call(add, 'erspan3_ip', lambda p, v6: outer(erspan3(p, kind=2), GRE))


def authenticated(add):
    """Transport mode: the header stands between IP and UDP."""
    for digest in (12, 16, 20):
        frames = [eth(outer(ah(ip(d)[20:], 17, digest), AH, (d.src, d.dst))) for d in number(base())]
        rs = [Record(START_NS + d.t, f) for d, f in zip(number(base()), frames)]
        add('tunnel_ah_transport%d.pcap' % digest, pcap(rs), sip=7, calls=1, streams=0,
            also={'calls[c1@x].state': 'ended', 'capture.analysed': 7})


def in_udp(add):
    for port in VXLAN_PORTS:
        both(add, 'vxlan%d' % port, lambda p, v6, e, port=port: outer_udp(vxlan(eth(p, v6)), port, e), 'vxlan 291')
    call(add, 'vxlan_vlan', lambda p, v6: outer_udp(vxlan(eth(p, v6, [(VLAN, 9)])), 4789),
         path=way('vxlan 291', 'vlan 9'))
    call(add, 'vxlan_port_14789', lambda p, v6: outer_udp(vxlan(eth(p, v6)), 14789), path=way('vxlan 291'))
    both(add, 'geneve', lambda p, v6, e: outer_udp(geneve(eth(p, v6), ETHERNET), GENEVE_PORT, e), 'geneve 291')
    call(add, 'geneve_options', lambda p, v6: outer_udp(geneve(eth(p, v6), ETHERNET, b'\1\2\x80\1' * 5, 0x40), 6081))
    both(add, 'geneve_ip', lambda p, v6, e: outer_udp(geneve(p, ethertype(v6)), GENEVE_PORT, e), 'geneve 291')
    both(add, 'gtp', lambda p, v6, e: outer_udp(gtp(p), GTP_PORT, e), 'gtp 0x0000abcd')
    call(add, 'gtp_sequence', lambda p, v6: outer_udp(gtp(p, 0x32), GTP_PORT))
    call(add, 'gtp_extension', lambda p, v6: outer_udp(gtp(p, 0x34, [(0x85, b'\0\x09')]), GTP_PORT))
    call(add, 'gtp_extensions', lambda p, v6: outer_udp(
        gtp(p, 0x37, [(0x85, b'\0\x09'), (0xc0, b'\0\1'), (0x20, b'\0' * 6)]), GTP_PORT))
    both(add, 'tzsp', lambda p, v6, e: outer_udp(tzsp(eth(p, v6)), TZSP_PORT, e), 'tzsp')
    call(add, 'tzsp_tags', lambda p, v6: outer_udp(tzsp(eth(p, v6), b'\x0a\1\xc4\0\0\x28\2\1\2\x01'), TZSP_PORT))
    teredo = base(a='2001:0:c633:6401::10', b='2001:db8::20')
    origin, proof = b'\0\0' + b'\x3c\xaf\x34\xff\x8e\x01', b'\0\1\2\3' + b'\x5a' * 5 + b'\x11' * 9
    for name, head in (('bare', b''), ('origin', origin), ('proof', proof), ('proof_origin', proof + origin)):
        call(add, 'teredo_' + name, lambda p, v6, h=head: outer_udp(h + p, TEREDO_PORT), teredo, path=way('teredo'))
    call(add, 'teredo_answer', lambda p, v6: outer_udp(origin + p, 40000, source=TEREDO_PORT), teredo)


def layer_2_tunnels(add):
    """L2TP: version 2 (RFC 2661) carries PPP; version 3 (RFC 3931) here Ethernet, over IP and over UDP."""
    def version2(body, flags=0):
        length = struct.pack('>H', 6 + 2 + len(body)) if flags & 0x4000 else b''
        return struct.pack('>H', flags | 2) + length + struct.pack('>HH', 7, 9) + b'\0\1\0\1' * bool(flags & 0x0800) + body
    two, three = way('l2tp 0x00070009'), way('l2tp 0x00000009')
    call(add, 'l2tp2', lambda p, v6: outer_udp(version2(ppp(p, v6)), L2TP_PORT), path=two)
    call(add, 'l2tp2_v6', lambda p, v6: outer_udp(version2(ppp(p, v6)), L2TP_PORT), base6(), path=two)
    call(add, 'l2tp2_length', lambda p, v6: outer_udp(version2(ppp(p, v6), 0x4000), L2TP_PORT), path=two)
    call(add, 'l2tp2_sequence', lambda p, v6: outer_udp(version2(ppp(p, v6, b''), 0x0800), L2TP_PORT), path=two)
    call(add, 'l2tp3_ip', lambda p, v6: outer(b'\0\0\0\x09' + eth(p, v6), L2TP), path=three)
    call(add, 'l2tp3_cookie', lambda p, v6: outer(b'\0\0\0\x09' + b'\x5a' * 8 + eth(p, v6), L2TP), path=three)
    call(add, 'l2tp3_udp', lambda p, v6: outer_udp(b'\0\3\0\0\0\0\0\x09' + eth(p, v6), L2TP_PORT), path=three)


def nested(add):
    """Tunnels inside each other, up to the limit and beyond."""
    call(add, 'gtp_in_vxlan_in_gre', lambda p, v6: outer(
        gre(outer_udp(vxlan(eth(outer_udp(gtp(p), GTP_PORT))), 4789), 0x0800, 0x2000), GRE),
         path=way('gre 7', *way('vxlan 291', *way('gtp 0x0000abcd'))))
    call(add, 'erspan_of_gtp', lambda p, v6: outer(erspan2(eth(outer_udp(gtp(p), GTP_PORT), tags=[(VLAN, 5)])), GRE))

    def onion(packet, v6, layers):
        packet = outer(packet, family(v6))
        for _ in range(layers - 1):
            packet = outer(packet, IPIP)
        return packet
    call(add, 'ip_8_times', lambda p, v6: onion(p, v6, 8), path=way() * 8)
    add('tunnel_ip_9_times.pcap', pcap(records(base(), lambda p, v6: eth(onion(p, v6, 9)))), sip=0, calls=0, streams=0,
        also={'capture.not_analysed.tunnel_too_deep': 7, 'capture.packets': 7})


def closed(add):
    """What stays closed, by its reason."""
    first = ip(number(base())[0])
    frames = {'encrypted': outer(outer(b'\0' * 40, ESP), IPIP), 'tunnel': outer(b'\1' * 40, L2TP),
              'not_ip': outer(gre(MACS + b'\x08\x06' + b'\0' * 46, ETHERNET), GRE),
              'truncated': outer(first[:24], IPIP)}
    rs = [Record(START_NS + i, eth(frame)) for i, frame in enumerate(frames.values())]
    add('tunnel_closed.pcap', pcap(rs), sip=0, calls=0, streams=0,
        also={'capture.not_analysed.%s' % reason: 1 for reason in frames})


def ports(add):
    """SIP and RTP whose port is a tunnel's: found as on any other."""
    for port in (*VXLAN_PORTS, GENEVE_PORT, GTP_PORT, TZSP_PORT, TEREDO_PORT, L2TP_PORT):
        moved = [d._replace(sport=port, dport=port) for d in base()]
        add('tunnel_port_%d_sip.pcap' % port, pcap(records(moved)), sip=7, calls=1, streams=0,
            also={'calls[c1@x].state': 'ended', 'capture.analysed': 7})
        media = [D(MEDIA_AT + i * PACKET, *OUTER4, 10000, port, rtp(i, i * 160)) for i in range(20)]
        add('tunnel_port_%d_rtp.pcap' % port, pcap(records(media)), sip=0, calls=0, streams=1,
            also={'streams[0].packets': 20, 'streams[0].lost': 0, 'capture.analysed': 20})
    inside = [D(MEDIA_AT + i * PACKET, *OUTER4, 10000, 20000, rtp(i, i * 160)) for i in range(20)]
    add('tunnel_rtp_in_gtp.pcap', pcap(records(inside, lambda p, v6: eth(outer_udp(gtp(p), GTP_PORT)))), sip=0, calls=0,
        streams=1, also={'streams[0].packets': 20, 'streams[0].lost': 0, 'capture.analysed': 20})


def cases(add):
    for part in (in_ip, authenticated, in_udp, layer_2_tunnels, nested, closed, ports):
        part(add)
