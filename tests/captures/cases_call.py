"""States of calls, registrations and the rest; retransmissions, duplicates and hops."""
from files import Record, pcap, records
from frames import MS, START_NS, eth, ip, number
from sip import A, B, Talk, answered, base, media, sdp

P = '192.0.2.15'  # a proxy between the two


def talks(add, name, *ts, calls=None, **also):
    """also: fields of the first talk's call."""
    out = [d for t in ts for d in t.out]
    call_id = ts[0].call_id
    add('call_%s.pcap' % name, pcap(records(out)), sip=len(out), calls=len(ts) if calls is None else calls, streams=0,
        also={'calls[%s].%s' % (call_id, key): value for key, value in also.items()})


def finals(add):
    codes = {'redirected': (300, 301, 302, 305, 380), 'busy': (486, 600), 'cancelled': (487,),
             'failed': (400, 403, 404, 408, 410, 415, 480, 481, 482, 483, 484, 488, 491, 500, 501, 503, 504, 513, 603, 604,
                        606, 699)}
    for state, group in codes.items():
        for code in group:
            t = Talk('f%d@x' % code).invite().reply(100).reply(code).ack(failed=True)
            talks(add, 'final_%d' % code, t, state=state, final_code=code, kind='call', messages=4, attempts=1)
    for code in (401, 407):
        talks(add, 'final_%d' % code, Talk('c@x').invite().reply(code).ack(failed=True), state='failed', final_code=code)


def progress(add):
    talks(add, 'calling', Talk('c@x').invite(), state='calling')
    talks(add, 'trying', Talk('c@x').invite().reply(100), state='calling', trying_ms='~20')
    talks(add, 'ringing', Talk('c@x').invite().reply(100).reply(180), state='ringing', pdd_ms='~40')
    talks(add, 'answered_no_ack', Talk('c@x').invite().reply(100).reply(180).ok(), state='answered', final_code=200)
    talks(add, 'answered', answered('c@x'), state='answered', setup_ms='~60', ring_ms='~20')
    talks(add, 'ended', answered('c@x').bye().reply(200), state='ended', ended_by='caller', duration_ms='~40')
    talks(add, 'ended_by_callee', answered('c@x').bye(False).reply(200), state='ended', ended_by='callee')
    talks(add, 'ended_no_ack', Talk('c@x').invite().reply(100).reply(180).ok().bye().reply(200), state='ended')
    talks(add, 'ended_bye_unanswered', answered('c@x').bye(), state='ended')
    talks(add, 'no_provisional', Talk('c@x').invite().ok().ack(), state='answered', pdd_ms='~20', setup_ms='~20')
    t = answered('c@x').bye(gap=MS)
    mine = t.last
    t.request('BYE', False, cseq=1, branch='z9hG4bKb1', gap=MS)
    theirs = t.last
    t.reply(481, to=mine).reply(481, to=theirs)
    talks(add, 'bye_from_both', t, state='ended', ended_by='both')


def crossings(add):
    t = Talk('c@x').invite().reply(100).reply(180)
    invite = t.last
    t.request('CANCEL', cseq=1, branch=invite[2]).reply(200).reply(487, to=invite)
    t.last = invite
    talks(add, 'cancelled', t.ack(failed=True), state='cancelled', final_code=487)
    t = Talk('c@x').invite().reply(100).reply(180).ok()
    invite = t.last
    t.request('CANCEL', cseq=1, branch=invite[2], to_tag='').reply(481)
    t.last = invite
    talks(add, 'cancel_too_late', t.ack().bye().reply(200), state='ended', final_code=200)
    t = Talk('c@x').invite().reply(401).ack(failed=True)
    t.cseq = 2
    talks(add, 'auth_401', t.invite(extra=[('Authorization', 'Digest username="a"')]).ok().ack(), state='answered', final_code=200,
          attempts=2, kind='call')
    t = Talk('c@x').invite().reply(407).ack(failed=True)
    t.cseq, t.tag = 2, 'f2'  # some phones take a new tag
    talks(add, 'auth_407_new_tag', t.invite(extra=[('Proxy-Authorization', 'Digest username="a"')]).ok().ack(),
          state='answered', final_code=200, attempts=2)
    t = Talk('c@x').invite().reply(422, extra=[('Min-SE', '1800')]).ack(failed=True)
    t.cseq = 2
    talks(add, 'session_interval', t.invite(extra=[('Session-Expires', '1800')]).ok().ack(), state='answered', attempts=2)


def inside(add):
    def within(name, say, **also):
        t = answered('c@x')
        t.cseq = 2
        say(t)
        talks(add, 'in_' + name, t, **dict({'state': 'answered', 'final_code': 200}, **also))
    within('info', lambda t: t.request('INFO', body=b'Signal=5\r\n', kind='application/dtmf-relay').reply(200))
    within('update', lambda t: t.request('UPDATE').reply(501))
    within('refer', lambda t: t.request('REFER', extra=[('Refer-To', '<sip:c@ex.com>')]).reply(202))
    within('refer_failed', lambda t: t.request('REFER', extra=[('Refer-To', '<sip:c@ex.com>')]).reply(603))
    within('options', lambda t: t.request('OPTIONS').reply(486))
    within('message', lambda t: t.request('MESSAGE', body=b'hi', kind='text/plain').reply(200))
    within('reinvite', lambda t: t.invite(in_dialog='t1').ok().ack())
    within('reinvite_488', lambda t: t.invite(in_dialog='t1').reply(488).ack(failed=True))
    within('reinvite_488_bye', lambda t: t.invite(in_dialog='t1').reply(488).ack(failed=True).bye().reply(200), state='ended')
    within('reinvite_401', lambda t: t.invite(in_dialog='t1').reply(401).ack(failed=True))
    within('callee_reinvite', lambda t: t.request('INVITE', False, body=sdp(B, media(20002)), cseq=7).reply(200, sdp(A)).ack())
    within('callee_update', lambda t: t.request('UPDATE', False, cseq=7).reply(200))
    t = Talk('c@x').invite().reply(100).reply(183, sdp(B, media(20000)), extra=[('RSeq', '1'), ('Require', '100rel')])
    invite = t.last
    t.request('PRACK', cseq=2, extra=[('RAck', '1 1 INVITE')]).reply(200).ok(to=invite)
    t.last = invite
    talks(add, 'in_prack', t.ack(), state='answered')


def identities(add):
    t = Talk('fork@x').invite().reply(100)
    for tag in 'abc':
        t.reply(183, sdp(B, media(20000)), to_tag='t' + tag)
    invite = t.last
    t.ok(to_tag='tb').ok(to_tag='tc', to=invite)
    for tag in ('tb', 'tc'):
        t.request('ACK', to_tag=tag, cseq=1)
    t.request('BYE', to_tag='tc', cseq=2).reply(200, to_tag='tc')
    talks(add, 'fork', t, state='answered', **{'branches.length': 3})
    first, second = Talk('reuse@x'), Talk('reuse@x', at=60000 * MS, tag='g2')
    for x in (first, second):
        x.invite().ok().ack().bye().reply(200)
    talks(add, 'reuse_other_tag', first, second, state='ended')
    second = Talk('reuse@x', at=60000 * MS)
    second.branches, second.cseq = 50, 20
    second.invite().ok().ack().bye().reply(200)
    talks(add, 'reuse_after_bye', first, second, state='ended')
    # As tools do that send one file again and again: nothing is new but the branch.
    again = [Talk('reuse@x', at=i * 5000 * MS) for i in range(3)]
    for i, x in enumerate(again):
        x.branches = 50 * i
        x.invite().reply(180).ok().ack().bye().reply(200)
    talks(add, 'reuse_same_numbers', *again, state='ended', messages=6)
    late = Talk('late@x').invite().reply(180).ok().ack().bye().reply(200)
    late.out.append(late.out[0]._replace(t=late.t))  # the same INVITE once more begins nothing
    talks(add, 'invite_again_after_bye', late, state='ended', messages=7, retransmissions=1)
    same = [Talk('one@x', at=i * 300 * MS, tag=tag) for i, tag in enumerate(('p', 'q', 'r'))]
    for x in same:
        x.invite().reply(404).ack(failed=True)
    talks(add, 'three_callers_one_id', *same, state='failed')
    t = Talk('order@x', at=10 * MS, step=MS).invite().reply(100).ok().ack()
    order = [d._replace(t=n * 5 * MS) for n, d in enumerate((t.out[1], t.out[2], t.out[0], t.out[3]))]
    add('call_answer_before_invite.pcap', pcap(records(order)), sip=4, calls=1, streams=0,
        also={'calls[order@x].state': 'answered', 'calls[order@x].method': 'INVITE', 'calls[order@x].messages': 4})


def forked(add):
    """A proxy rings two phones and cancels the one that lost, as Kamailio does: nothing is too late."""
    q = '192.0.2.30'
    near, won, lost = (Talk('fp@x', a=A, b=P), Talk('fp@x', a=P, b=B), Talk('fp@x', a=P, b=q))
    won.branches, lost.branches = 20, 40
    near.invite().reply(100)
    won.t, lost.t = near.t + MS, near.t + 2 * MS
    won.invite().reply(180, to_tag='w')
    lost.invite().reply(180, to_tag='l')
    invites = near.last, won.last, lost.last
    near.t = won.t
    near.reply(180, to_tag='l').reply(180, to_tag='w')
    won.t = near.t
    won.ok(to_tag='w')
    near.t = won.t + MS
    near.reply(200, sdp(B, media(20000)), to_tag='w', to=invites[0]).request('ACK', cseq=1, to_tag='w')
    won.t = near.t + MS
    won.request('ACK', cseq=1, to_tag='w')
    lost.t = won.t
    lost.request('CANCEL', cseq=1, branch=invites[2][2], to_tag='').reply(200, to_tag='l').reply(487, to_tag='l', to=invites[2])
    lost.request('ACK', cseq=1, branch=invites[2][2], to_tag='l')
    near.out += won.out + lost.out
    add('call_fork_by_proxy.pcap', pcap(records(sorted(near.out, key=lambda d: d.t))), sip=len(near.out), calls=1, streams=0,
        also={'calls[fp@x].findings': [], 'calls[fp@x].state': 'answered', 'calls[fp@x].branches[0].state': 'answered',
              'calls[fp@x].branches[1].state': 'cancelled'})


def halves(add):
    t = answered('c@x').bye().reply(200)
    for name, chosen in (('ringing_only', t.out[2:3]), ('ok_only', t.out[3:4]), ('ack_only', t.out[4:5]),
                         ('bye_only', t.out[5:6]), ('bye_answer_only', t.out[6:7]), ('from_ack_on', t.out[4:]),
                         ('replies_only', [d for d in t.out if d.src == B]), ('requests_only', [d for d in t.out if d.src == A])):
        add('call_%s.pcap' % name, pcap(records(chosen)), sip=len(chosen), calls=1, streams=0,
            also={'calls[c@x].kind': 'call', 'calls[c@x].messages': len(chosen)})


def other_kinds(add):
    def registers(name, *steps, **also):
        t = Talk('r@x')
        for i, (expires, code) in enumerate(steps):
            t.cseq, t.to_tag = i + 1, ''
            t.request('REGISTER', uri='sip:ex.com', extra=[('Expires', str(expires))]).reply(
                code, extra=[('Expires', str(expires))] if code == 200 else [])
        talks(add, 'register_' + name, t, kind='registration', method='REGISTER', **also)
    registers('ok', (3600, 200), state='registered', final_code=200)
    registers('challenge', (3600, 401), (3600, 200), state='registered', final_code=200)
    registers('refresh', (3600, 200), (3600, 200), (3600, 200), state='registered', messages=6)
    registers('removed', (3600, 200), (0, 200), state='unregistered')
    registers('refused', (3600, 403), state='failed', final_code=403)
    talks(add, 'register_waiting', Talk('r@x').request('REGISTER', uri='sip:ex.com'), kind='registration', state='registering')

    def subscribes(name, *states, code=200, **also):
        t = Talk('s@x').request('SUBSCRIBE', extra=[('Event', 'presence'), ('Expires', '600')]).reply(code)
        t.to_tag = 't1'
        for i, state in enumerate(states):
            t.request('NOTIFY', False, cseq=i + 1, extra=[('Event', 'presence'), ('Subscription-State', state)]).reply(200)
        talks(add, 'subscribe_' + name, t, kind='subscription', **also)
    subscribes('pending', 'pending', state='pending')
    subscribes('active', 'pending', 'active;expires=600', state='active')
    subscribes('terminated', 'active', 'terminated;reason=timeout', state='terminated')
    subscribes('refused', code=489, state='failed', final_code=489)
    for method, kind in (('OPTIONS', 'options'), ('MESSAGE', 'message'), ('PUBLISH', 'publish'), ('FOO', 'other')):
        low = method.lower()
        talks(add, low + '_waiting', Talk('o@x').request(method), kind=kind, state='waiting', method=method)
        talks(add, low + '_answered', Talk('o@x').request(method).reply(200), kind=kind, state='answered', final_code=200)
        talks(add, low + '_failed', Talk('o@x').request(method).reply(405), kind=kind, state='failed', final_code=405)


def copies(add):
    def seen_again(name, change, **also):
        frames = []
        for d in number(base('dup@x')):
            for extra in change(d):
                frames.append(Record(extra[0].t + START_NS, extra[1]))
        add('copy_%s.pcap' % name, pcap(sorted(frames), magic=0xa1b23c4d), calls=1, streams=0,
            also=dict({'calls[dup@x].state': 'ended', 'calls[dup@x].retransmissions': 0}, **also))
    once = {'capture.duplicates': 7, 'calls[dup@x].duplicates': 7, 'calls[dup@x].messages': 7, 'capture.sip_messages': 7,
            'capture.packets': 14, 'capture.analysed': 14}
    late = lambda d, ns: d._replace(t=d.t + ns)
    for name, ns in (('within_20us', 20000), ('at_once', 0), ('within_40ms', 40 * MS)):
        seen_again(name, lambda d, ns=ns: [(d, eth(ip(d))), (late(d, ns), eth(ip(d)))], **once)
    seen_again('three_times', lambda d: [(late(d, i * 1000), eth(ip(d))) for i in range(3)],
               **dict(once, **{'capture.duplicates': 14, 'calls[dup@x].duplicates': 14, 'capture.packets': 21,
                               'capture.analysed': 21}))
    seen_again('other_ttl', lambda d: [(d, eth(ip(d))), (late(d, 30000), eth(ip(d._replace(ttl=63))))],
               **{'capture.duplicates': 0})
    tags = lambda vlan: [(0x8100, vlan)]  # the same packet on two links is a copy too
    seen_again('other_vlan', lambda d: [(d, eth(ip(d), tags=tags(1))), (late(d, 30000), eth(ip(d), tags=tags(2)))], **once)
    t = Talk('re@x', step=500 * MS).invite().again().again()
    t.step = 20 * MS
    t.reply(100).reply(180).ok(gap=500 * MS).again(gap=1000 * MS).again(gap=2000 * MS).again().ack().bye().reply(200)
    talks(add, 'retransmissions', t, state='ended', retransmissions=5, duplicates=0, messages=12)
    t = Talk('c@x').invite().reply(100).reply(180).ok(gap=500 * MS).again(gap=1000 * MS).again(gap=2000 * MS).again()
    talks(add, 'ok_repeated_no_ack', t.bye().reply(200), state='ended', retransmissions=3)
    quick = Talk('q@x', step=5 * MS).invite().again().reply(100).ok().ack()  # within 50 ms, but not the same frame
    talks(add, 'quick_retransmission', quick, state='answered', retransmissions=1, duplicates=0)
    first = base('hop@x')
    second = []
    for i, d in enumerate(first):
        down = d.src == A
        head, rest = d.data.split(b'\r\n', 1)
        branch = b'Via: SIP/2.0/UDP 192.0.2.15:5060;branch=z9hG4bKp' + (b'1' if i < 4 else b'2' if i < 5 else b'3')
        second.append(d._replace(src=P if down else B, dst=B if down else P, t=d.t + (2 if down else -2) * MS,
                                 data=head + b'\r\n' + branch + b'\r\n' + rest))
    near = [d._replace(dst=P) if d.src == A else d._replace(src=P) for d in first]
    add('copy_two_hops.pcap', pcap(records(near + second)), sip=14, calls=1, streams=0,
        also={'calls[hop@x].state': 'ended', 'calls[hop@x].retransmissions': 0, 'calls[hop@x].duplicates': 0,
              'capture.duplicates': 0, 'calls[hop@x].pdd_ms': '~38', 'calls[hop@x].attempts': 1})


def cases(add):
    for part in (finals, progress, crossings, inside, identities, forked, halves, other_kinds, copies):
        part(add)
