"""The call in every kind of capture file, whole, cut and damaged."""
import struct

from files import MICRO, MODIFIED, NANO, Ng, Record, cut, pcap, pcap_header, pcap_record, records
from frames import MS, eth, sll, sll2
from pack import PACKERS, gzip, skippable
from sip import A6, B6, base

TIMES = {'calls[c1@x].state': 'ended', 'calls[c1@x].trying_ms': '~20', 'calls[c1@x].pdd_ms': '~40',
         'calls[c1@x].setup_ms': '~60', 'calls[c1@x].ring_ms': '~20', 'calls[c1@x].duration_ms': '~40',
         'capture.complete': True, 'capture.packets': 7}


def call(add, name, data, **also):
    add(name, data, sip=7, calls=1, streams=0, also=dict(TIMES, **also))


def pcaps(add):
    rs = [r._replace(t=r.t + 123456789) for r in records(base())]
    first = {MICRO: '2023-11-14T22:13:20.123456000Z', NANO: '2023-11-14T22:13:20.123456789Z',
             MODIFIED: '2023-11-14T22:13:20.123456000Z'}
    for magic, kind in ((MICRO, 'micro'), (NANO, 'nano'), (MODIFIED, 'modified')):
        for order, side in (('<', 'little'), ('>', 'big')):
            call(add, 'pcap_%s_%s.pcap' % (kind, side), pcap(rs, magic, order), **{'capture.first': first[magic]})
    for minor in (1, 2, 3):
        for order, side in (('<', 'little'), ('>', 'big')):
            call(add, 'pcap_2_%d_%s.pcap' % (minor, side), pcap(rs, order=order, version=(2, minor)))
    short = [r._replace(length=len(r.frame) + 100) for r in rs]
    call(add, 'pcap_2_2_lengths_differ.pcap', pcap(short, version=(2, 2)))
    call(add, 'pcap_snaplen_0.pcap', pcap(rs, snaplen=0))
    call(add, 'pcap_snaplen_64_but_more.pcap', pcap(rs, snaplen=64))
    call(add, 'pcap_check_sequence.pcap', pcap([r._replace(frame=r.frame + b'\1\2\3\4') for r in rs], link=0x24000001))


def compressed(add):
    rs = records(base())
    plain, ng = pcap(rs), Ng().interface().packets(rs).out
    names = {'gz': 'gzip', 'zst': 'zstd', 'lz4': 'lz4'}
    for ending, pack in PACKERS.items():
        name = names[ending]
        call(add, 'pcap_%s.pcap.%s' % (name, ending), pack(plain))
        call(add, 'ng_%s.pcapng.%s' % (name, ending), pack(ng))
        parts = pack(plain[:1000]) + pack(b'') + pack(plain[1000:])
        call(add, 'pcap_%s_members.pcap.%s' % (name, ending), parts + (bytes(100) if ending == 'gz' else b''))
        add('pcap_%s_cut.pcap.%s' % (name, ending), pack(plain)[:-(8 if ending == 'gz' else 1)],
            sip=6 if ending == 'zst' else 7, calls=1, streams=0,  # the last byte of zstd is one of the content
            also={'capture.complete': False, 'calls[c1@x].state': 'ended'})
        if ending != 'gz':
            call(add, 'pcap_%s_skippable.pcap.%s' % (name, ending), skippable(70000) + skippable(0) + parts)
    call(add, 'pcap_gzip_and_junk.pcap.gz', gzip(plain) + b'this is no member')


def odd_pcaps(add):
    rs = records(base())
    whole = pcap(rs)
    empty = [Record(r.t + MS, b'') for r in rs[:2]]
    mixed = sorted(rs + empty)
    add('pcap_zero_length.pcap', pcap(mixed), sip=7, calls=1, streams=0,
        also={'calls[c1@x].state': 'ended', 'capture.packets': 9, 'capture.complete': True})
    add('pcap_captured_beyond_length.pcap', pcap([r._replace(length=len(r.frame) - 10) for r in rs]), sip=7, calls=1,
        streams=0, also={'calls[c1@x].state': 'ended', 'capture.complete': True})
    part = {'capture.complete': False, 'calls[c1@x].messages': 6, 'calls[c1@x].state': 'ended'}
    last = len(pcap_record(rs[-1]))
    for name, missing in (('in_bytes', 20), ('before_bytes', last - 16), ('in_header', last - 5), ('one_byte', last - 1)):
        add('pcap_cut_%s.pcap' % name, whole[:-missing], sip=6, calls=1, streams=0, also=part)
    add('pcap_header_only.pcap', pcap_header(), sip=0, calls=0, streams=0, also={'capture.packets': 0})
    claims = {'4g': 0xffffffff, '2g': 0x80000000, '1g': 0x40000000, '300k': 300000}
    for name, size in claims.items():
        lie = struct.pack('<IIII', rs[-1].t // 10**9, 999999, size, size)
        add('pcap_claims_%s.pcap' % name, whole + lie + b'x' * 50, sip=7, calls=1, streams=0,
            also={'capture.complete': False, 'calls[c1@x].state': 'ended'})
    back = [r._replace(t=r.t - (5000 * MS if i > 2 else 0)) for i, r in enumerate(rs)]
    add('pcap_clock_back.pcap', pcap(back), sip=7, calls=1, streams=0,
        also={'calls[c1@x].state': 'ended', 'capture.complete': True, 'calls[c1@x].pdd_ms': '~40',
              'capture.oddities[cap.clock.back]': 1})
    for snaplen in (1500, 460, 300, 282):
        shorter = sum(len(r.frame) > snaplen for r in rs)
        add('pcap_snaplen_%d.pcap' % snaplen, pcap(cut(rs, snaplen), snaplen=snaplen), sip=7, calls=1, streams=0,
            also={'calls[c1@x].state': 'ended', 'capture.packets': 7, 'capture.complete': True,
                  'capture.oddities[sip.truncated]': shorter or None})
    add('pcap_snaplen_96.pcap', pcap(cut(rs, 96), snaplen=96), sip=7,
        also={'capture.packets': 7, 'capture.oddities[sip.truncated]': 7})
    add('pcap_snaplen_40.pcap', pcap(cut(rs, 40), snaplen=40), sip=0, calls=0, streams=0,
        also={'capture.packets': 7, 'capture.not_analysed.truncated': 7})


def interfaces(add):
    rs = records(base())
    for order, side in (('<', 'little'), ('>', 'big')):
        for name, resolution, offset_s in (('default', None, 0), ('milli', 3, 0), ('micro', 6, 0), ('nano', 9, 0),
                                           ('pico', 12, 1699999990), ('binary20', 0x94, 0), ('binary32', 0xa0, 0),
                                           ('offset', 6, 3600), ('offset_back', 9, -3600), ('hundredth', 2, 0)):
            ng = Ng(order).interface(1, resolution, offset_s).packets(rs)
            call(add, 'ng_%s_%s.pcapng' % (name, side), ng.out)
    ng = Ng().interface(1, 6, 3600).interface(113, 0x94).interface(276, 9, -5).interface(101)
    wraps = (eth, sll, sll2, lambda p, v6: p)
    for i, r in enumerate(records(base())):
        ng.packet(records(base(), wraps[i % 4])[i], i % 4)
    call(add, 'ng_four_links.pcapng', ng.out)
    ng = Ng()
    for i in range(200):
        ng.interface(1, 9)
    call(add, 'ng_200_interfaces.pcapng', ng.packets(rs, 199).out)
    v6 = records(base('c6@x', a=A6, b=B6, at=500 * MS))
    both = Ng('>').interface(1).packets(rs).out + Ng('<').interface(113, 9).interface(1, 3).packets(v6, 1).out
    add('ng_sections_of_both_orders.pcapng', both, sip=14, calls=2, streams=0,
        also={'calls[c1@x].state': 'ended', 'calls[c6@x].state': 'ended', 'capture.complete': True})


def blocks(add):
    rs = records(base())
    simple = Ng().interface()
    old = Ng('>').interface(113).interface(1)
    for r in rs:
        simple.simple(r)
        old.obsolete(r, 1)
    add('ng_simple.pcapng', simple.out, sip=7, calls=1, streams=0, also={'calls[c1@x].state': 'ended'})
    call(add, 'ng_obsolete.pcapng', old.out)
    ng = Ng()
    cut_simple = ng.interface(snaplen=300)
    for r in rs:
        cut_simple.simple(Record(r.t, r.frame[:300], len(r.frame)))
    add('ng_simple_snaplen.pcapng', cut_simple.out, sip=7, calls=1, streams=0, also={'calls[c1@x].state': 'ended'})
    ng = Ng().interface()
    extras = [(4, struct.pack('<HH4s9s3xI', 1, 13, bytes([192, 0, 2, 10]), b'sip.test', 0)), (5, b'\0' * 12),
              (9, b'__REALTIME_TIMESTAMP=1700000000000000\nMESSAGE=sip\n\n'), (10, struct.pack('<II', 0x544c534b, 8) + b'# keys\n\n'),
              (0x0bad, struct.pack('<I', 32473) + b'ours'), (0x40000bad, struct.pack('<I', 32473)),
              (0x7fff, b'unknown'), (0x80000123, b''), (0x204, b'x' * 1000)]
    for i, r in enumerate(rs):
        ng.block(*extras[i]).packet(r, comment=b'a note')
    for extra in extras[7:]:
        ng.block(*extra)
    call(add, 'ng_other_blocks.pcapng', ng.out)
    big = Ng().interface().packets(rs[:3]).block(0x0bad, struct.pack('<I', 32473) + b'z' * 400000).packets(rs[3:])
    call(add, 'ng_large_block.pcapng', big.out)


def odd_blocks(add):
    rs = records(base())
    whole = Ng().interface().packets(rs).out
    part = {'capture.complete': False, 'calls[c1@x].messages': 6, 'calls[c1@x].state': 'ended'}
    for name, missing in (('trailer', 2), ('bytes', 40), ('head', len(Ng().interface().packets(rs[-1:]).out) - 100)):
        add('ng_cut_%s.pcapng' % name, whole[:-missing], sip=6, calls=1, streams=0, also=part)
    add('ng_claims_4g.pcapng', whole + struct.pack('<II', 6, 0xfffffff0) + b'\0' * 60, sip=7, calls=1, streams=0,
        also={'capture.complete': False, 'calls[c1@x].state': 'ended'})
    stray = Ng().interface()
    for i, r in enumerate(rs):
        stray.packet(r)
        if i == 3:
            stray.resolutions += [(6, 0)] * 9
            stray.packet(r._replace(t=r.t + MS), 7)  # an interface that nobody described
    add('ng_no_interface.pcapng', stray.out, sip=7, calls=1, streams=0,
        also={'calls[c1@x].state': 'ended', 'capture.packets': 8, 'capture.complete': False})
    add('ng_section_only.pcapng', Ng().out, sip=0, calls=0, streams=0, also={'capture.packets': 0})
    empty = Ng().interface()
    for r in rs:
        empty.packet(r).packet(Record(r.t, b''))
    add('ng_zero_length.pcapng', empty.out, sip=7, calls=1, streams=0,
        also={'calls[c1@x].state': 'ended', 'capture.packets': 14})


def together(add):
    """Several inputs are one capture; standard input is one of them."""
    rs = records(base())
    add('part_odd.pcap', pcap(rs[::2]), sip=4, calls=1, streams=0)
    add('part_even.pcap', pcap(rs[1::2], magic=NANO, order='>'), sip=3, calls=1, streams=0)
    lines = [{'packets': [[i % 2, i // 2 + 1]], 'call_id': 'c1@x'} for i in range(7)]
    for name, inputs in (('two_files', ['part_odd.pcap', 'part_even.pcap']), ('pipe_and_file', ['-', 'part_odd.pcap', 'part_even.pcap'])):
        add(name, None, sip=7, calls=1, streams=0, inputs=inputs, messages=lines,
            also=dict(TIMES, **{'capture.files': 2, 'capture.packets': 7}))
    add('pipe', None, sip=7, calls=1, streams=0, inputs=['-', 'pcap_zstd.pcap.zst'], also=TIMES)


def cases(add):
    for part in (pcaps, compressed, odd_pcaps, interfaces, blocks, odd_blocks, together):
        part(add)
