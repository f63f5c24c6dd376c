"""Conversations: calls that belong together, by each kind of evidence, and calls that only look like it."""
from files import pcap, records
from frames import MS
from sip import A, B, REASONS, Talk, host, media, message, sdp

P, Q, R, S = '192.0.2.11', '192.0.2.12', '192.0.2.13', '192.0.2.14'  # B2BUAs and phones
UUID = {c: c * 32 for c in 'abcd'}
NIL = '0' * 32


def origin(address, port, session, user='gw', version=1, where=None):
    """A session description with this o=."""
    return sdp(address, media(port)).replace(b'o=- 1 1 IN IP4 ' + address.encode(),
                                             b'o=%s %s %d IN IP4 %s' % (user.encode(), str(session).encode(), version,
                                                                        (where or address).encode()))


class Leg(Talk):
    """A call of which both numbers can be chosen, and to whose messages headers can be added."""

    def __init__(self, call_id, at, a, b, caller='alice@ex.com', called='bob@ex.com', step=10 * MS, tag=None, **more):
        Talk.__init__(self, call_id, at * MS, a, b, tag=tag or 'f' + call_id.split('@')[0], step=step, **more)
        self.caller, self.called = caller, called

    def dialog(self, by_a, method, to_tag=None):
        near, far = '<sip:%s>;tag=%s' % (self.caller, self.tag), '<sip:%s>' % self.called
        tag = self.to_tag if to_tag is None else to_tag
        far += ';tag=' + tag if tag else ''
        return (near, far) if by_a else (far, near)

    def start(self, extra=(), uri=None, body=None):
        return self.invite(body, extra=extra, uri=uri or 'sip:' + self.called)

    def rest(self, extra=(), hold=1000, body=None):
        """Answered, and over after `hold` ms."""
        self.reply(200, sdp(self.b, media(20000)) if body is None else body, to_tag='t' + self.tag, extra=extra).ack()
        self.t += hold * MS
        return self.bye().reply(200)

    def whole(self, extra=(), answer=(), **more):
        return self.start(extra).rest(answer, **more)


def conversation(add, name, legs, wanted, calls=None, **also):
    """wanted: for each call in the order of their beginning its legs as (call, by, via)."""
    out = sorted((d for leg in legs for d in leg.out), key=lambda d: d.t)
    paths = dict(also)
    for call, expected in enumerate(wanted):
        paths['calls[%d].legs.length' % call] = len(expected) if expected else None
        for n, (other, by, via) in enumerate(expected):
            at = 'calls[%d].legs[%d].' % (call, n)
            paths.update({at + 'call': other, at + 'by': by, at + 'via': via,
                          at + 'guess': True if by == 'number_and_time' else None})
    add('legs_%s.pcap' % name, pcap(records(out)), sip=len(out), calls=len(wanted) if calls is None else calls, streams=0, also=paths)


def pair(by):
    return [[(1, by, 0)], [(0, by, 1)]]


NONE = [[], []]


def chain(by):
    return [[(1, by, 0), (2, by, 1)], [(0, by, 1), (2, by, 1)], [(1, by, 2), (0, by, 1)]]


def call_ids(add):
    for header in ('X-Call-ID', 'X-CID', 'x-cid'):
        conversation(add, header.lower().replace('-', '_') + ('_lower' if header[0] == 'x' else ''),
                     [Leg('1@x', 0, A, P).whole(), Leg('2@x', 20, P, Q).whole([(header, '1@x')]),
                      Leg('3@x', 40, Q, B).whole([(header, '2@x')])], chain('x_call_id'))
    conversation(add, 'x_cid_several', [Leg('1@x', 0, A, P).whole(), Leg('2@x', 5, S, P).whole(),
                                        Leg('3@x', 40, P, B).whole([('X-CID', '1@x, 2@x;leg=b')])],
                 [[(2, 'x_call_id', 0), (1, 'x_call_id', 2)], [(2, 'x_call_id', 1), (0, 'x_call_id', 2)],
                  [(0, 'x_call_id', 2), (1, 'x_call_id', 2)]])
    conversation(add, 'x_cid_two_lines', [Leg('1@x', 0, A, P).whole(), Leg('2@x', 5, S, P).whole(),
                                          Leg('3@x', 40, P, B).whole([('X-CID', '1@x'), ('X-CID', '2@x')])],
                 [[(2, 'x_call_id', 0), (1, 'x_call_id', 2)], [(2, 'x_call_id', 1), (0, 'x_call_id', 2)],
                  [(0, 'x_call_id', 2), (1, 'x_call_id', 2)]])
    conversation(add, 'x_cid_itself', [Leg('1@x', 0, A, P).whole([('X-CID', '1@x')]), Leg('2@x', 20, P, Q).whole()], NONE)
    conversation(add, 'x_cid_unknown', [Leg('1@x', 0, A, P).whole([('X-CID', '7@x')]), Leg('2@x', 20, P, Q).whole()], NONE)
    conversation(add, 'x_cid_cycle', [Leg('1@x', 0, A, P).whole([('X-CID', '3@x')]), Leg('2@x', 20, P, Q).whole([('X-CID', '1@x')]),
                                      Leg('3@x', 40, Q, B).whole([('X-CID', '2@x')])],
                 [[(1, 'x_call_id', 0), (2, 'x_call_id', 0)], [(0, 'x_call_id', 1), (2, 'x_call_id', 1)],
                  [(0, 'x_call_id', 2), (1, 'x_call_id', 2)]])
    # A Call-ID that was used three times: the use that was up is meant.
    uses = [Leg('1@x', at, A, P, tag='u%d' % at).whole() for at in (0, 5000, 10000)]
    conversation(add, 'x_cid_reused', uses + [Leg('2@x', 5050, P, B).whole([('X-CID', '1@x')])],
                 [[], [(2, 'x_call_id', 1)], [(1, 'x_call_id', 2)], []])
    # The one that was up, although another one began nearer.
    uses = [Leg('1@x', 0, A, P, tag='u1').whole(hold=8000), Leg('1@x', 8200, A, P, tag='u2').whole()]
    conversation(add, 'x_cid_reused_near', uses + [Leg('2@x', 7900, P, B).whole([('X-CID', '1@x')], hold=100)],
                 [[(1, 'x_call_id', 0)], [(0, 'x_call_id', 1)], []])


def same_call_id(add):
    legs = [Leg('1@x', 0, A, P, tag='fa').whole(), Leg('1@x', 20, P, B, tag='fb').whole()]
    conversation(add, 'same_call_id', legs, pair('call_id'), **{'calls[0].findings.length': 0, 'calls[1].findings.length': 0})
    legs = [Leg('1@x', 0, A, P, tag='fa').whole(), Leg('1@x', 20, P, B, tag='fb').whole(), Leg('1@x', 25, P, Q, tag='fc').whole()]
    conversation(add, 'same_call_id_fork', legs, [[(1, 'call_id', 0), (2, 'call_id', 0)], [(0, 'call_id', 1), (2, 'call_id', 0)],
                                                  [(0, 'call_id', 2), (1, 'call_id', 0)]])
    legs = [Leg('1@x', 0, A, P, tag='fa').whole(), Leg('1@x', 20, '198.51.100.1', B, tag='fb').whole()]
    conversation(add, 'same_call_id_two_sides', legs, pair('call_id'))
    # Two phones that count their calls, to one server; and one leg after the other.
    legs = [Leg('1@x', 0, A, P, tag='fa').whole(), Leg('1@x', 20, S, P, tag='fb').whole()]
    conversation(add, 'same_call_id_phones', legs, NONE, **{'calls[1].findings[0].name': 'call_id_reused'})
    legs = [Leg('1@x', 0, A, P, tag='fa').whole(), Leg('1@x', 2000, P, B, tag='fb').whole()]
    conversation(add, 'same_call_id_later', legs, NONE, **{'calls[1].findings[0].name': 'call_id_reused'})


def sessions(add):
    def ids(local, remote=None):
        return [('Session-ID', local + (';remote=' + remote if remote else ''))]
    a, b, c = UUID['a'], UUID['b'], UUID['c']
    legs = [Leg('1@x', 0, A, P).whole(ids(a, NIL), ids(b, a)), Leg('2@x', 20, P, Q).whole(ids(a, NIL), ids(b, a)),
            Leg('3@x', 40, Q, B).whole(ids(b, a), ids(a, b))]
    conversation(add, 'session', legs, chain('session_id'))
    legs = [Leg('1@x', 0, A, P).whole(ids(a)), Leg('2@x', 20, P, B).whole(ids(a.upper()))]
    conversation(add, 'session_7329', legs, pair('session_id'))
    legs = [Leg('1@x', 0, A, P).whole(ids(a, b), ids(b, a)), Leg('2@x', 20, P, B).whole(ids(c, a))]
    conversation(add, 'session_one_uuid', legs, pair('session_id'))
    legs = [Leg('1@x', 0, A, P).whole(ids(NIL, NIL)), Leg('2@x', 20, P, B).whole(ids(NIL, NIL))]
    conversation(add, 'session_nil', legs, NONE)
    legs = [Leg('1@x', 0, A, P).whole(ids(a, NIL), ids(b, a)), Leg('2@x', 20, P, B).whole(ids(c, NIL), ids(UUID['d'], c))]
    conversation(add, 'session_other', legs, NONE)
    legs = [Leg('1@x', 0, A, P).whole(ids(a, b), ids(b, a)), Leg('2@x', 90000, P, B).whole(ids(a, b), ids(b, a))]
    conversation(add, 'session_later', legs, NONE)
    legs = [Leg('1@x', 0, A, P).whole(ids('a' * 31)), Leg('2@x', 20, P, B).whole(ids('a' * 31))]
    conversation(add, 'session_short', legs, NONE)


def replaced(add):
    for name, tags in (('', 'to-tag=t9;from-tag=f1'), ('_swapped', 'from-tag=t9;to-tag=f1'), ('_early', 'to-tag=t9;from-tag=f1;early-only')):
        legs = [Leg('1@x', 0, A, B, tag='f1'), Leg('2@x', 500, S, A).whole([('Replaces', '1@x;' + tags)])]
        legs[0].start().reply(200, sdp(B), to_tag='t9').ack()
        conversation(add, 'replaces' + name, legs, pair('replaces'))
    legs = [Leg('1@x', 0, A, B).whole(), Leg('2@x', 500, S, A).whole([('Join', '1@x;to-tag=tf1;from-tag=f1')])]
    conversation(add, 'join', legs, pair('replaces'))
    # Two calls share the Call-ID at one time: the tags tell which one is meant.
    legs = [Leg('1@x', 0, A, B, tag='one').whole(hold=5000), Leg('1@x', 10, A, B, tag='two').whole(hold=5000),
            Leg('2@x', 500, S, A).whole([('Replaces', '1@x;to-tag=tone;from-tag=one')])]
    conversation(add, 'replaces_by_tags', legs, [[(2, 'replaces', 0)], [], [(0, 'replaces', 2)]])


def referred(add):
    def refer(leg, to, by_a=True, more=()):
        leg.cseq += 1
        leg.request('REFER', by_a, extra=[('Refer-To', to)] + list(more)).reply(202)
        return leg

    def asked(to, new, by_a=True, legs=(), wanted=None, name='', more=()):
        first = Leg('1@x', 0, A, B)
        first.start().reply(200, sdp(B), to_tag='t1').ack()
        refer(first, to, by_a, more)
        first.t += 200 * MS
        first.bye().reply(200)
        conversation(add, 'refer' + name, [first, new] + list(legs), wanted or pair('refer'))
    # B asks A to call carol; A does.
    asked('<sip:carol@ex.com>', Leg('2@x', 100, A, S, called='carol@ex.com').whole(), False)
    asked('sip:carol@EX.com', Leg('2@x', 100, A, S, called='carol@ex.com').whole(), False, name='_bare')
    asked('<sip:carol@ex.com;method=INVITE>', Leg('2@x', 100, B, S, called='carol@ex.com').whole(), True, name='_by_caller')
    # Not the party that was asked; another target; too late.
    asked('<sip:carol@ex.com>', Leg('2@x', 100, B, S, called='carol@ex.com').whole(), False, wanted=NONE, name='_not_asked')
    asked('<sip:carol@ex.com>', Leg('2@x', 100, A, S, called='dave@ex.com').whole(), False, wanted=NONE, name='_other_target')
    asked('<sip:carol@ex.com>', Leg('2@x', 61000, A, S, called='carol@ex.com').whole(), False, wanted=NONE, name='_late')
    asked('<sip:carol@ex.com>', Leg('2@x', 100, A, S, called='c@10.9.9.9').whole([('Referred-By', '<sip:bob@ex.com>')]), False,
          name='_referred_by')
    # An attended transfer: A holds B, asks C, then sends B to C in place of itself.
    first, second = Leg('1@x', 0, A, B), Leg('2@x', 100, A, S, called='carol@ex.com', tag='f2')
    first.start().reply(200, sdp(B), to_tag='t1').ack()
    second.start().reply(200, sdp(S), to_tag='t2').ack()
    first.t = second.t
    refer(first, '<sip:carol@%s?Replaces=2%%40x%%3Bto-tag%%3Dt2%%3Bfrom-tag%%3Df2>' % S)
    third = Leg('3@x', 400, P, S, caller='bob@ex.com', called='carol@ex.com').whole([('Replaces', '2@x;to-tag=t2;from-tag=f2')])
    conversation(add, 'refer_attended', [first, second, third],
                 [[(1, 'replaces', 0), (2, 'refer', 0)], [(0, 'replaces', 1), (2, 'replaces', 1)], [(0, 'refer', 2), (1, 'replaces', 2)]])


def diverted(add):
    bob, carol = 'bob@ex.com', 'carol@ex.com'
    for name, headers in (('diversion', [('Diversion', '<sip:bob@10.0.0.1>;reason=no-answer;counter=1')]),
                          ('history', [('History-Info', '<sip:bob@ex.com?Reason=SIP%3Bcause%3D302>;index=1, <sip:carol@ex.com>;index=1.1')]),
                          ('history_lines', [('History-Info', '<sip:dave@ex.com>;index=1'), ('History-Info', '<sip:bob@ex.com>;index=1.1'),
                                             ('History-Info', '<sip:carol@ex.com>;index=1.1.1')])):
        conversation(add, name, [Leg('1@x', 0, A, P, called=bob).whole(), Leg('2@x', 100, P, S, called=carol).whole(headers)],
                     pair('diversion'))
    note = [('Diversion', '<sip:bob@ex.com>;reason=unconditional')]
    conversation(add, 'diversion_other_caller', [Leg('1@x', 0, A, P, called=bob).whole(),
                                                 Leg('2@x', 100, P, S, caller='eve@ex.com', called=carol).whole(note)], NONE)
    conversation(add, 'diversion_over', [Leg('1@x', 0, A, P, called=bob).whole(), Leg('2@x', 2000, P, S, called=carol).whole(note)], NONE)
    conversation(add, 'diversion_before', [Leg('2@x', 0, P, S, called=carol).whole(note), Leg('1@x', 100, A, P, called=bob).whole()], NONE)
    conversation(add, 'history_own_target', [Leg('1@x', 0, A, P, called=bob).whole(),
                                             Leg('2@x', 100, Q, S, called=bob).whole([('History-Info', '<sip:bob@ex.com>;index=1')])], NONE)


def origins(add):
    def leg(call_id, at, a, b, offer, answer=None, **more):
        t = Leg(call_id, at, a, b, **more)
        t.start(body=offer)
        return t.rest(body=answer or sdp(b, media(20000)))
    conversation(add, 'origin_of_offer', [leg('1@x', 0, A, P, origin(A, 10000, 77123)), leg('2@x', 20, P, B, origin(A, 10000, 77123, version=2))],
                 pair('sdp_origin'))
    conversation(add, 'origin_of_answer', [leg('1@x', 0, A, P, sdp(A), origin(B, 20000, 99)), leg('2@x', 20, P, B, sdp(P), origin(B, 20000, 99))],
                 pair('sdp_origin'))
    conversation(add, 'origin_chain', [leg('1@x', 0, A, P, origin(A, 10000, 5551)), leg('2@x', 20, P, Q, origin(A, 10000, 5551)),
                                       leg('3@x', 40, Q, B, origin(A, 10000, 5551))], chain('sdp_origin'))
    group = [leg('1@x', 0, A, P, origin(A, 10000, 5551))] + \
        [leg('%d@x' % n, 10 + n, P, '192.0.2.%d' % (30 + n), origin(A, 10000, 5551)) for n in range(2, 6)]
    conversation(add, 'origin_group', group, [[(n, 'sdp_origin', 0) for n in range(1, 5)]] +
                 [[(0, 'sdp_origin', n)] + [(k, 'sdp_origin', 0) for k in range(1, 5) if k != n] for n in range(1, 5)])
    conversation(add, 'origin_two_sides', [leg('1@x', 0, A, P, origin(A, 10000, 77)), leg('2@x', 20, '198.51.100.1', B, origin(A, 10000, 77))],
                 pair('sdp_origin'))
    conversation(add, 'origin_of_alike_two', [Leg('1@x', 0, A, P, 'a1@ex.com', 'b1@ex.com').start(body=origin(A, 10000, 77)).rest(),
                                              Leg('2@x', 20, '198.51.100.1', B, 'a2@ex.com', 'b2@ex.com').start(
                                                  body=origin(A, 10000, 77)).rest()], NONE)
    conversation(add, 'origin_of_alike', [leg('%d@x' % n, n, '10.0.0.%d' % n, P, origin(A, 10000, 4321)) for n in range(1, 3)], NONE)
    conversation(add, 'origin_one_host', [leg('%d@x' % n, n, '127.0.0.1', '127.0.0.1', origin(A, 10000, 53655765), ports=(40000 + n, 5060))
                                          for n in range(4)], [[]] * 4)
    # The B2BUA asks A for an offer and gives it to B.
    third = Leg('1@x', 0, P, A)
    third.start(body=b'').rest(body=origin(A, 10000, 77))
    conversation(add, 'origin_third_party', [third, leg('2@x', 30, P, B, origin(A, 10000, 77))], pair('sdp_origin'))
    for name, session in (('0', 0), ('1', 1)):
        conversation(add, 'origin_session_' + name, [leg('1@x', 0, A, P, origin(A, 10000, session, '-')),
                                                     leg('2@x', 20, P, B, origin(A, 10000, session, '-'))], NONE)
    conversation(add, 'origin_other_address', [leg('1@x', 0, A, P, origin(A, 10000, 77)), leg('2@x', 20, P, B, origin(P, 10000, 77))], NONE)
    conversation(add, 'origin_later', [leg('1@x', 0, A, P, origin(A, 10000, 77)), leg('2@x', 3000, P, B, origin(A, 10000, 77))], NONE)
    # A load generator: the same origin in each call, through a B2BUA that passes it on.
    load = []
    for n in range(3):
        load += [leg('a%d@x' % n, 20 * n, A, P, origin(A, 10000, 53655765, 'user1'), origin(B, 20000, 53655765, 'user1')),
                 leg('b%d@x' % n, 20 * n + 5, P, B, origin(A, 10000, 53655765, 'user1'), origin(B, 20000, 53655765, 'user1'))]
    conversation(add, 'origin_load', load, [[]] * 6)
    many = [leg('%d@x' % n, n, '10.0.0.%d' % (n + 1), '10.0.0.%d' % (n + 2), origin(A, 10000, 5551)) for n in range(40)]
    conversation(add, 'origin_everywhere', many, [[]] * 40)


def numbers(add):
    one, two = '442079460123@ex.com', '12025550199@ex.com'

    def leg(call_id, at, a, b, caller=one, called=two, **more):
        return Leg(call_id, at, a, b, caller, called, **more)
    guess = pair('number_and_time')
    conversation(add, 'number', [leg('1@x', 0, A, P).whole(), leg('2@x', 50, P, B, called='+1-202-555-0199@10.0.0.1').whole()], guess)
    conversation(add, 'number_prefix', [leg('1@x', 0, A, P).whole(), leg('2@x', 50, P, B, '02079460123@a', '0012025550199@b').whole()], guess)
    conversation(add, 'number_extension', [leg('1@x', 0, A, P, '201@x', '300@x').whole(), leg('2@x', 50, P, B, '201@y', '300@y').whole()], guess)
    conversation(add, 'number_ports', [leg('1@x', 0, A, P, ports=(5060, 5060)).whole(), leg('2@x', 50, P, B, ports=(5080, 5060)).whole()], guess)
    # A proxy stands before the B2BUA: its call was seen on both sides of it.
    first = leg('1@x', 0, A, Q).whole()
    first.out += [d._replace(t=d.t + MS, src=Q if d.src == A else P, dst=P if d.src == A else Q) for d in first.out]
    conversation(add, 'number_behind_proxy', [first, leg('2@x', 50, P, B).whole()], guess)
    conversation(add, 'number_chain', [leg('1@x', 0, A, P).whole(), leg('2@x', 50, P, Q).whole(), leg('3@x', 90, Q, B).whole()],
                 chain('number_and_time'))
    conversation(add, 'number_fork', [leg('1@x', 0, A, P).whole(), leg('2@x', 50, P, Q).whole(), leg('3@x', 55, P, B).whole()],
                 [[(1, 'number_and_time', 0), (2, 'number_and_time', 0)], [(0, 'number_and_time', 1), (2, 'number_and_time', 0)],
                  [(0, 'number_and_time', 2), (1, 'number_and_time', 0)]])
    conversation(add, 'number_dialler', [leg('0@x', 0, A, P).whole()] + [leg('%d@x' % n, 50 + n, P, B).whole() for n in range(1, 12)], [[]] * 12)
    conversation(add, 'number_nearest', [leg('1@x', 0, A, P).whole(hold=5000), leg('2@x', 1500, S, P).whole(hold=5000),
                                         leg('3@x', 1600, P, B).whole()],
                 [[], [(2, 'number_and_time', 1)], [(1, 'number_and_time', 2)]])
    conversation(add, 'number_unclear', [leg('1@x', 0, A, P).whole(hold=5000), leg('2@x', 30, S, P).whole(hold=5000),
                                         leg('3@x', 80, P, B).whole()], [[], [], []])
    conversation(add, 'number_unclear_close', [leg('1@x', 0, A, P).whole(hold=5000), leg('2@x', 100, S, P).whole(hold=5000),
                                               leg('3@x', 110, P, B).whole()], [[], [], []])
    # The second may have overtaken the first. Where each of many takes as long, none has; where they differ, any may.
    conversation(add, 'number_overtaken', [leg('1@x', 0, A, P).whole(), leg('2@x', 30, S, P).whole(), leg('3@x', 60, P, B).whole(),
                                           leg('4@x', 90, P, B).whole()], [[], [], [], []])
    for name, delays in (('in_order', [65] * 10), ('in_any_order', [65, 35, 95, 40, 91, 50, 81, 65, 35, 95])):
        times = sorted([(30 * n, n, 0) for n in range(10)] + [(30 * n + d, n, 1) for n, d in enumerate(delays)])
        calls = [leg('%d%d@x' % (n, out), at, P if out else A, B if out else P).whole() for at, n, out in times]
        place = {(n, out): i for i, (_, n, out) in enumerate(times)}
        conversation(add, 'number_' + name, calls, [[(place[n, 1 - out], 'number_and_time', i)] if name == 'in_order' else []
                                                    for i, (_, n, out) in enumerate(times)])
    refused = leg('1@x', 0, A, P)
    refused.start().reply(503).ack(failed=True)
    conversation(add, 'number_refused', [refused, leg('2@x', 100, S, P).whole(), leg('3@x', 150, P, B).whole()],
                 [[], [(2, 'number_and_time', 1)], [(1, 'number_and_time', 2)]])
    for name, second in (('other_called', leg('2@x', 50, P, B, called='12025550198@ex.com')), ('other_caller', leg('2@x', 50, P, B, '442079460124@ex.com')),
                         ('other_host', leg('2@x', 50, Q, B)), ('late', leg('2@x', 2100, P, B)), ('before', leg('2@x', 0, P, B)),
                         ('names', leg('2@x', 50, P, B, called='bob@ex.com'))):
        first = leg('1@x', 10 if name == 'before' else 0, A, P, called='bob@ex.com' if name == 'names' else two)
        conversation(add, 'number_' + name, [first.whole(hold=5000), second.whole()], NONE)
    # Better evidence at that host: the outgoing leg without the header belongs to nobody.
    conversation(add, 'number_and_proof', [leg('1@x', 0, A, P).whole(), leg('2@x', 50, P, B).whole([('X-CID', '1@x')]), leg('3@x', 90, P, Q).whole()],
                 [[(1, 'x_call_id', 0)], [(0, 'x_call_id', 1)], []])
    # A B2BUA on one host, told by its ports; and a load that calls the same number on one host.
    here = '127.0.0.1'
    conversation(add, 'number_one_host', [leg('1@x', 0, here, here, ports=(5060, 5080)).whole(), leg('2@x', 50, here, here, ports=(5080, 5090)).whole()], guess)
    conversation(add, 'number_load_one_host', [leg('%d@x' % n, n * 5, here, here, ports=(5061, 5060)).whole() for n in range(30)], [[]] * 30)


def load(add):
    """Three hundred calls of one number through a B2BUA, faster than it hands them on: pairs in the order of time."""
    count, legs, wanted = 300, [], {}
    order = []
    for n in range(count):
        for leg in (Leg('a%d@x' % n, 10 * n, A, P, '4420@x', '3300@x'), Leg('b%d@x' % n, 10 * n + 45, P, B, '4420@x', '3300@x')):
            legs.append(leg.whole(hold=3000))
            order.append((leg.out[0].t, leg.call_id))
    ids = [call_id for _, call_id in sorted(order)]
    for n in range(count):
        a, b = ids.index('a%d@x' % n), ids.index('b%d@x' % n)
        wanted[a], wanted[b] = [(b, 'number_and_time', a)], [(a, 'number_and_time', b)]
    conversation(add, 'number_load', legs, [wanted[n] for n in range(2 * count)])
    # The B2BUA drops some: no pair is certain, and nothing clumps.
    legs = [leg for n, leg in enumerate(legs) if n % 2 == 0 or n % 7 != 3]
    conversation(add, 'number_load_dropped', legs, [[]] * len(legs))


def other_kinds(add):
    """Only calls are legs."""
    session = [('Session-ID', UUID['a'] + ';remote=' + UUID['b']), ('X-CID', '2@x')]
    out = Talk('1@x', a=A, b=P).request('REGISTER', uri='sip:ex.com', extra=session).reply(200).out
    out += Talk('2@x', at=50 * MS, a=P, b=B, tag='f2').request('OPTIONS', extra=session).reply(200).out
    out += Leg('3@x', 100, P, B).whole(session).out
    add('legs_other_kinds.pcap', pcap(records(out)), calls=3, also={'calls[%d].legs' % n: None for n in range(3)})


def cases(add):
    for part in (call_ids, same_call_id, sessions, replaced, referred, diverted, origins, numbers, load, other_kinds):
        part(add)
