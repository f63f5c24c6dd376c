"""The truth about single calls: endings, hops with their delays, transfers, digits by INFO, reports of endpoints, registrations."""
from cases_media import rtp
from files import pcap, records
from frames import D, MS
from sip import A, B, REASONS, Talk, answered, base, host, media, message, sdp

P, Q, C = '192.0.2.15', '192.0.2.16', '192.0.2.30'  # proxies between the two, somebody else
SECOND = 1000 * MS


def findings(call_id, *wanted):
    """Exactly these findings, in this order."""
    also = {'calls[%s].findings.length' % call_id: len(wanted)}
    for i, (name, severity, record) in enumerate(wanted):
        at = 'calls[%s].findings[%d]' % (call_id, i)
        also.update({at + '.name': name, at + '.severity': severity, at + '.packets[0][1]': record})
    return also


def of(call_id, **fields):
    return {'calls[%s].%s' % (call_id, key): value for key, value in fields.items()}


def add_talk(add, name, out, calls=1, streams=0, sip=None, **also):
    add('dialog_%s.pcap' % name, pcap(records(sorted(out, key=lambda d: d.t))), sip=len(out) if sip is None else sip, calls=calls,
        streams=streams, also=also)


def tone(src, dst, start, count, ssrc=7, ports=(10000, 20000)):
    """Media of count packets at 20 ms."""
    return [D(start + i * 20 * MS, src, dst, ports[0], ports[1], rtp(i, i * 160, ssrc, marker=i == 0)) for i in range(count)]


# --- I-41 to I-53 of what other tools get wrong ------------------------------------------------------------------

def anchors(add):
    for code in (300, 302, 305, 380, 400, 404, 480, 486, 487, 503, 600, 603, 606):
        t = Talk('f@x').invite().reply(100).reply(code).ack(failed=True)
        add_talk(add, 'final_%d' % code, t.out, **dict(findings('f@x'), **of('f@x', setup_ms=None, duration_ms=None, final_code=code)))
    t = Talk('f@x').invite().reply(401).ack(failed=True)
    t.cseq = 2
    t.invite(extra=[('Authorization', 'Digest username="a"')]).ok().ack()
    add_talk(add, 'challenge', t.out, **dict(findings('f@x'), **of('f@x', state='answered', attempts=2, final_code=200)))
    t = Talk('f@x').invite().ok(gap=500 * MS).again(gap=1000 * MS).again(gap=2000 * MS).again().bye().reply(200)
    add_talk(add, 'no_ack', t.out, **dict(findings('f@x', ('ack_missing', 'warning', 2)), **of(
        'f@x', state='ended', retransmissions=3, ended_by='caller')))
    t = Talk('f@x').invite().reply(100).reply(180).ok()
    invite = t.out and ('INVITE', 1, 'z9hG4bKf11', True)
    t.request('CANCEL', cseq=1, branch=invite[2], to_tag='').reply(481)
    t.last = invite
    add_talk(add, 'cancel_too_late', t.ack().bye().reply(200).out, **dict(
        findings('f@x', ('cancel_too_late', 'note', 5)), **of('f@x', state='ended', final_code=200, ended_by='caller')))
    t = answered('f@x')
    t.cseq = 2
    t.invite(in_dialog='t1').reply(488).ack(failed=True).bye().reply(200)
    add_talk(add, 'change_refused', t.out, **dict(findings('f@x', ('change_refused', 'note', 7)), **of(
        'f@x', state='ended', final_code=200, ended_by='caller')))
    t = Talk('o@x', step=MS).invite().reply(100).ok().ack()
    order = [d._replace(t=n * 5 * MS) for n, d in enumerate((t.out[1], t.out[2], t.out[0], t.out[3]))]
    add_talk(add, 'answer_before_invite', order, **dict(findings('o@x', ('response_before_request', 'note', 1)), **of(
        'o@x', state='answered', method='INVITE', request_uri='sip:bob@ex.com', src=A + ':5060', dst=B + ':5060', messages=4, attempts=1)))
    whole = base('h@x')
    for name, chosen, state in (('ok', whole[3:4], 'answered'), ('bye', whole[5:6], 'partial'), ('busy', None, 'busy')):
        chosen = chosen or Talk('h@x').invite().reply(486).out[1:]
        add_talk(add, 'only_' + name, chosen, **dict(findings('h@x', ('start_not_seen', 'note', 1)), **of('h@x', state=state, kind='call')))
    t = answered('b@x').bye(gap=MS)
    mine = t.last
    t.request('BYE', False, cseq=1, branch='z9hG4bKb1', gap=MS)
    theirs = t.last
    t.reply(481, to=mine).reply(481, to=theirs)
    add_talk(add, 'bye_from_both', t.out, **dict(findings('b@x'), **of('b@x', ended_by='both', duration_ms='~40')))


# --- endings -----------------------------------------------------------------------------------------------------

def stopped(add):
    """A ping long after shows how far the capture goes."""
    def until(seconds):
        return Talk('ping@x', at=int(seconds * SECOND), a=C).request('OPTIONS').reply(200).out
    both = lambda n: tone(A, B, 200 * MS, n) + tone(B, A, 200 * MS, n, 8, (20000, 10000))
    up = answered('m@x')
    none = dict(findings('m@x'), **of('m@x', state='answered', ended_by=None))
    found = ('media_stopped', 'warning', 6)
    add_talk(add, 'media_stopped', up.out + both(100) + until(60), 2, 2, sip=7, **dict(findings('m@x', found), **of(
        'm@x', state='answered', ended_by='media', duration_ms='~2120')))
    add_talk(add, 'media_goes_on', up.out + both(100) + until(20), 2, 2, sip=7, **none)
    one_way = up.out + tone(A, B, 200 * MS, 100) + tone(B, A, 200 * MS, 2000, 8, (20000, 10000)) + until(60)
    add_talk(add, 'media_one_way_goes_on', one_way, 2, 2, sip=7, **none)
    add_talk(add, 'media_none', up.out + until(60), 2, 0, **none)
    held = answered('m@x')
    held.cseq, held.t = 2, 2300 * MS
    held.invite(sdp(A, media(10000, lines=['a=sendonly'])), in_dialog='t1').ok(sdp(B, media(20000, lines=['a=recvonly']))).ack()
    add_talk(add, 'media_stopped_by_hold', held.out + both(100) + until(60), 2, 2, sip=10, **dict(none, **of('m@x', **{'holds.length': 1})))
    ended = answered('m@x').bye().reply(200)
    add_talk(add, 'media_and_bye', ended.out + tone(A, B, 90 * MS, 2) + until(60), 2, 1, sip=9, **dict(findings('m@x'), **of(
        'm@x', state='ended', ended_by='caller')))


def timers(add):
    timer = [('Session-Expires', '1800;refresher=uac'), ('Require', 'timer')]

    def session(bye_at=None, until=None, refresh=None, extra=timer, bye_extra=(), by_a=True, **also):
        t = Talk('t@x', step=0).invite().ok(extra=extra).ack()
        if refresh:
            t.t, t.cseq = int(refresh * SECOND), 2
            t.request('UPDATE').reply(200, extra=extra)
        if bye_at:
            t.t, t.cseq = int(bye_at * SECOND), 3
            t.request('BYE', by_a, extra=bye_extra).reply(200)
        out = t.out
        if until:
            out = out + Talk('ping@x', at=int(until * SECOND), a=C).request('OPTIONS').out
        return out, (2 if until else 1)

    def case(name, wanted, *found, **how):
        out, calls = session(**how)
        add_talk(add, 'timer_' + name, out, calls, **dict(findings('t@x', *found), **of('t@x', ended_by=wanted)))
    said = ('session_timer', 'warning', 4)
    case('lapse', 'timer', said, bye_at=1800)
    case('lapse_early', 'timer', said, bye_at=1768.5, by_a=False)
    case('lapse_late', 'timer', said, bye_at=1809)
    case('before', 'caller', bye_at=1767)
    case('after', 'caller', bye_at=1811)
    case('refreshed', 'caller', bye_at=1800, refresh=900)
    case('refreshed_once', 'timer', ('session_timer', 'warning', 6), bye_at=2700, refresh=900)
    case('no_bye', 'timer', ('session_timer', 'warning', 2), until=1811)
    case('no_bye_yet', None, until=1809)
    case('none', 'caller', bye_at=1800, extra=())
    case('short_early', 'timer', said, bye_at=61, extra=[('x', '90 ;refresher=uas')])
    case('short_before', 'caller', bye_at=59, extra=[('x', '90')])
    case('reason', 'timer', said, bye_at=100, extra=(), bye_extra=[('Reason', 'SIP;cause=408;text="Session expired"')])
    case('reason_code', 'timer', said, bye_at=100, bye_extra=[('Reason', 'Q.850;cause=16, Q.850;cause=102')])
    case('reason_code_alone', 'caller', bye_at=100, extra=(), bye_extra=[('Reason', 'Q.850;cause=102')])
    case('reason_other', 'caller', bye_at=100, bye_extra=[('Reason', 'Q.850;cause=16;text="session"')])
    case('absurd', 'caller', bye_at=100, extra=[('Session-Expires', '4294967295')])
    # The media went on: nobody minds the timer. It stopped long before: that ended the call.
    t = Talk('t@x', step=0).invite().ok(extra=[('Session-Expires', '90')]).ack()
    ping = Talk('ping@x', at=200 * SECOND, a=C).request('OPTIONS').out
    add_talk(add, 'timer_media_goes_on', t.out + tone(A, B, 100 * MS, 100) + tone(A, B, 180 * SECOND, 1000, 9), 1, 2, sip=3,
             **dict(findings('t@x', ('session_timer', 'warning', 2)), **of('t@x', ended_by=None)))
    add_talk(add, 'timer_media_stopped_first', t.out + tone(A, B, 100 * MS, 100) + ping, 2, 1, sip=4, **dict(
        findings('t@x', ('session_timer', 'warning', 2), ('media_stopped', 'warning', 4)), **of('t@x', ended_by='media')))


# --- hops --------------------------------------------------------------------------------------------------------

def through(out, hosts, delays, call=lambda d: d.src == A):
    """Each datagram of a call between A and B, as it is seen on every hop of hosts; delays[i]: of hosts[i], down and up."""
    seen = []
    for n, d in enumerate(out):
        down = call(d)
        way = hosts if down else hosts[::-1]
        t, data = d.t, d.data
        for i in range(len(way) - 1):
            if i > 0:
                at = i if down else len(hosts) - 1 - i
                t += delays[at - 1][0 if down else 1]
                first, rest = data.split(b'\r\n', 1)
                via = ('Via: SIP/2.0/UDP %s;branch=z9hG4bKh%d-%d' % (way[i], n, i)).encode()
                data = first + b'\r\n' + via + b'\r\n' + rest
            seen.append(d._replace(src=way[i], dst=way[i + 1], t=t, data=data))
    return sorted(seen, key=lambda x: x.t)


def hop(i, src, dst, messages, mean, most):
    at = 'hops[%d].' % i
    return {at + 'src': src + ':5060', at + 'dst': dst + ':5060', at + 'messages': messages, at + 'delay_ms': mean, at + 'delay_max_ms': most}


def hops(add):
    whole = [d for d in base('p@x') if not d.data.startswith(b'SIP/2.0 100')]
    own_100 = lambda d: d._replace(t=d.t + MS, src=P, dst=A, data=Talk('p@x').invite().reply(100).out[1].data)
    def case(name, out, calls=1, **fields):
        add_talk(add, 'hops_' + name, out, calls, **of('p@x', **fields))
    two = through(whole, [A, P, B], [(2 * MS, 3 * MS)])
    # A to P: the delays upwards, of 180, 200 and the 200 to BYE; P to B: those downwards, of INVITE, ACK and BYE.
    case('two', [own_100(whole[0])] + two, retransmissions=0, pdd_ms='~40', **{
        'hops.length': 2, **hop(0, A, P, 7, '~3', '~3'), **hop(1, P, B, 6, '~2', '~2')})
    case('three', through(whole, [A, P, Q, B], [(2 * MS, 3 * MS), (5 * MS, 1 * MS)]), **{
        'hops.length': 3, **hop(0, A, P, 6, '~3', '~3'), **hop(1, P, Q, 6, '~1.5', '~2'), **hop(2, Q, B, 6, '~5', '~5')})
    case('one', [d for d in two if A in (d.src, d.dst)], **{'hops': None})
    # The clock of the inner interface is behind: order of the path all the same.
    late = sorted([d._replace(t=d.t + 15 * MS) if A in (d.src, d.dst) else d for d in two], key=lambda x: x.t)
    case('inner_first', late, state='ended', **{'hops[0].src': A + ':5060', 'hops[0].dst': P + ':5060', 'hops[1].dst': B + ':5060'})
    # The proxy sends the INVITE again by itself: no delay of half a second. So does the callee with its 200.
    t = Talk('p@x', step=20 * MS).invite().ok().ack()
    once = through(t.out, [A, P, B], [(2 * MS, 3 * MS)])
    again = [once[1]._replace(t=510 * MS)]
    again += [d._replace(t=d.t + 700 * MS) for d in once if d.data.startswith(b'SIP/2.0 200')]
    case('sent_again', once + again, retransmissions=3, **{**hop(0, A, P, 4, '~3', '~3'), **hop(1, P, B, 5, '~2', '~2')})
    # The first INVITE did not come through; the second one did.
    lost = [once[0]] + [d._replace(t=d.t + 500 * MS) for d in once]
    case('lost_between', lost, retransmissions=1, **{**hop(0, A, P, 4, '~3', '~3'), **hop(1, P, B, 3, '~2', '~2')})
    # A fork: both branches are handed on; one tried 20 s later is no delay.
    t = Talk('p@x', step=20 * MS).invite()
    invite = t.out[0]._replace(dst=P)
    forks = [invite] + [invite._replace(src=P, dst=to, t=at) for to, at in ((B, 2 * MS), (Q, 4 * MS), (C, 20 * SECOND))]
    case('fork', forks, **{'hops.length': 4, **hop(1, P, B, 1, '~2', '~2'), **hop(2, P, Q, 1, '~4', '~4'), **hop(3, P, C, 1, None, None)})
    # Hops that do not meet have no delay.
    apart = [d._replace(dst=P) if d.src == A else d._replace(src=P) for d in t.out] + [t.out[0]._replace(src=Q, t=3 * MS)]
    case('apart', apart, **{**hop(0, A, P, 1, None, None), **hop(1, Q, B, 1, None, None)})


# --- transfers ---------------------------------------------------------------------------------------------------

def refer(t, by_a=True, cseq=10, to='<sip:carol@ex.com>', code=202, **more):
    t.request('REFER', by_a, cseq=cseq, extra=[('Refer-To', to)], **more)
    return t.reply(code) if code else t


def notify(t, text, by_a=False, cseq=1, event='refer', state='active', kind='message/sipfrag;version=2.0', **more):
    t.request('NOTIFY', by_a, cseq=cseq, kind=kind, body=text.encode(),
              extra=[('Event', event), ('Subscription-State', state)], **more)
    return t.reply(200)


def transfers(add):
    def case(name, t, calls=1, **fields):
        out = t if isinstance(t, list) else t.out
        add_talk(add, 'transfer_' + name, out, calls, **of('r@x', **fields))
    t = refer(answered('r@x'))
    for n, text in enumerate(('SIP/2.0 100 Trying\r\n', 'SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing\r\n', 'SIP/2.0 200 OK\r\n\r\n')):
        notify(t, text, cseq=n + 1)
    t.cseq = 20
    seen = {'transfers.length': 1, 'transfers[0].by': 'caller', 'transfers[0].refer_to': 'sip:carol@ex.com',
            'transfers[0].statuses.length': 3, 'transfers[0].statuses[0]': 100, 'transfers[0].statuses[1]': 180,
            'transfers[0].statuses[2]': 200}
    case('blind', t, state='answered', **seen)
    case('blind_bye', t.bye().reply(200), state='ended', ended_by='caller', **seen)
    case('blind_two_hops', through(t.out, [A, P, B], [(2 * MS, 3 * MS)]), state='ended', **seen)
    t = refer(answered('r@x'), by_a=False, to='"C" <sip:c@ex.com;transport=tcp?Replaces=a%40b%3Bto-tag%3D1>;x=1')
    notify(t, 'SIP/2.0 503 Service Unavailable\r\n', by_a=True, state='terminated;reason=noresource')
    case('by_callee', t, state='answered', **{'transfers[0].by': 'callee', 'transfers[0].statuses[0]': 503,
         'transfers[0].refer_to': 'sip:c@ex.com;transport=tcp?Replaces=a%40b%3Bto-tag%3D1'})
    case('refused', refer(answered('r@x'), code=603), state='answered', **{'transfers.length': 1, 'transfers[0].statuses.length': 0})
    t = refer(refer(answered('r@x'), cseq=10), cseq=11, to='<sip:dave@ex.com>')
    notify(t, 'SIP/2.0 486 Busy Here\r\n', event='refer;id=10', cseq=1)
    notify(t, 'SIP/2.0 200 OK\r\n', event='refer;id=11', cseq=2)
    notify(t, 'SIP/2.0 404 Not Found\r\n', event='refer;id=12', cseq=3)
    case('two', t, **{'transfers.length': 2, 'transfers[0].statuses[0]': 486, 'transfers[0].statuses.length': 1,
                      'transfers[1].statuses[0]': 200, 'transfers[1].statuses.length': 1, 'transfers[1].refer_to': 'sip:dave@ex.com'})
    t = refer(answered('r@x'))
    notify(t, 'SIP/2.0 200 OK\r\n', event='dialog')
    notify(t, 'INVITE sip:x SIP/2.0\r\n', cseq=2)
    notify(t, 'SIP/2.0 99 No\r\n', cseq=3)
    notify(t, 'nonsense', cseq=4)
    notify(t, 'SIP/2.0 200 OK\r\n', cseq=5, kind='text/plain')
    notify(t, 'SIP/2.0 200 OK\r\n', cseq=6, by_a=True)
    case('nothing_said', t, **{'transfers.length': 1, 'transfers[0].statuses.length': 0})
    t = notify(answered('r@x'), 'SIP/2.0 200 OK\r\n')
    case('refer_not_seen', t, state='answered', **{'transfers': None})
    t = answered('r@x')
    for n in range(12):
        refer(t, cseq=100 + n, to='<sip:n%d@ex.com>' % n)
    notify(t, 'SIP/2.0 200 OK\r\n', cseq=1)
    case('many', t, **{'transfers.length': 8, 'transfers[7].refer_to': 'sip:n7@ex.com', 'transfers[7].statuses.length': 0})
    # I-52: on hold, then handed over; the new call is another one and its evidence the legs'.
    t = answered('r@x')
    t.cseq = 2
    t.invite(sdp(A, media(10000, lines=['a=sendonly'])), in_dialog='t1').ok().ack()
    refer(t, to='<sip:carol@ex.com>')
    notify(t, 'SIP/2.0 100 Trying\r\n', cseq=1)
    notify(t, 'SIP/2.0 200 OK\r\n', cseq=2, state='terminated;reason=noresource')
    t.cseq = 20
    t.bye().reply(200)
    second = answered('n@x', a=B, b=C, tag='g1', at=t.t - 200 * MS, offer=sdp(B, media(20002)), answer=sdp(C, media(30000)))
    case('attended', sorted(t.out + second.out, key=lambda d: d.t), 2, state='ended', ended_by='caller', **{
        'transfers.length': 1, 'transfers[0].statuses[0]': 100, 'transfers[0].statuses[1]': 200, 'transfers[0].statuses.length': 2,
        'holds.length': 1, 'holds[0].by': 'caller'})


# --- digits by INFO ----------------------------------------------------------------------------------------------

def digits(add):
    def case(name, wanted, *infos, hosts=None):
        t = answered('d@x')
        t.cseq = 2
        for n, (kind, body) in enumerate(infos):
            t.request('INFO', cseq=n + 10, kind=kind, body=body).reply(200)
        out = through(t.out, hosts, [(2 * MS, 3 * MS)] * 3) if hosts else t.out
        add_talk(add, 'info_' + name, out, **of('d@x', dtmf=wanted, state='answered'))
    relay = 'application/dtmf-relay'
    case('relay', '5*#A0', *[(relay, b'Signal=%s\r\nDuration=160\r\n' % s) for s in (b'5', b'*', b'#', b'a', b'0')])
    case('spellings', '5*#D!9', (relay, b'Signal= 5\r\nDuration= 180\r\n'), (relay, b'Signal=10\nDuration=250'), (relay, b'signal : 11\r\n'),
         (relay, b'Duration=100\r\nSignal=15\r\n'), (relay, b'Signal=16\r\n'), (relay.upper(), b'Signal="9"'))
    case('dtmf', '7#!', ('application/dtmf', b'7'), ('application/dtmf', b'11\r\n'), ('application/dtmf;charset=utf-8', b'flash'))
    case('event', '91#', ('audio/telephone-event', b'\x09\x0a\x03\x20'), ('audio/telephone-event', b'\x01\x8a\x03\x20'),
         ('audio/telephone-event', b'Digit=#\r\n'))
    case('others', None, ('text/plain', b'5'), (relay, b''), (relay, b'Signal=17\r\n'), (relay, b'Signal=x\r\n'), ('application/media_control+xml', b'<x/>'))
    case('two_hops', '12', (relay, b'Signal=1\r\n'), (relay, b'Signal=2\r\n'), hosts=[A, P, B])
    case('many', '5' * 128, *[(relay, b'Signal=5\r\n')] * 140)
    t = answered('d@x')
    say = lambda digit, **how: t.request('INFO', kind=relay, body=b'Signal=%s\r\n' % digit, **how)
    say(b'1', cseq=2).again().reply(200)  # sent again
    say(b'2', by_a=False, cseq=2).reply(200)  # of the other side
    say(b'3', cseq=3).reply(401)
    say(b'3', cseq=4, extra=[('Authorization', 'Digest username="a"')]).reply(200)
    add_talk(add, 'info_again', t.out, **of('d@x', dtmf='123'))


# --- reports of endpoints ----------------------------------------------------------------------------------------

VQ = '''VQSessionReport: CallTerm
CallID: %s
LocalID: Alice <sip:alice@ex.com>
RemoteID: Bob <sip:bob@ex.com>
OrigID: Alice <sip:alice@ex.com>
LocalAddr:IP=192.0.2.10 PORT=10000 SSRC=0x2468abcd
RemoteAddr:IP=192.0.2.20 PORT=20000 SSRC=0x1357efff
LocalMetrics:
Timestamps:START=2024-01-01T18:23:43Z STOP=2024-01-01T18:26:02Z
SessionDesc:PT=18 PD=G729 SR=8000 FD=20 FPP=2 PPS=50 PLC=3 SSUP=on
JitterBuffer:JBA=3 JBR=2 JBN=40 JBM=80 JBX=120
PacketLoss:NLR=5.0 JDR=2.5
BurstGapLoss:BLD=0 BD=0 GLD=2.0 GD=500 GMIN=16
Delay:RTD=200 ESD=140 SOWD=100 IAJ=2 MAJ=10
Signal:SL=-18 NL=-50 RERL=55
QualityEst:RLQ=88 RCQ=85 EXTRI=90 EXTRO=90 MOSLQ=4.1 MOSCQ=4.0 QoEEstAlg=P.564
RemoteMetrics:
SessionDesc:PT=0
PacketLoss:NLR=0.5 JDR=0
Delay:RTD=65536 ESD=0 IAJ=12.5
QualityEst:RLQ=127 RCQ=127 MOSLQ=0 MOSCQ=4.4
DialogID:x;to-tag=1;from-tag=2
'''.replace('\n', '\r\n')


def publish(call_id='pub@x', about='v@x', text=VQ, method='PUBLISH', at=5 * SECOND, a=A, **more):
    t = Talk(call_id, at=at, a=a, b=C, tag='pb')
    return t.request(method, kind='application/vq-rtcpxr', body=(text % about).encode(), extra=[('Event', 'vq-rtcpxr')],
                     **more).reply(200)


def reports(add):
    call = answered('v@x').bye().reply(200).out
    local = {'format': 'vq-rtcpxr', 'by': 'caller', 'local': '192.0.2.10:10000', 'remote': '192.0.2.20:20000', 'codec': 'G729',
             'ssrc': '0x1357EFFF', 'loss_percent': 5, 'discard_percent': 2.5, 'jitter_ms': 2, 'round_trip_ms': 200,
             'one_way_ms': 100, 'end_system_ms': 140, 'mos_lq': 4.1, 'mos_cq': 4, 'r_factor': 85, 'packets_lost': None,
             'packets[0][1]': 8}
    remote = {'format': 'vq-rtcpxr', 'by': 'callee', 'local': '192.0.2.20:20000', 'remote': '192.0.2.10:10000', 'codec': 'PCMU',
              'ssrc': '0x2468ABCD', 'loss_percent': 0.5, 'discard_percent': 0, 'jitter_ms': 12.5, 'round_trip_ms': None,
              'end_system_ms': 0, 'mos_lq': None, 'mos_cq': 4.4, 'r_factor': None}

    def places(i, fields):
        return {'reports[%d].%s' % (i, key): value for key, value in fields.items()}
    add_talk(add, 'vq', call + publish().out, 2, **dict(
        of('v@x', **{'reports.length': 2, **places(0, local), **places(1, remote)}), **of('pub@x', reports=None, kind='publish')))
    add_talk(add, 'vq_in_call', call[:5] + Talk('v@x', at=SECOND).request(
        'PUBLISH', kind='application/vq-rtcpxr', body=(VQ % 'v@x').encode(), to_tag='t1').out, **of('v@x', **{'reports.length': 2}))
    add_talk(add, 'vq_unknown', call + publish(about='nobody@x').out, 2, **dict(of('v@x', reports=None), **of(
        'pub@x', **{'reports.length': 2, 'reports[0].by': None, 'reports[0].codec': 'G729'})))
    add_talk(add, 'vq_before', publish(at=0).out + [d._replace(t=d.t + SECOND) for d in call], 2, **dict(
        of('v@x', **{'reports.length': 2}), **of('pub@x', reports=None)))
    add_talk(add, 'vq_notify', call + publish('note@x', method='NOTIFY', to_tag='t9').out, 2, **of('v@x', **{'reports.length': 2}))
    # From the other side, by its user alone or by its address; from a server that says neither.
    bob = VQ.replace('LocalID: Alice <sip:alice@', 'LocalID: <sip:bob@EX.')
    add_talk(add, 'vq_by_callee', call + publish(text=bob.replace('EX.ex.com', 'EX.COM')).out, 2, **of('v@x', **{
        'reports[0].by': 'callee', 'reports[1].by': 'caller'}))
    nobody = VQ.replace('LocalID: Alice <sip:alice@ex.com>', 'LocalID: <sip:17@ex.com>')
    add_talk(add, 'vq_by_address', call + publish(text=nobody, a=B).out, 2, **of('v@x', **{'reports[0].by': 'callee'}))
    add_talk(add, 'vq_by_nobody', call + publish(text=nobody, a=C).out, 2, **of('v@x', **{'reports[0].by': None}))
    # The Call-ID is used again: the report goes to the call before it, not to the one behind it.
    second = Talk('v@x', at=60 * SECOND, tag='g9').invite().ok().ack().bye().reply(200).out
    add_talk(add, 'vq_reused', call + publish().out + second, 3, **{'calls[0].reports.length': 2, 'calls[2].reports': None})
    interval = [publish('pub%d@x' % n, at=(5 + n) * SECOND, text='VQIntervalReport\r\nCallID:%s\r\nPacketLoss: NLR=' + '%d\r\n' % n).out
                for n in range(40)]
    add_talk(add, 'vq_many', call + sum(interval, []), 41, **of('v@x', **{
        'reports.length': 32, 'reports[0].loss_percent': 0, 'reports[31].loss_percent': 31}))

    def header(name, value, wanted, answer=None, hosts=None):
        t = answered('v@x')
        t.cseq = 2
        t.request('BYE', extra=[value]).reply(200, extra=[answer] if answer else [])
        out = through(t.out, hosts, [(2 * MS, 3 * MS)]) if hosts else t.out
        fields = {'reports.length': len(wanted)} if wanted else {'reports': None}
        for i, want in enumerate(wanted):
            fields.update(places(i, want))
        add_talk(add, 'stat_' + name, out, **of('v@x', state='ended', **fields))
    avm = ('X-RTP-Stat', 'CS=0;PS=523;ES=524;OS=83680;SP=0/0;SO=0;QS=-;PR=522;ER=524;OR=83520;CR=0;SR=0;QR=-;PL=2,1;BL=0;LS=0;'
                         'RB=0/0;SB=-/-;EN=PCMA;DE=PCMU;JI=23,2;DL=5,0;IP=192.0.2.10:7078,192.0.2.20:20000')
    want = {'format': 'X-RTP-Stat', 'by': 'caller', 'packets_sent': 523, 'packets_received': 522, 'packets_lost': 2, 'codec': 'PCMU',
            'jitter_ms': 2.875, 'local': '192.0.2.10:7078', 'remote': '192.0.2.20:20000', 'round_trip_ms': None, 'packets[0][1]': 6}
    header('avm', avm, [want])
    header('avm_both', avm, [want, {'format': 'X-RTP-Stat', 'by': 'callee', 'packets_sent': 7}], ('x-rtp-stat', 'CS=1;PS=7;PR=8;PL=0'))
    header('avm_two_hops', avm, [{'by': 'caller', 'packets_sent': 523}], hosts=[A, P, B])
    header('audiocodes', ('X-RTP-Stat', 'PS=207;OS=49680;;PR=314;OR=50240;PL=0;JI=600;LA=40;'), [
        {'packets_sent': 207, 'packets_received': 314, 'packets_lost': 0, 'jitter_ms': 600, 'round_trip_ms': None, 'codec': None}])
    header('poly', ('X-RTP-Stat', 'PS=1234,OS=34560,PR=1236,OR=24720,JI=1,DU=1230,PL=0,EN=G711U,DE=G711U,MOS=4.0'), [
        {'packets_sent': 1234, 'jitter_ms': 1, 'mos_lq': 4, 'codec': 'G711U'}])
    header('cisco', ('P-RTP-Stat', 'PS=10,OS=1600,PR=5429,OR=955504,PL=3,JI=4,LA=40,DU=108'), [
        {'format': 'P-RTP-Stat', 'packets_sent': 10, 'packets_received': 5429, 'packets_lost': 3, 'jitter_ms': 4, 'round_trip_ms': 40}])
    header('cisco_received', ('RTP-RxStat', 'Dur=15,Pkt=755,Oct=155530,LatePkt=0,LostPkt=2,AvgJit=24.000000,VQMetrics="CCR=0.0000;'
                              'MLQK=3.5;VoRxCodec=PCMU;VoPktSizeMs=20;VoOneWayDelayMs=281;maxJitter=12;MOScq=4.21"'), [
        {'format': 'RTP-RxStat', 'packets_received': 755, 'packets_lost': 2, 'jitter_ms': 3, 'codec': 'PCMU', 'one_way_ms': 281,
         'mos_cq': 4.21, 'mos_lq': 3.5, 'packets_sent': None}])
    header('cisco_sent', ('RTP-TxStat', 'Dur=15,Pkt=750,Oct=120000'), [{'format': 'RTP-TxStat', 'packets_sent': 750}])
    header('nonsense', ('X-RTP-Stat', 'PS=x;PR=-1;PL=99999999999999999999;JI=1e5'), [])


# --- registrations -----------------------------------------------------------------------------------------------

def registrations(add):
    def registers(name, *steps, calls=1, **also):
        """steps: To, Contact of the request, Expires, code, Contact of the answer."""
        out = []
        for i, (to, asked, expires, code, bound) in enumerate(steps):
            t = i * 100 * MS
            def headers(contacts):
                return ([('Via', 'SIP/2.0/UDP %s:5060;branch=z9hG4bKr%d' % (host(A), i)), ('From', '<sip:alice@ex.com>;tag=f1'),
                         ('To', to), ('Call-ID', 'r@x'), ('CSeq', '%d REGISTER' % (i + 1))] + [('Contact', c) for c in contacts] +
                        ([('Expires', str(expires))] if expires is not None else []))
            out.append(D(t, A, B, 5060, 5060, message('REGISTER sip:ex.com SIP/2.0', headers(asked))))
            out.append(D(t + 20 * MS, B, A, 5060, 5060, message('SIP/2.0 %d %s' % (code, REASONS.get(code, 'No')), headers(bound))))
        add_talk(add, 'register_' + name, out, calls, **{('calls[0].' + k): v for k, v in dict(also, kind='registration').items()})
    aor, mine, other = '<sip:alice@ex.com>', ['<sip:a@192.0.2.10>'], '<sip:a@192.0.2.99>;expires=500'
    once = (aor, mine, 3600, 200, ['<sip:a@192.0.2.10>;expires=3600'])
    for name, same in (('host_case', '<sip:alice@EX.com>'), ('scheme_case', 'SIP:alice@ex.COM'), ('port', '<sip:alice@ex.com:5060>'),
                       ('escaped', '<sip:%61lice@ex.com>'), ('parameters', '"Alice" <sip:alice@ex.com;user=phone>')):
        registers(name, once, (same, mine, 3600, 200, once[4]), state='registered', messages=4, **{'registration.aor': 'sip:alice@ex.com'})
    for name, another in (('user_case', '<sip:Alice@ex.com>'), ('other_port', '<sip:alice@ex.com:5070>'), ('other_host', '<sip:alice@ex.org>')):
        registers(name, once, (another, mine, 3600, 200, once[4]), calls=2, messages=2)
    left = {'registration.contacts.length': 1, 'registration.contacts[0].uri': 'sip:a@192.0.2.99',
            'registration.contacts[0].expires_s': 500}
    registers('others_left', once, (aor, mine, 0, 200, [other]), state='unregistered', **left)
    registers('others_left_by_contact', once, (aor, ['<sip:a@192.0.2.10>;expires=0'], None, 200, [other]), state='unregistered', **left)
    registers('all_removed', once, (aor, ['*'], 0, 200, []), state='unregistered', **{'registration.contacts.length': 0})
    registers('again', once, (aor, mine, 0, 200, []), once, state='registered', **{'registration.contacts[0].expires_s': 3600})
    registers('asked', once, (aor, [], None, 200, once[4]), state='registered', **{'registration.contacts.length': 1})
    registers('one_of_two', once, (aor, mine + ['<sip:b@192.0.2.10>;expires=0'], 3600, 200, once[4]), state='registered')
    registers('refused', once, (aor, mine, 3600, 403, []), state='failed')


# --- messages without a Call-ID ----------------------------------------------------------------------------------

def nameless(add):
    def cut(a, b, at):
        d = Talk('', at=at, a=a, b=b).invite().out[0]
        return d._replace(data=d.data[:d.data.index(b'Call-ID')])
    out = [cut(A, B, 0), cut(C, B, 10 * MS), cut(A, B, 500 * MS), cut(A, P, 600 * MS)]
    add_talk(add, 'nameless', out, 3, **{'calls[0].messages': 2, 'calls[1].messages': 1, 'calls[2].messages': 1, 'calls[0].call_id': ''})


def cases(add):
    for part in (anchors, stopped, timers, hops, transfers, digits, reports, registrations, nameless):
        part(add)
