#!/usr/bin/env python3
"""Real captures of other projects, read by the program and held against what tshark and a plain walk said of them.

usage: truth.py PROGRAM FOLDER        last line: N passed, N failed[, N skipped]

FOLDER has captures and truth/NAME.txt for each. The captures belong to others and are not part of the project: where
the folder is missing, everything is skipped. Checked of each: counts of packets, times, the ledger, SIP messages in all
and for each Call-ID by method and code, RTCP, every stream by its own sequence walk, by tshark's jitter and longest delta and
by what the analyser of rtpproxy printed, where it is of that project, and each call as a person judged it (truth_calls.py). A difference stands in DIFFERENCES with what we say and why; the value is
pinned, so one that changes, or goes away, fails. docs/captures.md tells the same in words."""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

from truth_calls import CALLS
from truth_differences import DIFFERENCES

WALK = re.compile(r'^(\S+) -> (\S+) ssrc=(0x[0-9A-F]{8}) packets=(\d+) unique_seq=(\d+) expected=(\d+) missing=(-?\d+) '
                  r'duplicates=(\d+) late_or_reordered=(\d+) jumps>3000=\d+ pt=(\S+)', re.M)
RTPPROXY = re.compile(r'^pcount=(\d+), min_seq=\d+, max_seq=\d+, seq_offset=0, ssrc=(0x[0-9A-F]{8}), duplicates=(\d+)\n'
                      r'ssrc_changes=1, psent=(\d+), precvd=\d+, plost=(\d+)\n'
                      r'last_jitter=[\d.]+,average_jitter=([\d.]+),max_jitter=([\d.]+)$', re.M)
RTPPROXY_SLACK_MS = 0.02  # it cuts arrivals to whole ticks of 0.125 ms
PER_CALL_ID = re.compile(r'^(.*)\t(\d+)\t(\S.*)$')
TSHARK_SSRC = re.compile(r'\s(0x[0-9A-F]{8})\s')
METHOD_CUT = 30  # bytes of a method that the truth files keep


def section(text, title):
    """The lines after a heading that starts so, up to the next empty line."""
    at = text.find('\n## ' + title)
    if at < 0:
        return []
    body = text[text.index('\n', at + 1) + 1:]
    return body[:body.index('\n\n')].split('\n') if '\n\n' in body else body.split('\n')


def endpoint(host, port):
    return '[%s]:%s' % (host, port) if ':' in host else '%s:%s' % (host, port)


def tshark_streams(text):
    """(src, dst, ssrc) -> (mean jitter, maximum, longest delta) of rtp,streams."""
    found = {}
    for line in text.split('\n'):
        match = TSHARK_SSRC.search(line)
        fields = line.split()
        if match and len(fields) > 14 and re.match(r'^[\d.]+$', fields[0]):
            src, dst = endpoint(fields[2], fields[3]), endpoint(fields[4], fields[5])
            numbers = fields[:-1] if fields[-1] == 'X' else fields
            found[(src, dst, match.group(1))] = (float(numbers[-2]), float(numbers[-1]), numbers[-4])
    return found


def noise(match):
    """The same number again and again is no RTP: DNS and NetBIOS with a version 2 in their first bits."""
    return int(match.group(5)) == 1


def plain(seconds):
    """1120469540.839312000 as capinfos gives it, without closing zeros."""
    return seconds.rstrip('0').rstrip('.')


def unix(stamp):
    """RFC 3339 to seconds as text, digit by digit."""
    import calendar
    import time
    whole, fraction = stamp.rstrip('Z').split('.')
    return plain('%d.%s' % (calendar.timegm(time.strptime(whole, '%Y-%m-%dT%H:%M:%S')), fraction))


def call_ids(text):
    """Call-ID -> methods and codes as text, sorted."""
    found = collections.OrderedDict()
    for line in section(text, 'per Call-ID'):
        match = PER_CALL_ID.match(line)
        if match:
            key = '' if match.group(1) == '(no Call-ID)' else match.group(1)
            found[key] = ' '.join(sorted(match.group(3).split()))
    return found


def run(program, arguments):
    done = subprocess.run([program, 'read'] + arguments, capture_output=True, timeout=120)
    return done.stdout.decode('utf-8', 'replace'), done.returncode


def our_call_ids(lines):
    found = collections.defaultdict(collections.Counter)
    for line in lines:
        message = json.loads(line)
        if 'call_id' in message or 'request' in message or 'response' in message:
            what = message.get('request', {}).get('method') or str(message.get('response', {}).get('code', '?'))
            found[message.get('call_id', '')][what[:METHOD_CUT]] += 1
    return {key: ' '.join(sorted('%s:%d' % pair for pair in counter.items())) for key, counter in found.items()}


def call_text(call):
    """One line for a call: what a person can judge from a list of its messages."""
    words = [call['kind'], call['state'], str(call.get('final_code', '-')),
             'messages=%d' % call['messages'], 'again=%d' % call['retransmissions'], 'attempts=%d' % call['attempts']]
    words += ['%s=%s' % (name, call[name + '_ms']) for name in ('trying', 'pdd', 'setup', 'duration')
              if name + '_ms' in call]
    if 'ended_by' in call:
        words.append('by=' + call['ended_by'])
    if 'dtmf' in call:
        words.append('dtmf=' + call['dtmf'])
    if call.get('registration', {}).get('contacts'):
        words.append('expires=' + ','.join(str(c.get('expires_s', '-')) for c in call['registration']['contacts']))
    return ' '.join(words)


def check_capture(text, report):
    ours = report['capture']
    yield 'packets', re.search(r'Number of packets: +(\d+)', text).group(1), str(ours['packets'])
    for name in ('first', 'last'):
        want = re.search(r'%s packet time: +([\d.]+)' % name.capitalize(), text).group(1)
        yield name, plain(want), unix(ours[name])
    yield 'ledger', str(ours['packets']), str(ours['analysed'] + sum(ours['not_analysed'].values()))
    counts = dict(pair.split('=', 1) for pair in section(text, 'other counts')[0].split() if '=' in pair)
    yield 'rtcp', counts.get('rtcp', '0'), str(ours['rtcp_packets'])


def check_sip(text, report, lines):
    want = re.search(r'start_lines=(\d+)', text).group(1)
    yield 'sip', want, str(report['capture']['sip_messages'])
    theirs, ours = call_ids(text), our_call_ids(lines)
    for i, (key, methods) in enumerate(theirs.items()):
        yield 'call_id[%d]' % i, methods, ours.get(key, 'none')
    yield 'other_call_ids', '0', str(len(set(ours) - set(theirs)))


def check_streams(text, report):
    ours = {(s['src'], s['dst'], s['ssrc']): s for s in report['streams']}
    walked = set()
    for i, match in enumerate(m for m in WALK.finditer(text) if not noise(m)):
        sides = [endpoint(*side.rsplit(':', 1)) for side in match.groups()[:2]]
        key = (sides[0], sides[1], match.group(3))
        walked.add(key)
        got = ours.get(key)
        names = ('packets', 'unique', 'expected', 'lost', 'duplicates', 'reordered')
        yield 'stream[%d]' % i, ' '.join(match.groups()[3:9]), \
            ' '.join(str(got[name]) for name in names) if got else 'none'
        types = sorted(int(pair.split(':')[0]) for pair in match.group(10).split(','))
        yield 'types[%d]' % i, str(types), str(got['payload_types']) if got else 'none'
    yield 'other_streams', '0', str(len(set(ours) - walked))
    for i, (key, (mean, most, delta)) in enumerate(tshark_streams(text).items()):
        got = ours.get(key)
        if got:
            yield 'delta[%d]' % i, delta, '%.3f' % got.get('delta_max_ms', 0)
        if got and 'jitter_ms' in got:
            yield 'jitter[%d]' % i, '%.3f %.3f' % (mean, most), '%.3f %.3f' % (got['jitter_ms'], got['jitter_max_ms'])


def check_rtpproxy(text, report):
    """What the analyser of rtpproxy printed of the same capture, of one or both directions of a call; jitter in ticks."""
    ours = {s['ssrc']: s for s in report['streams']}
    blocks = [match.groups() for match in RTPPROXY.finditer(text) if match.group(2) in ours]
    if "## rtpproxy's own" in text:
        yield 'rtpproxy', 'found', 'found' if blocks else 'none'
    for i, (unique, ssrc, duplicates, expected, lost, mean, most) in enumerate(blocks):
        got = ours[ssrc]
        yield 'rtpproxy[%d]' % i, ' '.join((unique, duplicates, expected, lost)), \
            ' '.join(str(got[name]) for name in ('unique', 'duplicates', 'expected', 'lost'))
        want = [float(ticks) / got['clock_hz'] * 1000 for ticks in (mean, most)]
        have = [got['jitter_ms'], got['jitter_max_ms']]
        near = all(abs(a - b) < RTPPROXY_SLACK_MS for a, b in zip(want, have))
        texts = ['%.3f %.3f' % tuple(pair) for pair in (want, have)]
        yield 'rtpproxy_jitter[%d]' % i, texts[0], texts[0] if near else texts[1]


def close(want, got):
    """Equal; jitter within 1.5 us, which is how far apart rounding to microseconds can bring it."""
    if want == got:
        return True
    try:
        pairs = list(zip(map(float, want.split()), map(float, got.split())))
    except ValueError:
        return False
    return '.' in want and len(pairs) == 2 and all(abs(a - b) < 0.0015 for a, b in pairs)


def check_calls(name, report):
    for i, want in enumerate(CALLS.get(name, [])):
        got = call_text(report['calls'][i]) if i < len(report['calls']) else 'none'
        yield 'call[%d]' % i, want, got
    if name in CALLS:
        yield 'calls', str(len(CALLS[name])), str(len(report['calls']))


def check_file(program, folder, name):
    path = os.path.join(folder, name)
    with open(os.path.join(folder, 'truth', name + '.txt'), encoding='utf-8', errors='replace') as file:
        text = file.read()
    output, status = run(program, ['--json', path])
    if status != 0:
        return name, [('exit', '0', str(status))]
    report = json.loads(output)
    lines = run(program, ['--json', '--messages', path])[0].split('\n')
    lines = [line for line in lines if line.startswith('{"time"')]
    found = list(check_capture(text, report)) + list(check_sip(text, report, lines))
    found += list(check_streams(text, report)) + list(check_rtpproxy(text, report))
    return name, found + list(check_calls(name, report))


class Count:
    """What a check came to, by DIFFERENCES."""

    def __init__(self):
        self.passed, self.failed, self.skipped, self.used = 0, 0, 0, set()

    def fail(self, text):
        self.failed += 1
        print('FAIL ' + text)

    def add(self, name, what, want, got):
        key = (name, what)
        if key not in DIFFERENCES:
            if close(want, got):
                self.passed += 1
            else:
                self.fail('%s %s: %s, not %s' % (name, what, got, want))
            return
        self.used.add(key)
        pinned, _ = DIFFERENCES[key]
        if close(want, got):
            self.fail('%s %s: no difference now; take it off the list' % key)
        elif pinned is not None and got != pinned:
            self.fail('%s %s: %s, not the known %s (truth: %s)' % (name, what, got, pinned, want))
        else:
            self.passed += 1


def main():
    program, folder = sys.argv[1:3]
    truth = os.path.join(folder, 'truth')
    if not os.path.isdir(truth):
        print('skip: %s is not there' % truth)
        print('0 passed, 0 failed, 1 skipped')
        return 0
    names = sorted(name[:-4] for name in os.listdir(truth) if name.endswith('.txt'))
    count = Count()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, checks in pool.map(lambda name: check_file(program, folder, name), names):
            for what, want, got in checks:
                count.add(name, what, want, got)
    for key in sorted(set(DIFFERENCES) - count.used):
        count.fail('%s %s: a known difference that nothing checks' % key)
    print('%d passed, %d failed' % (count.passed, count.failed) +
          (', %d skipped' % count.skipped if count.skipped else ''))
    return 1 if count.failed else 0


if __name__ == '__main__':
    sys.exit(main())
