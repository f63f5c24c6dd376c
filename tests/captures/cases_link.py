"""The call in every link layer, under every tag and header that peel() takes off."""
import struct

from files import NANO, Record, pcap, records
from frames import (MACS, eth, ip, ipv4, ipv6, is_v6, llc_eth, mpls, nflog, number, ppp, pppoe, sll, sll2, snap, udp,
                    START_NS)
from sip import base, base6

ETHERNET = 1
Q, AD, OLD, OLDER = 0x8100, 0x88a8, 0x9100, 0x9200


def call(add, name, link, wrap, datagrams=None, path=None):
    """path: what each message says of its way, outermost first."""
    add('link_%s.pcap' % name, pcap(records(datagrams or base(), wrap), link=link), sip=7, calls=1, streams=0,
        also={'calls[c1@x].state': 'ended', 'capture.packets': 7, 'capture.analysed': 7},
        messages=[{'path': path, 'packets': [[0, i + 1]], 'call_id': 'c1@x', 'transport': 'UDP'} for i in range(7)])


def tags(add):
    stacks = {'vlan%d' % n: [(Q, 10 + i) for i in range(n)] for n in range(1, 6)}
    stacks.update({'ad': [(AD, 7)], 'old': [(OLD, 7)], 'older': [(OLDER, 7)], 'ad_q': [(AD, 7), (Q, 8)],
                   'old_q': [(OLD, 7), (Q, 8)], 'older_q': [(OLDER, 7), (Q, 8)], 'ad_ad_q': [(AD, 1), (AD, 2), (Q, 3)],
                   'priority': [(Q, 0xa000)]})
    for name, stack in stacks.items():
        path = ['vlan %d' % (vlan & 0xfff) for _, vlan in stack]
        call(add, 'eth_' + name, ETHERNET, lambda p, v6, stack=stack: eth(p, v6, stack), path=path)
        call(add, 'sll_' + name, 113, lambda p, v6, stack=stack: sll(p, v6, stack), path=path)
        call(add, 'sll2_' + name, 276, lambda p, v6, stack=stack: sll2(p, v6, stack), path=path)
    call(add, 'eth_v6_ad_q', ETHERNET, lambda p, v6: eth(p, v6, [(AD, 7), (Q, 8)]), base6(), ['vlan 7', 'vlan 8'])
    call(add, 'eth_v6', ETHERNET, eth, base6())
    call(add, 'eth_trailer', ETHERNET, lambda p, v6: eth(p, v6, trailer=b'\xde\xad\xbe\xef' * 5))
    call(add, 'eth_vlan_trailer', ETHERNET, lambda p, v6: eth(p, v6, [(Q, 5)], trailer=b'INVITE sip:x SIP/2.0\r\n'),
         path=['vlan 5'])
    call(add, 'eth_snap', ETHERNET, lambda p, v6: llc_eth(snap(p, v6)))
    call(add, 'eth_snap_tunnel', ETHERNET, lambda p, v6: llc_eth(snap(p, v6, b'\0\0\xf8')))
    call(add, 'eth_llc_ip', ETHERNET, lambda p, v6: llc_eth(b'\x06\x06\x03' + p, b'\0' * 9))
    call(add, 'eth_backbone', ETHERNET, lambda p, v6: eth(b'\0\0\0\x05' + eth(p, v6, [(Q, 9)]), type16=0x88e7),
         path=['backbone 5', 'vlan 9'])
    call(add, 'sll_snap', 113, lambda p, v6: struct.pack('>HHH8sH', 0, 1, 6, b'', 4) + snap(p, v6))


def labels(add):
    for n in (1, 2, 3):
        stack = [16 + i for i in range(n)]
        path = ['mpls %d' % label for label in stack]
        call(add, 'mpls%d' % n, ETHERNET, lambda p, v6, s=stack: eth(mpls(p, s), type16=0x8847), path=path)
        call(add, 'mpls%d_v6' % n, ETHERNET, lambda p, v6, s=stack: eth(mpls(p, s), type16=0x8847), base6(), path)
        call(add, 'mpls%d_raw' % n, 219, lambda p, v6, s=stack: mpls(p, s), path=path)
    one = ['mpls 16']
    call(add, 'mpls_multicast', ETHERNET, lambda p, v6: eth(mpls(p, [16]), type16=0x8848), path=one)
    call(add, 'mpls_vlan', ETHERNET, lambda p, v6: eth(mpls(p, [16]), tags=[(Q, 4)], type16=0x8847), path=['vlan 4', *one])
    call(add, 'mpls_explicit_null', ETHERNET, lambda p, v6: eth(mpls(p, [0]), type16=0x8847), path=['mpls 0'])
    call(add, 'mpls_wire', ETHERNET, lambda p, v6: eth(mpls(b'\0\0\0\x01' + eth(p, v6), [16]), type16=0x8847), path=one)
    call(add, 'mpls_wire_vlan', ETHERNET,
         lambda p, v6: eth(mpls(b'\0\0\0\x01' + eth(p, v6, [(Q, 3)]), [16, 17]), type16=0x8847), path=[*one, 'mpls 17', 'vlan 3'])
    call(add, 'mpls_wire_plain', ETHERNET, lambda p, v6: eth(mpls(eth(p, v6), [16]), type16=0x8847), path=one)


def points(add):
    for name, datagrams in (('v4', base()), ('v6', base6())):
        call(add, 'pppoe_' + name, ETHERNET, lambda p, v6: eth(pppoe(p, v6), type16=0x8864), datagrams, ['pppoe 7'])
        call(add, 'pppoe_vlan_' + name, ETHERNET, lambda p, v6: eth(pppoe(p, v6), tags=[(Q, 7)], type16=0x8864), datagrams,
             ['vlan 7', 'pppoe 7'])
        call(add, 'ppp_ether_' + name, 51, pppoe, datagrams, ['pppoe 7'])
        call(add, 'ppp_' + name, 9, ppp, datagrams)
        call(add, 'ppp_bare_' + name, 9, lambda p, v6: ppp(p, v6, b''), datagrams)
        call(add, 'ppp_short_' + name, 9, lambda p, v6: ppp(p, v6, b'', True), datagrams)
        call(add, 'ppp_framed_short_' + name, 9, lambda p, v6: ppp(p, v6, short=True), datagrams)
        call(add, 'ppp_hdlc_' + name, 50, ppp, datagrams)
        call(add, 'ppp_direction_' + name, 204, lambda p, v6: b'\1' + ppp(p, v6), datagrams)
        call(add, 'cisco_hdlc_' + name, 104, lambda p, v6: b'\x0f\0' + eth(p, v6)[12:], datagrams)
        call(add, 'cisco_in_ppp_hdlc_' + name, 50, lambda p, v6: b'\x8f\0' + eth(p, v6)[12:], datagrams)
        call(add, 'sll_' + name, 113, sll, datagrams)
        call(add, 'sll2_' + name, 276, sll2, datagrams)
        call(add, 'nflog_' + name, 239, nflog, datagrams)
        for link in (12, 14, 101):
            call(add, 'raw%d_%s' % (link, name), link, lambda p, v6: p, datagrams)
    call(add, 'ipv4_228', 228, lambda p, v6: p)
    call(add, 'ipv6_229', 229, lambda p, v6: p, base6())
    call(add, 'pktap', 258, lambda p, v6: struct.pack('<III', 12, 1, 1) + eth(p, v6))
    call(add, 'ppi', 192, lambda p, v6: struct.pack('<BBHI', 0, 0, 8, 1) + eth(p, v6))
    for link, name in ((0, 'null'), (108, 'loop')):
        for order in '<>':
            side = 'little' if order == '<' else 'big'
            call(add, '%s_%s' % (name, side), link, lambda p, v6, o=order: struct.pack(o + 'I', 2) + p)
            for family in (10, 24, 28, 30):
                call(add, '%s_%s_%d' % (name, side, family), link,
                     lambda p, v6, o=order, f=family: struct.pack(o + 'I', f) + p, base6())


def rebuilt(make, datagrams):
    """Frames whose packet is made by make(d)."""
    return [Record(START_NS + d.t, eth(make(d), is_v6(d.src))) for d in number(datagrams)]


def headers(add):
    def one(name, make, datagrams=None):
        add('ip_%s.pcap' % name, pcap(rebuilt(make, datagrams or base())), sip=7, calls=1, streams=0,
            also={'calls[c1@x].state': 'ended', 'capture.analysed': 7})

    hop = (0, b'\0\x01\x04\0\0\0\0')          # 8 bytes with the next header: a PadN option
    long_hop = (0, b'\x01\x01\x0c' + b'\0' * 12)
    routing, destination = (43, b'\0\0\0\0\0\0\0'), (60, b'\0\x01\x04\0\0\0\0')
    mobility, atomic = (135, b'\0\0\0\0\0\0\0'), (44, b'\0\0\0\0\0\0\x07')
    chains = {'hop': [hop], 'hop_long': [long_hop], 'routing': [routing], 'destination': [destination],
              'mobility': [mobility], 'atomic': [atomic], 'hop_atomic': [hop, atomic],
              'all': [hop, destination, routing, atomic, destination]}
    for name, chain in chains.items():
        one('v6_' + name, lambda d, c=chain: ipv6(d, udp(d), extensions=c), base6())
    one('v6_length_0', lambda d: ipv6(d, udp(d), length=0), base6())
    for n in (4, 24, 40):
        one('v4_options%d' % n, lambda d, n=n: ipv4(d, udp(d), options=b'\x01' * n))
    one('v4_total_0', lambda d: ipv4(d, udp(d), total=0))
    one('v4_dont_fragment', lambda d: ipv4(d, udp(d), flags=0x4000))
    one('v4_reserved_bit', lambda d: ipv4(d, udp(d), flags=0x8000))
    one('udp_length_0', lambda d: ipv4(d, udp(d, length=0)))
    one('udp_checksum_wrong', lambda d: ipv4(d, udp(d, sum16=0xbad1)))
    one('udp_bytes_after', lambda d: ipv4(d, udp(d) + b'INVITE sip:no SIP/2.0\r\n'))


def others(add):
    """Frames that are no call: each is counted under its reason."""
    d = base()[0]
    arp = MACS + bytes.fromhex('0806 0001 0800 0604 0001') + b'\0' * 20
    frames = {'not_ip': [arp, MACS + b'\x88\xcc' + b'\0' * 46, llc_eth(b'\x42\x42\x03' + b'\0' * 35),
                         eth(b'\x11\x09\0\0\0\0', type16=0x8863)],
              'not_sip_or_media': [eth(ipv4(d._replace(ident=1), b'\x08\0' + b'\0' * 30, 1)),
                                   eth(ipv6(base6()[0], b'\x80\0' + b'\0' * 30, 58), True)],
              'truncated': [MACS[:9], b'', eth(ip(d._replace(ident=1)))[:30]],
              'encrypted': [eth(ipv4(d._replace(ident=1), b'\0' * 40, 50))]}
    everything = [Record(START_NS + i * 1000, f) for i, f in enumerate(f for fs in frames.values() for f in fs)]
    calls = records(base())
    add('link_others.pcap', pcap(everything + calls, magic=NANO), sip=7, calls=1, streams=0,
        also=dict({'capture.not_analysed.%s' % name: len(fs) for name, fs in frames.items()},
                  **{'capture.packets': 7 + len(everything), 'capture.analysed': 7}))
    add('link_unknown.pcap', pcap(calls, link=189), sip=0, calls=0, streams=0,
        also={'capture.not_analysed.unknown_linktype': 7, 'capture.packets': 7})


def cases(add):
    for part in (tags, labels, points, headers, others):
        part(add)
