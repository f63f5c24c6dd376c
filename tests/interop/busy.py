#!/usr/bin/env python3
"""A carrier with twenty thousand calls at once: read right, quickly, in bounded memory; and its statistics are those
that its messages give.

usage: busy.py PROGRAM [CALLS]        last line: N passed, N failed"""
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone

sys.dont_write_bytecode = True

import tally
from tally import check

program, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000

# Not smaller: other work on the machine must not fail it. Not larger: people wait for the page.
SECONDS_MAX = 60
# What a call with two streams may take, and all else. Measured: 76 MB for 20,000 calls.
BYTES_PER_CALL, BYTES_OF_ALL = 8000, 100e6


def run(out, *arguments):
    """Writes its output to a file; its exit status, how long it took, and how much memory."""
    begin = time.monotonic()
    with open(out, 'wb') as file:
        child = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.monotonic() - begin, usage.ru_maxrss * 1024


def measured(folder, name, *arguments):
    """The path of its output. Before anything is loaded here: a child begins with the memory of its parent."""
    out = os.path.join(folder, name)
    status, seconds, memory = run(out, *arguments)
    print('# %s: %.1f s, %.0f MB' % (name, seconds, memory / 1e6))
    check(name + '_is_read', status == 0, status)
    check(name + '_in_time', seconds < SECONDS_MAX, seconds)
    check(name + '_in_bounded_memory', memory < BYTES_OF_ALL + calls * BYTES_PER_CALL, memory)
    return out


def load(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def ns_of(text):
    whole, fraction = text.rstrip('Z').split('.')
    at = datetime.strptime(whole, '%Y-%m-%dT%H:%M:%S').replace(tzinfo=timezone.utc)
    return int(at.timestamp()) * 10 ** 9 + int(fraction)


def ranked(values, percent):
    """Nearest rank: the smallest value that at least so many percent are not above."""
    values = sorted(values)
    return values[max(-(-len(values) * percent // 100), 1) - 1]


def times_of(messages):
    """Of each Call-ID, from its messages alone: post-dial delay, setup, talk, in nanoseconds; and the first minutes."""
    seen = {}
    for line in messages:
        message = json.loads(line)
        if 'capture' not in message:
            what = message['request']['method'] if 'request' in message else \
                '%d %s' % (message['response']['code'], message['cseq'].split()[1])
            seen.setdefault(message['call_id'], {}).setdefault(what, ns_of(message['time']))
    pdd = [m['180 INVITE'] - m['INVITE'] for m in seen.values()]
    setup = [m['200 INVITE'] - m['INVITE'] for m in seen.values()]
    talk = [m['BYE'] - m['200 INVITE'] for m in seen.values()]
    minutes = {}
    for m in seen.values():
        minutes[m['INVITE'] // (60 * 10 ** 9)] = minutes.get(m['INVITE'] // (60 * 10 ** 9), 0) + 1
    return pdd, setup, talk, minutes


def check_calls(report):
    capture, all_calls, streams = report['capture'], report['calls'], report['streams']
    check('ledger', capture['packets'] == capture['analysed'] == calls * 107 and capture['complete'], capture)
    check('calls', len(all_calls) == calls and all(c['state'] == 'ended' and c['messages'] == 7 and len(c['streams']) == 2
                                                   and c['retransmissions'] == c['duplicates'] == 0 for c in all_calls))
    check('streams', len(streams) == 2 * calls and all(s['packets'] == s['unique'] == s['expected'] == 50 for s in streams))
    check('nothing_lost', all(s['lost'] == s['duplicates'] == s['reordered'] == s['discarded'] == 0 for s in streams))
    check('no_legs', not any('legs' in c for c in all_calls))
    found = [f['name'] for item in all_calls + streams for f in item['findings']]
    check('no_findings', not found, found[:5])


def check_total(total, pdd, setup, talk):
    check('asr_is_100', total['calls'] == total['answered'] == calls and total['asr_percent'] == total['ner_percent']
          == total['ser_percent'] == total['seer_percent'] == 100, total)
    check('acd_is_that_of_the_messages', total['talk_count'] == calls and round(total['talk_ms'] * 1e6) == sum(talk)
          and round(total['acd_ms'] * 1e6) == sum(talk) // calls, (total['acd_ms'], sum(talk) / calls))
    for name, values in (('pdd', pdd), ('setup', setup)):
        have = [round(total['%s_%s_ms' % (name, rank)] * 1e6) for rank in ('p50', 'p95', 'p99', 'max')]
        want = [ranked(values, percent) for percent in (50, 95, 99, 100)]
        check(name + '_percentiles_are_those_of_the_messages', have == want and total[name + '_count'] == calls, (have, want))
    check('media_add_up', total['streams'] == 2 * calls and total['packets'] == total['expected'] == 100 * calls
          and total['lost'] == 0 and total['mos_count'] == 2 * calls)


def check_stats(report, stats, messages):
    pdd, setup, talk, minutes = times_of(messages)
    check_total(stats['total'], pdd, setup, talk)
    methods = {m['method']: (m['requests'], m['request_retransmissions'], m['responses']) for m in stats['methods']}
    check('methods', methods == {'INVITE': (calls, 0, 3 * calls), 'ACK': (calls, 0, 0), 'BYE': (calls, 0, calls)}, methods)
    codes = {c['code']: (c['responses'], c['calls']) for c in stats['codes']}
    check('codes', codes == {100: (calls, 0), 180: (calls, 0), 200: (2 * calls, calls)}, codes)
    have = {ns_of(b['start']) // (60 * 10 ** 9): b['calls'] for b in stats['buckets'] if b['calls']}
    check('buckets_are_those_of_the_messages', have == minutes and stats['series']['peak_calls'] == max(minutes.values()), have)
    sums = {}
    for stream in report['streams']:
        for key, end in (('sent', 'src'), ('received', 'dst')):
            address = stream[end].rsplit(':', 1)[0]
            sums.setdefault(address, {'sent': 0, 'received': 0})[key] += stream['bytes']
    have = {a['address']: {'sent': a['media_sent_bytes'], 'received': a['media_received_bytes']} for a in stats['addresses']
            if a['streams']}
    check('addresses_have_their_media', have == sums, len(have))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'busy.pcap')
        made = run(os.devnull, 'gen', 'carrier', '--quiet', '--calls', str(calls), '--concurrency', str(calls), '--call-ids', '0',
                   '--stream-pairs', '0', '--out', path)
        check('is_written', made[0] == 0, made)
        report = measured(folder, 'report', 'read', '--json', path)
        stats = measured(folder, 'stats', 'read', '--stats', '--json', path)
        groups = measured(folder, 'groups', 'read', '--stats', '--json', '--group-by', 'from_user', path)
        measured(folder, 'page', 'read', '--stats', path)
        messages = measured(folder, 'messages', 'read', '--json', '--messages', path)
        report, stats, groups = load(report), load(stats)['stats'], load(groups)['stats']['groups']
        check_calls(report)
        with open(messages, encoding='utf-8') as lines:
            check_stats(report, stats, lines)
        check('groups_add_up', sum(g['calls'] for g in groups) == calls and sum(g['streams'] for g in groups) == 2 * calls)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
