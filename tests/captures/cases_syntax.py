"""SIP as people really write it: odd names, folds, line ends, lengths, identities and sizes, over UDP."""
import re

from files import pcap, records
from frames import D, MS
from sip import A, B, Talk, base, message, sdp

TWO_CONTACTS = ('Contact', '<sip:u@192.0.2.10>;expires=600, "x, y" <sip:v@192.0.2.11>;expires=300')
VIA = ('Via', 'SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK1')


def one(data, t=0, by_a=True):
    return D(t, *((A, B) if by_a else (B, A)), 5060, 5060, data)


def plain(call_id, cseq='1 INVITE', first='INVITE sip:bob@ex.com SIP/2.0', body=b'', length=None, frm=None, extra=()):
    frm = '<sip:alice@ex.com>;tag=f1' if frm is None else frm
    return message(first, [VIA, ('From', frm), ('To', '<sip:bob@ex.com>'), ('Call-ID', call_id), ('CSeq', cseq)] +
                   list(extra), body, length)


def flagged(count, oddities):
    """Lines of `--messages`: the first has these oddities, if they are given; others are not looked at."""
    return None if oddities is None else [{'oddities': list(oddities)}] + [{}] * (count - 1)


def single(add, name, data, call_id, messages=1, odd=None, line=None, **also):
    """odd: the oddities of the first message; line: what else it says of itself."""
    datagrams = [one(d, i * 20 * MS) for i, d in enumerate(data if isinstance(data, list) else [data])]
    lines = flagged(messages, odd)
    if line:
        lines = lines or [{}] * messages
        lines[0] = dict(lines[0], **line)
    add('sip_%s.pcap' % name, pcap(records(datagrams)), sip=messages, calls=1, streams=0, messages=lines,
        also={'calls[%s].%s' % (call_id, key): value for key, value in also.items()})


def rewritten(add, name, change, calls=1, call_id='c1@x', odd=None, **also):
    """The whole call with every message changed; odd: the oddities of each."""
    datagrams = [d._replace(data=change(d.data)) for d in base()]
    lines = None if odd is None else [{'call_id': call_id, 'oddities': list(odd), 'length': len(d.data)} for d in datagrams]
    add('sip_%s.pcap' % name, pcap(records(datagrams)), sip=7, calls=calls, streams=0, messages=lines,
        also={'calls[%s].%s' % (call_id, k): v for k, v in dict({'state': 'ended', 'messages': 7}, **also).items()})


FOLDED = ['sip.line.folded']
COMPACT = {'Via': 'v', 'From': 'f', 'To': 't', 'Call-ID': 'i', 'Contact': 'm', 'Content-Length': 'l',
           'Content-Type': 'c', 'Subject': 's', 'Supported': 'k'}


def names(add):
    def renamed(rule):
        def change(data):
            head, gap, body = data.partition(b'\r\n\r\n')
            lines = head.decode().split('\r\n')
            lines[1:] = [rule(*line.split(': ', 1)) for line in lines[1:]]
            return '\r\n'.join(lines).encode() + gap + body
        return change
    rewritten(add, 'compact', renamed(lambda n, v: COMPACT.get(n, n) + ': ' + v), odd=())
    all_compact = [('v', VIA[1]), ('f', '<sip:alice@ex.com>;tag=f1'), ('t', '<sip:bob@ex.com>'), ('i', 'short@x'),
                   ('CSeq', '1 INVITE'), ('m', '<sip:u@192.0.2.10>'), ('k', 'timer, 100rel'), ('s', 'all short'),
                   ('c', 'application/sdp'), ('l', len(sdp(A)))]
    single(add, 'compact_all', message('INVITE sip:bob@ex.com SIP/2.0', all_compact, sdp(A), False), 'short@x', odd=[],
           line={'from_tag': 'f1', 'branch': 'z9hG4bK1', 'cseq': '1 INVITE'}, method='INVITE', **{'from': 'sip:alice@ex.com'})
    rewritten(add, 'compact_upper', renamed(lambda n, v: COMPACT.get(n, n).upper() + ':' + v), odd=())
    rewritten(add, 'upper_case', renamed(lambda n, v: n.upper() + ': ' + v), odd=())
    rewritten(add, 'mixed_case', renamed(lambda n, v: n.swapcase() + ': ' + v), odd=())
    rewritten(add, 'tab_after_colon', renamed(lambda n, v: n + ':\t' + v), odd=())
    rewritten(add, 'no_blank', renamed(lambda n, v: n + ':' + v), odd=())
    rewritten(add, 'blank_before_colon', renamed(lambda n, v: n + ' \t : ' + v + '  \t'), odd=())
    rewritten(add, 'folded_all', renamed(lambda n, v: n + ':\r\n ' + v), odd=FOLDED, **{'from': 'sip:alice@ex.com'})
    rewritten(add, 'folded_tab', renamed(lambda n, v: n + ':\r\n\t' + v), odd=FOLDED)
    rewritten(add, 'folded_twice', renamed(lambda n, v: n + ':\r\n \r\n  ' + v), odd=FOLDED)
    rewritten(add, 'folded_cseq', lambda d: re.sub(rb'CSeq: (\d+) ', rb'CSeq: \1\r\n  ', d), odd=FOLDED, method='INVITE')
    rewritten(add, 'folded_from', lambda d: d.replace(b'>;tag=f1', b'>\r\n ;tag=f1'), odd=FOLDED, **{'from': 'sip:alice@ex.com'})


def line_ends(add):
    def heads(data):
        head, gap, body = data.partition(b'\r\n\r\n')
        return (head + gap).replace(b'\r\n', b'\n') + body
    rewritten(add, 'lf_only', lambda d: d.replace(b'\r\n', b'\n'))
    rewritten(add, 'lf_only_heads', heads, odd=['sip.line.lf'])
    for header in (b'Via', b'From', b'Call-ID', b'CSeq', b'Content-Length'):
        rewritten(add, 'lf_after_' + header.decode().lower(),
                  lambda d, h=header: re.sub(b'(' + h + rb': [^\r]*)\r\n', rb'\1\n', d),
                  odd=['sip.line.lf'])
    rewritten(add, 'lf_only_folded', lambda d: d.replace(b'\r\n', b'\n').replace(b'From: ', b'From:\n '))
    rewritten(add, 'crlf_before', lambda d: b'\r\n\r\n' + d)
    single(add, 'keepalive', [b'\r\n\r\n', plain('ka@x'), b'\r\n', b'\0\0\0\0'], 'ka@x', method='INVITE')


def identities(add):
    pairs = {'last': ('same-aaa', 'same-aab'), 'first': ('a-same', 'b-same'), 'case': ('Call@x', 'call@x'),
             'longer': ('call', 'call1'), 'dot': ('1@x.y', '1@xy'), 'host': ('1@192.0.2.10', '1@192.0.2.1')}
    for name, (left, right) in pairs.items():
        datagrams = base(left) + base(right, at=500 * MS, tag='f2')
        add('sip_ids_%s.pcap' % name, pcap(records(datagrams)), sip=14, calls=2, streams=0,
            also={'calls[%s].messages' % left: 7, 'calls[%s].messages' % right: 7})
    for size in (127, 128, 255, 256, 1023, 1024, 3000):
        call_id = 'n' * (size - 2) + '@x'
        add('sip_id_of_%d.pcap' % size, pcap(records(base(call_id))), sip=7, calls=1, streams=0,
            also={'calls[%s].state' % call_id: 'ended'})
    twice = plain('d1@x').replace(b'CSeq', b'Call-ID: d2@x\r\nCSeq')
    single(add, 'two_call_ids', twice, 'd1@x', odd=['sip.call_id.duplicate'], method='INVITE')
    notify = plain('outer@x', '1 NOTIFY', 'NOTIFY sip:a@x SIP/2.0', b'SIP/2.0 200 OK\r\nCall-ID: inner@x\r\n\r\n',
                   extra=[('Event', 'refer'), ('Subscription-State', 'active'), ('Content-Type', 'message/sipfrag')])
    single(add, 'id_in_body', notify, 'outer@x', method='NOTIFY')
    for name, call_id in (('quotes', '"a"@x'), ('brackets', '<a>(b)/?{}@x'), ('percent', '%00%x@x')):
        single(add, 'id_' + name, plain(call_id), call_id, method='INVITE')


def starts(add):
    def asked(name, method, kind, version='SIP/2.0', code=200, reply='SIP/2.0 200 OK', state='answered', odd=(), reply_odd=(),
              **also):
        call_id = name + '@x'
        ask = plain(call_id, '1 ' + method, '%s sip:bob@ex.com %s' % (method, version))
        told = plain(call_id, '1 ' + method, reply).replace(b'<sip:bob@ex.com>', b'<sip:bob@ex.com>;tag=t1')
        datagrams = [one(ask), one(told, 20 * MS, False)]
        lines = [{'request.method': method, 'oddities': list(odd)}, {'response.code': code, 'oddities': list(reply_odd)}]
        add('sip_%s.pcap' % name, pcap(records(datagrams)), sip=2, calls=1, streams=0, messages=lines,
            also={'calls[%s].%s' % (call_id, k): v for k, v in
                  dict(also, method=method, kind=kind, state=state, final_code=code).items()})
    asked('unknown_method', 'FOO', 'other')
    asked('lower_method', 'invite', 'other')
    asked('token_method', "M3-.!%*_+`'~", 'other')
    asked('long_method', 'M' * 600, 'other')
    asked('lower_version', 'INVITE', 'call', version='sip/2.0')
    asked('lower_version_reply', 'INVITE', 'call', reply='sip/2.0 200 OK')
    asked('empty_reason', 'INVITE', 'call', reply='SIP/2.0 200 ')
    asked('no_reason', 'INVITE', 'call', reply='SIP/2.0 200', reply_odd=['sip.start_line.no_reason'])
    asked('odd_reason', 'OPTIONS', 'options', reply='SIP/2.0 200 \x01\x1b[31m\udcff = fine',
          reply_odd=['sip.header.control_bytes', 'sip.header.not_utf8'])
    asked('code_699', 'INVITE', 'call', reply='SIP/2.0 699 Whatever', code=699, state='failed')
    for name, bad in (('code_1000', 'SIP/2.0 1000 No'), ('code_20', 'SIP/2.0 20 No'), ('code_abc', 'SIP/2.0 abc No')):
        datagrams = [one(plain(name + '@x')), one(plain(name + '@x', first=bad), 20 * MS, False)]
        add('sip_%s.pcap' % name, pcap(records(datagrams)), calls=1, streams=0,
            also={'calls[%s@x].state' % name: 'calling', 'capture.packets': 2})


EXTRA_ODD = {'nul': ['sip.header.control_bytes'], 'not_utf8': ['sip.header.not_utf8'], 'escapes': ['sip.header.control_bytes'],
             'empty_warning': ['sip.warning.malformed'], 'no_colon': ['sip.header.no_colon'], 'many_headers': ['sip.header.too_many'],
             'empty_name': ['sip.header.name']}


def values(add):
    froms = {'quoted': ('"a<sip:evil@x>;tag=no, \\"b\\"" <sip:alice@ex.com>;tag=f1', 'sip:alice@ex.com'),
             'token_name': ('Alice W. <sip:alice@ex.com>;tag=f1', 'sip:alice@ex.com'),
             'no_brackets': ('sip:alice@ex.com;tag=f1', 'sip:alice@ex.com'),
             'parameters': ('<sip:alice@ex.com;transport=tcp?Subject=x>;x=1;tag=f1', 'sip:alice@ex.com;transport=tcp?Subject=x'),
             'tel': ('<tel:+15550100;phone-context=ex.com>;tag=f1', 'tel:+15550100;phone-context=ex.com'),
             'tel_plain': ('tel:+15550100;tag=f1', 'tel:+15550100'),
             'sips': ('<sips:alice@ex.com:5061>;tag=f1', 'sips:alice@ex.com:5061'),
             'v6': ('<sip:alice@[2001:db8::1]:5060>;tag=f1', 'sip:alice@[2001:db8::1]:5060'),
             'comma': ('"Doe, Jane" <sip:alice@ex.com>;tag=f1', 'sip:alice@ex.com'),
             'blanks': (' \t <sip:alice@ex.com> ; tag = f1 ', 'sip:alice@ex.com'),
             'utf8': ('"J\u00fcrgen \u96fb\u8a71" <sip:alice@ex.com>;tag=f1', 'sip:alice@ex.com'),
             'not_utf8': ('"J\udcfcrgen\udc80\udcff" <sip:alice@ex.com>;tag=f1', 'sip:alice@ex.com')}
    for name, (text, seen) in froms.items():
        data = plain('from@x', frm=text)
        single(add, 'from_' + name, data, 'from@x', **{'from': seen, 'method': 'INVITE'})
    extras = {'nul': [('Subject', 'a\0b')], 'not_utf8': [('Subject', '\udcff\udcfe \udcc3(')],
              'escapes': [('Subject', '\x1b]0;title\x07\x1b[2J')], 'two_via': [('Via', 'SIP/2.0/UDP a;branch=z9hG4bK2, SIP/2.0/TCP b')],
              'two_contacts': [('Contact', '<sip:u@192.0.2.10>;q=0.5, "x, y" <sip:v@192.0.2.11>')],
              'empty_warning': [('Warning', '')], 'no_colon': [], 'star_contact': [('Contact', '*')],
              'long_header': [('X-Long', 'y' * 7000)], 'many_headers': [('X-%d' % i, str(i)) for i in range(400)],
              'empty_name': [('', 'value')]}
    for name, extra in extras.items():
        data = plain('extra@x', extra=extra)
        if name == 'no_colon':
            data = data.replace(b'CSeq', b'this line has none\r\nCSeq')
        single(add, 'value_' + name, data, 'extra@x', method='INVITE', odd=EXTRA_ODD.get(name, []))
    register = message('REGISTER sip:ex.com SIP/2.0', [VIA, ('From', '<sip:alice@ex.com>;tag=f1'), ('To', '<sip:alice@ex.com>'),
                                                       ('Call-ID', 'two@x'), ('CSeq', '1 REGISTER'), TWO_CONTACTS])
    ok = message('SIP/2.0 200 OK', [VIA, ('From', '<sip:alice@ex.com>;tag=f1'), ('To', '<sip:alice@ex.com>;tag=t1'),
                                    ('Call-ID', 'two@x'), ('CSeq', '1 REGISTER'), TWO_CONTACTS])
    add('sip_two_contacts_bound.pcap', pcap(records([one(register), one(ok, 20 * MS, False)])), sip=2, calls=1, streams=0, also={
        'calls[two@x].state': 'registered', 'calls[two@x].registration.contacts.length': 2,
        'calls[two@x].registration.contacts[0].uri': 'sip:u@192.0.2.10', 'calls[two@x].registration.contacts[1].uri': 'sip:v@192.0.2.11'})
    for name, number in (('top', '4294967295'), ('over', '99999999999999999'), ('negative', '-1'), ('zeros', '0000000001'),
                         ('zero', '0')):
        single(add, 'cseq_' + name, plain('cseq@x', number + ' INVITE'), 'cseq@x', method='INVITE',
               odd=['sip.cseq.number'] if name in ('top', 'over', 'negative') else [])
    for name, missing in (('from', b'From'), ('to', b'To'), ('via', b'Via'), ('cseq', b'CSeq')):
        data = re.sub(b'\r\n' + missing + b': [^\r]*', b'', plain('missing@x'))
        single(add, 'missing_' + name, data, 'missing@x', method='INVITE')


LENGTH_ODD = {'negative': ['sip.content_length.negative'], 'smaller': ['sip.content_length.short'],
              'zero': ['sip.content_length.short'], 'larger': ['sip.content_length.long']}
LENGTH_ODD.update({name: ['sip.content_length.malformed'] for name in ('huge', 'word', 'empty', 'plus', 'hex', '2_32', '2_64')})


def lengths(add):
    body = sdp(A)
    size = len(body)
    for name, value in (('negative', '-999'), ('huge', '9' * 20), ('word', 'abc'), ('empty', ''), ('smaller', size - 10),
                        ('larger', size + 10), ('zero', 0), ('plus', '+%d' % size), ('zeros', '000000%d' % size),
                        ('blank', '%d  ' % size), ('hex', '0x97'), ('2_32', str(2**32 + size)), ('2_64', str(2**64 + size))):
        data = [plain('len@x', body=body, length=value, extra=[('Content-Type', 'application/sdp')]),
                plain('len@x', '1 ACK', 'ACK sip:bob@ex.com SIP/2.0')]
        single(add, 'length_' + name, data, 'len@x', 2, method='INVITE', odd=LENGTH_ODD.get(name, []))
    single(add, 'length_none', plain('len@x', body=body, length=False), 'len@x', odd=[], method='INVITE')
    two = plain('len@x', body=body, extra=[('Content-Length', '3')])
    single(add, 'length_two', two, 'len@x', odd=['sip.content_length.conflict'], method='INVITE')
    single(add, 'length_no_end', plain('len@x').rstrip(b'\r\n'), 'len@x', odd=['sip.header.unterminated'], method='INVITE')


def sizes(add):
    """One datagram each, whole: the session description stands at the very end and its media are found."""
    bare = len(Talk('big@x').invite(sdp(A), extra=[('X-Pad', '')]).out[0].data)
    for size in (1400, 2048, 4096, 9000, 11000, 16384, 22000, 40000, 60000, 65507):
        t = Talk('big@x').invite(sdp(A), extra=[('X-Pad', 'p' * (size - bare))]).ok().ack()
        media_packets = [D(100 * MS + i * 20 * MS, B, A, 20000, 10000,
                           b'\x80\0' + i.to_bytes(2, 'big') + (160 * i).to_bytes(4, 'big') + b'\0\0\0\x09' + b'\xff' * 160)
                         for i in range(20)]
        add('sip_size_%d.pcap' % size, pcap(records(t.out + media_packets)), sip=3, calls=1, streams=1,
            also={'calls[big@x].state': 'answered', 'streams[0].call_id': 'big@x', 'streams[0].packets': 20})


def cases(add):
    for part in (names, line_ends, identities, starts, values, lengths, sizes):
        part(add)
