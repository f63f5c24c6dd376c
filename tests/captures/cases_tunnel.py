"""The call in every tunnel, in tunnels inside tunnels, and SIP and RTP on the ports of tunnels without one."""
import struct

from cases_media import MEDIA_AT, PACKET, rtp
from files import Record, pcap, records
from frames import D, MACS, START_NS, checksum, eth, ethertype, ip, ipv4, ipv6, is_v6, mpls, number, ppp, pppoe
from sip import base, base6

OUTER4, OUTER6 = ('198.51.100.1', '198.51.100.2'), ('2001:db8:1::1', '2001:db8:1::2')
ETHERNET, VLAN = 0x6558, 0x8100
IPIP, IPV6, GRE, AH, MOBILE, ETHERIP, L2TP, MPLS, ESP = 4, 41, 47, 51, 55, 97, 115, 137, 50
VXLAN_PORTS, GENEVE_PORT, GTP_PORT, TZSP_PORT, TEREDO_PORT = (4789, 8472), 6081, 2152, 37008, 3544
GPE_PORT, L2TP_PORT, OTHER_PORT = 4790, 1701, 5555
PPPOE_SESSION = 0x8864


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


def vxlan(inner, head=0x08000000):
    return struct.pack('>II', head, 0x123 << 8) + inner


def l2tp2(frame, flags=0, padding=0):
    """Version 2, with the length, sequence and padding that the flags ask for."""
    tail = struct.pack('>HH', 5, 7) + (b'\0\1\0\2' if flags & 0x0800 else b'')
    tail += struct.pack('>H', padding) + b'\xaa' * padding if flags & 0x0200 else b''
    size = struct.pack('>H', 4 + len(tail) + len(frame)) if flags & 0x4000 else b''
    return struct.pack('>H', flags | 2) + size + tail + frame


def l2tp3(frame, cookie=0, sublayer=False):
    """Version 3, from the session on."""
    return struct.pack('>I', 9) + bytes.fromhex('a1b2c3d4e5f60718')[:cookie] + b'\x40\0\0\1' * sublayer + frame


def minimal(packet, with_source):
    """RFC 2004: the tunnel puts its addresses into the packet's own header, and those behind it."""
    ends = OUTER4 if with_source else (None, OUTER4[1])
    source, destination = packet[12:16], packet[16:20]
    moved = packet[9:10] + bytes([0x80 * with_source]) + b'\0\0' + destination + source * with_source
    moved = moved[:2] + struct.pack('>H', checksum(moved)) + moved[4:]
    head = struct.pack('>BBH', 0x45, packet[1], len(packet) + len(moved)) + packet[4:9] + bytes([MOBILE]) + b'\0\0'
    head += bytes(int(part) for part in ends[0].split('.')) if with_source else source
    head += bytes(int(part) for part in ends[1].split('.'))
    return head[:10] + struct.pack('>H', checksum(head)) + head[12:] + moved + packet[20:]


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


def in_l2tp(add):
    def version2(p, v6, e, flags=0, padding=0):
        return outer_udp(l2tp2(ppp(p, v6), flags, padding), L2TP_PORT, e, L2TP_PORT)
    both(add, 'l2tp2', version2, 'l2tp 0x00050007')
    for flags, padding in ((0x4000, 0), (0x0800, 0), (0x0200, 0), (0x0200, 3), (0x0100, 0), (0x4b00, 1)):
        call(add, 'l2tp2_%04x_%d' % (flags, padding), lambda p, v6, a=(flags, padding): version2(p, v6, OUTER4, *a))
    call(add, 'l2tp2_bare_ppp', lambda p, v6: outer_udp(l2tp2(ppp(p, v6, b'')), L2TP_PORT))
    call(add, 'l2tp2_short_ppp', lambda p, v6: outer_udp(l2tp2(ppp(p, v6, b'', True)), 40000, source=L2TP_PORT))
    for cookie in (0, 4, 8):
        for sublayer in (False, True):
            name = 'l2tp3_%d%s' % (cookie, '_sublayer' * sublayer)
            both(add, name, lambda p, v6, e, a=(cookie, sublayer): outer(l2tp3(eth(p, v6), *a), L2TP, e), 'l2tp 0x00000009')
            call(add, name + '_ppp', lambda p, v6, a=(cookie, sublayer): outer(l2tp3(ppp(p, v6), *a), L2TP))
            call(add, name + '_ip', lambda p, v6, a=(cookie, sublayer): outer(l2tp3(p, *a), L2TP))
            call(add, name + '_udp', lambda p, v6, a=(cookie, sublayer): outer_udp(
                b'\0\3\0\0' + l2tp3(eth(p, v6), *a), L2TP_PORT, OUTER4, L2TP_PORT))
    call(add, 'l2tp3_vlan', lambda p, v6: outer(l2tp3(eth(p, v6, [(VLAN, 9)]), 4), L2TP))
    call(add, 'l2tp3_pppoe', lambda p, v6: outer(l2tp3(eth(pppoe(p, v6), type16=PPPOE_SESSION), 4), L2TP))


def in_vxlan_elsewhere(add):
    for name, head in (('group', 0x88000007), ('group_applied', 0x88480007)):
        call(add, 'vxlan_' + name, lambda p, v6, h=head: outer_udp(vxlan(eth(p, v6), h), 4789))
    both(add, 'vxlan_gpe_ip', lambda p, v6, e: outer_udp(vxlan(p, 0x0c000002 if v6 else 0x0c000001), GPE_PORT, e),
         'vxlan 291')
    call(add, 'vxlan_gpe_ethernet', lambda p, v6: outer_udp(vxlan(eth(p, v6), 0x0c000003), GPE_PORT))
    call(add, 'vxlan_gpe_mpls', lambda p, v6: outer_udp(vxlan(mpls(p, [16]), 0x0c000005), GPE_PORT))
    call(add, 'vxlan_gpe_plain', lambda p, v6: outer_udp(vxlan(eth(p, v6)), GPE_PORT))
    both(add, 'vxlan_other_port', lambda p, v6, e: outer_udp(vxlan(eth(p, v6)), OTHER_PORT, e), 'vxlan 291')
    call(add, 'vxlan_other_port_vlan', lambda p, v6: outer_udp(vxlan(eth(p, v6, [(VLAN, 9)])), OTHER_PORT))
    call(add, 'vxlan_other_port_mpls', lambda p, v6: outer_udp(vxlan(eth(mpls(p, [16]), type16=0x8847)), OTHER_PORT))
    call(add, 'vxlan_sip_port', lambda p, v6: outer_udp(vxlan(eth(p, v6)), 5060, source=5060))


def in_others(add):
    """Frames in GTP-U, minimal encapsulation, and IP behind protocol numbers of old."""
    both(add, 'gtp_ethernet', lambda p, v6, e: outer_udp(gtp(eth(p, v6)), GTP_PORT, e), 'gtp 0x0000abcd')
    call(add, 'gtp_ethernet_vlan', lambda p, v6: outer_udp(gtp(eth(p, v6, [(VLAN, 9)]), 0x34, [(0x85, b'\0\x09')]),
                                                           GTP_PORT))
    call(add, 'gtp_ppp', lambda p, v6: outer_udp(gtp(ppp(p, v6)), GTP_PORT))
    for with_source in (False, True):
        call(add, 'minimal%d' % with_source, lambda p, v6, s=with_source: minimal(p, s))
    call(add, 'minimal_in_gre', lambda p, v6: outer(gre(minimal(p, True), 0x0800), GRE))
    for protocol in (94, 98):
        both(add, 'ip_by_%d' % protocol, lambda p, v6, e, n=protocol: outer(p, n, e))
    call(add, 'gre_pppoe', lambda p, v6: outer(gre(eth(pppoe(p, v6), type16=PPPOE_SESSION), ETHERNET), GRE))
    call(add, 'etherip_mpls', lambda p, v6: outer(b'\x30\0' + eth(mpls(p, [16, 17]), type16=0x8847), ETHERIP))


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
    frames = {'encrypted': outer(outer(b'\0' * 40, ESP), IPIP),
              'tunnel': outer(l2tp3(MACS + b'\x08\x06' + b'\0' * 46, 4), L2TP),
              'not_ip': outer(gre(MACS + b'\x08\x06' + b'\0' * 46, ETHERNET), GRE),
              'truncated': outer(first[:24], IPIP)}
    rs = [Record(START_NS + i, eth(frame)) for i, frame in enumerate(frames.values())]
    add('tunnel_closed.pcap', pcap(rs), sip=0, calls=0, streams=0,
        also={'capture.not_analysed.%s' % reason: 1 for reason in frames})


def ports(add):
    """SIP and RTP whose port is a tunnel's: found as on any other."""
    for port in (*VXLAN_PORTS, GPE_PORT, GENEVE_PORT, GTP_PORT, TZSP_PORT, TEREDO_PORT, L2TP_PORT):
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
    for part in (in_ip, authenticated, in_udp, in_l2tp, in_vxlan_elsewhere, in_others, nested, closed, ports):
        part(add)
