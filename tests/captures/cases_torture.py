"""The messages of RFC 4475 and RFC 5118, each in a datagram and each on a connection with another message behind it.

They are not part of the source: they are looked for in $SIDETONE_SHARED/torture, else in ../shared/torture; where they
are missing there are no such cases. What is odd about each is tested by tests/unit/sip_torture.c."""
import os

from files import pcap, records
from frames import MS, D
from sip import A, B
from streams import Connection, ask

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(os.environ.get('SIDETONE_SHARED') or os.path.join(ROOT, '../shared'), 'torture')
NOT_SIP = {'rfc4475-test'}
# Nothing says where these end: their Content-Length is plausible and more than there is, or their headers have no end.
ENDLESS = {'rfc4475-clerr', 'rfc5118-ipv6-in-sdp', 'rfc4475-baddn'}
TWO = {'rfc4475-dblreq'}


def messages():
    names = sorted(name[:-4] for name in os.listdir(FOLDER) if name.endswith('.dat')) if os.path.isdir(FOLDER) else []
    for name in names:
        if name not in NOT_SIP:
            with open(os.path.join(FOLDER, name + '.dat'), 'rb') as file:
                yield name, file.read()


def cases(add):
    found = list(messages())
    if not found:
        return
    datagrams = [D(i * 20 * MS, A, B, 5060, 5060, data) for i, (_, data) in enumerate(found)]
    add('torture_udp.pcap', pcap(records(datagrams)), sip=len(found), streams=0,
        also={'capture.packets': len(found), 'capture.analysed': len(found)})
    segments, count, also = [], 0, {}
    for i, (name, data) in enumerate(found):
        if name in ENDLESS:
            continue
        behind = '%s@behind' % name
        c = Connection(at=i * 1000 * MS, a=(A, 20000 + i)).open().say(data + ask('OPTIONS', behind)).close()
        segments += c.out
        count += 3 if name in TWO else 2
        also['calls[%s].messages' % behind] = 1
    add('torture_tcp.pcap', pcap(records(segments)), sip=count, streams=0,
        also=dict(also, **{'capture.packets': len(segments), 'capture.analysed': len(segments)}))
