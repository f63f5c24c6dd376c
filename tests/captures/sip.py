"""SIP messages and the call that most captures hold: INVITE, 100, 180, 200, ACK, BYE, 200 at 20 ms."""
from frames import D, MS, is_v6

A, B = '192.0.2.10', '192.0.2.20'
A6, B6 = '2001:db8::10', '2001:db8::20'

REASONS = {100: 'Trying', 180: 'Ringing', 183: 'Session Progress', 200: 'OK', 202: 'Accepted', 401: 'Unauthorized',
           407: 'Proxy Authentication Required', 481: 'Call Does Not Exist', 487: 'Request Terminated'}
MAPS = {0: 'PCMU/8000', 8: 'PCMA/8000', 9: 'G722/8000', 13: 'CN/8000', 18: 'G729/8000', 101: 'telephone-event/8000'}


def host(address):
    return '[%s]' % address if is_v6(address) else address


def media(port, types=(0, 101), kind='audio', lines=()):
    """One media line. types: payload types, or (type, 'name/clock')."""
    pairs = [t if isinstance(t, tuple) else (t, MAPS.get(t)) for t in types]
    out = ['m=%s %d RTP/AVP %s' % (kind, port, ' '.join(str(t) for t, _ in pairs))]
    return out + list(lines) + ['a=rtpmap:%d %s' % (t, name) for t, name in pairs if name]


def sdp(address, *medias, session_c=True, eol='\r\n'):
    family = 'IP6' if is_v6(address) else 'IP4'
    lines = ['v=0', 'o=- 1 1 IN %s %s' % (family, address), 's=-']
    lines += ['c=IN %s %s' % (family, address)] if session_c else []
    lines.append('t=0 0')
    for m in medias or (media(10000),):
        lines += m
    return eol.join(lines + ['']).encode()


def message(first, headers, body=b'', length=None):
    """headers: (name, value) in order. Content-Length is added unless length is False."""
    lines = [first] + ['%s: %s' % h for h in headers]
    if length is not False:
        lines.append('Content-Length: %s' % (len(body) if length is None else length))
    return '\r\n'.join(lines + ['', '']).encode('utf-8', 'surrogateescape') + body


class Talk:
    """Messages of one Call-ID between two ends; each method adds one and moves the clock on by self.step."""

    def __init__(self, call_id='c1@x', at=0, a=A, b=B, tag='f1', step=20 * MS, ports=(5060, 5060)):
        self.call_id, self.t, self.a, self.b, self.tag, self.step, self.ports = call_id, at, a, b, tag, step, ports
        self.to_tag, self.cseq, self.branches, self.out, self.last = '', 1, 0, [], None

    # --- What a message is made of -------------------------------------------------------------------------------
    def dialog(self, by_a, method, to_tag=None):
        near, far = '<sip:alice@ex.com>;tag=' + self.tag, '<sip:bob@ex.com>'
        tag = self.to_tag if to_tag is None else to_tag
        far += ';tag=' + tag if tag else ''
        return (near, far) if by_a else (far, near)

    def body_headers(self, body, kind):
        return [('Content-Type', kind)] if body else []

    def send(self, by_a, data, gap=None):
        src, dst = (self.a, self.b) if by_a else (self.b, self.a)
        sport, dport = self.ports if by_a else self.ports[::-1]
        self.out.append(D(self.t, src, dst, sport, dport, data))
        self.t += self.step if gap is None else gap
        return self

    # --- What can be said ----------------------------------------------------------------------------------------
    def request(self, method, by_a=True, body=b'', cseq=None, branch=None, extra=(), kind='application/sdp', gap=None,
                uri='sip:bob@ex.com', length=None, same_branch=False, to_tag=None):
        if cseq is None:
            cseq = self.cseq
        if not same_branch:
            self.branches += 1
        branch = branch or 'z9hG4bK%s%d' % (self.tag, self.branches)
        src = self.a if by_a else self.b
        frm, to = self.dialog(by_a, method, to_tag)
        self.last = (method, cseq, branch, by_a)
        headers = [('Via', 'SIP/2.0/UDP %s:%d;branch=%s' % (host(src), self.ports[0 if by_a else 1], branch)),
                   ('Max-Forwards', '70'), ('From', frm), ('To', to), ('Call-ID', self.call_id),
                   ('CSeq', '%d %s' % (cseq, method)), ('Contact', '<sip:u@%s:5060>' % host(src))]
        return self.send(by_a, message('%s %s SIP/2.0' % (method, uri), headers + list(extra) +
                                       self.body_headers(body, kind), body, length), gap)

    def invite(self, body=None, **more):
        self.to_tag = more.pop('in_dialog', '')
        return self.request('INVITE', body=sdp(self.a) if body is None else body, **more)

    def reply(self, code, body=b'', reason=None, to_tag='t1', extra=(), to=None, gap=None):
        """Answers the last request, or `to` = (method, cseq, branch, by_a)."""
        method, cseq, branch, by_a = to or self.last
        if code > 100 and method == 'INVITE' and code < 300:
            self.to_tag = to_tag
        frm, far = self.dialog(by_a, method, to_tag if code > 100 and by_a else None)
        src = self.a if by_a else self.b
        headers = [('Via', 'SIP/2.0/UDP %s:%d;branch=%s' % (host(src), self.ports[0 if by_a else 1], branch)),
                   ('From', frm), ('To', far), ('Call-ID', self.call_id), ('CSeq', '%d %s' % (cseq, method)),
                   ('Contact', '<sip:u@%s:5060>' % host(self.b if by_a else self.a))]
        reason = REASONS.get(code, 'Because') if reason is None else reason
        return self.send(not by_a, message('SIP/2.0 %d %s' % (code, reason), headers + list(extra) +
                                           self.body_headers(body, 'application/sdp'), body), gap)

    def ok(self, body=None, **more):
        return self.reply(200, sdp(self.b, media(20000)) if body is None else body, **more)

    def ack(self, failed=False, to_tag=None, gap=None):
        """Of a failure: the INVITE's branch (RFC 3261 17.1.1.3)."""
        _, cseq, branch, by_a = self.last
        return self.request('ACK', by_a=by_a, cseq=cseq, branch=branch if failed else None, to_tag=to_tag or
                            ('t1' if failed else None), gap=gap)

    def bye(self, by_a=True, **more):
        self.cseq += 1
        return self.request('BYE', by_a=by_a, **more)

    def again(self, back=1, gap=None):
        """A retransmission of the message `back` steps ago."""
        d = self.out[-back]
        self.out.append(d._replace(t=self.t))
        self.t += self.step if gap is None else gap
        return self


def answered(call_id='c1@x', offer=None, answer=None, **more):
    """INVITE, 100, 180, 200, ACK."""
    t = Talk(call_id, **more)
    return t.invite(offer).reply(100).reply(180).ok(answer).ack()


def base(call_id='c1@x', **more):
    return answered(call_id, **more).bye().reply(200).out


def base6():
    return base(a=A6, b=B6)
