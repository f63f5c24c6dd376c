#!/usr/bin/env python3
"""The carrier capture read back: every call, every stream, nothing lost, the same report for every number of cores.

usage: carrier.py PROGRAM [CALLS]        last line: N passed, N failed"""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check

program, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5000


def run(*arguments):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=240)


def off(items, **wanted):
    """The first item whose fields are not as wanted."""
    for item in items:
        got = {key: item.get(key) for key in wanted}
        if got != wanted:
            return got
    return None


def check_report(name, report, call_ids):
    capture = report['capture']
    check(name + '_ledger', capture['packets'] == capture['analysed'] == calls * 107 and capture['complete']
          and capture['sip_messages'] == calls * 7 and capture['rtp_packets'] == calls * 100, capture)
    check(name + '_calls', len(report['calls']) == calls
          and len({call['call_id'] for call in report['calls']}) == call_ids, len(report['calls']))
    wrong = off(report['calls'], state='ended', final_code=200, messages=7, retransmissions=0, duplicates=0, attempts=1)
    check(name + '_calls_are_whole', not wrong, wrong)
    check(name + '_streams', len(report['streams']) == 2 * calls, len(report['streams']))
    wrong = off(report['streams'], codec='PCMU', packets=50, unique=50, expected=50, lost=0, duplicates=0, reordered=0,
                too_late=0)
    check(name + '_streams_are_whole', not wrong, wrong)
    quiet_room = [s for s in report['streams'] if s['findings'] or s['encrypted'] or s['audio']['packets'] != 50
                  or s['audio']['silent_packets'] or s['audio']['clipped_packets'] or not -50 < s['audio']['level_dbov'] < -40]
    check(name + '_streams_sound_like_a_quiet_room', not quiet_room, quiet_room[:1])
    pairs = [(index, stream.get('call')) for index, stream in enumerate(report['streams'])]
    linked = all(call is not None and index in report['calls'][call]['streams'] for index, call in pairs)
    check(name + '_streams_have_their_calls', linked and all(len(call['streams']) == 2 for call in report['calls']))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, pools, call_ids in (('shared', [], min(calls, 100)),
                                      ('own', ['--call-ids', '0', '--stream-pairs', '0'], calls)):
            path = os.path.join(folder, name + '.pcap')
            made = run('gen', 'carrier', '--calls', str(calls), '--out', path, *pools)
            check(name + '_is_written', made.returncode == 0, made.stderr)
            reads = [run('read', '--json', '--cores', cores, path) for cores in ('1', '2', '5')]
            check(name + '_is_read', all(r.returncode == 0 and not r.stderr for r in reads), reads[0].stderr[-500:])
            check(name + '_same_for_every_number_of_cores', len({r.stdout for r in reads}) == 1)
            check_report(name, json.loads(reads[0].stdout), call_ids)
            os.unlink(path)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
