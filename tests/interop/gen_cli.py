#!/usr/bin/env python3
"""`sidetone gen carrier` as a user meets it: bytes, exit statuses, what tshark says of the capture.

usage: gen_cli.py PROGRAM        last line: N passed, N failed[, N skipped]"""
import collections
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check

SMALL = ['--calls', '40', '--rtp-per-call', '20', '--concurrency', '5', '--call-ids', '5', '--stream-pairs', '5']
program = sys.argv[1]


def gen(*arguments, **options):
    return subprocess.run([program, 'gen', 'carrier', *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, **options)


def check_bytes(folder):
    first, second = (os.path.join(folder, name) for name in ('first.pcap', 'second.pcap'))
    runs = [gen(*SMALL, '--out', path) for path in (first, second)]
    hashes = [hashlib.sha256(open(path, 'rb').read()).hexdigest() for path in (first, second)]
    check('same_arguments_same_bytes', [r.returncode for r in runs] == [0, 0] and hashes[0] == hashes[1])
    piped = gen(*SMALL, '--out', '-')
    check('standard_output_same_bytes', hashlib.sha256(piped.stdout).hexdigest() == hashes[0])
    other = gen(*SMALL, '--seed', '2', '--out', '-')
    check('other_seed_other_bytes', hashlib.sha256(other.stdout).hexdigest() != hashes[0])
    check('file_is_replaced', gen(*SMALL, '--out', second).returncode == 0
          and hashlib.sha256(open(second, 'rb').read()).hexdigest() == hashes[0])
    return first


def check_statuses(folder):
    out = os.path.join(folder, 'never.pcap')
    cases = [
        ('no_arguments_is_usage', [], 2, 'missing'),
        ('unknown_option_is_usage', ['--bogus', '--out', out], 2, 'bogus'),
        ('mistyped_option_names_the_nearest', ['--call', '1', '--out', out], 2, "'--calls'"),
        ('missing_value_is_usage', ['--calls'], 2, 'calls'),
        ('word_is_no_number', ['--calls', 'many', '--out', out], 2, 'many'),
        ('negative_is_no_number', ['--calls', '-1', '--out', out], 2, '-1'),
        ('number_with_rest_is_none', ['--seed', '1x', '--out', out], 2, '1x'),
        ('number_too_large_is_none', ['--calls', '99999999999999999999', '--out', out], 2, 'number'),
        ('no_calls_is_usage', ['--calls', '0', '--out', out], 2, 'calls'),
        ('small_call_id_pool_is_refused', ['--concurrency', '200', '--stream-pairs', '200', '--out', out], 2, 'call-ids'),
        ('small_pair_pool_is_refused', ['--concurrency', '200', '--call-ids', '0', '--out', out], 2, 'stream-pairs'),
        ('further_argument_is_usage', ['--out', out, 'more'], 2, 'more'),
        ('directory_is_no_file', ['--out', folder], 1, 'directory'),
        ('missing_folder_is_told', ['--out', os.path.join(folder, 'no', 'x.pcap')], 1, 'No such file'),
        ('full_disk_is_told', [*SMALL, '--out', '/dev/full'], 1, 'No space left'),
    ]
    for name, arguments, status, words in cases:
        run = gen(*arguments)
        text = run.stderr.decode()
        check(name, run.returncode == status and words in text and run.stdout == b'' and text.count('\n') == 1,
              (run.returncode, text))
    check('refused_arguments_leave_no_file', not os.path.exists(out))
    check('help_is_no_error', gen('--help').returncode == 0 and b'usage' in gen('--help').stdout)
    above = subprocess.run([program, 'gen', '-h'], capture_output=True, timeout=60)
    check('short_help_is_the_same', gen('-h').stdout == gen('--help').stdout == above.stdout and gen('-h').returncode == 0)


def check_interrupt(folder):
    path = os.path.join(folder, 'long.pcap')
    os.mkfifo(path)
    run = subprocess.Popen([program, 'gen', 'carrier', '--calls', '100000', '--out', path], stderr=subprocess.PIPE)
    with open(path, 'rb') as pipe:
        pipe.read(1 << 16)  # it writes now
        run.send_signal(signal.SIGINT)
        while pipe.read(1 << 20):
            pass
    text = run.communicate(timeout=60)[1].decode()
    check('interrupt_ends_with_130', run.returncode == 130 and 'interrupted' in text, (run.returncode, text))


def check_second_interrupt():
    reader, writer = os.pipe()
    run = subprocess.Popen([program, 'gen', 'carrier', '--calls', '100000', '--out', '-'], stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    os.read(reader, 1)  # it writes now, and nobody reads on: it cannot look at its flag
    run.send_signal(signal.SIGINT)
    while run.poll() is None and sigint_is_caught(run.pid):
        pass
    run.send_signal(signal.SIGINT)
    check('second_interrupt_ends_at_once', run.wait(60) == -signal.SIGINT, run.returncode)
    os.close(reader)


def sigint_is_caught(pid):
    with open('/proc/%d/status' % pid, encoding='ascii') as file:
        caught = next(line.split()[1] for line in file if line.startswith('SigCgt:'))
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


def fields(path, filter_text, *names):
    command = ['tshark', '-r', path, '-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE',
               '-o', 'tcp.check_checksum:TRUE', '-Y', filter_text,
               '-T', 'fields', '-d', 'udp.port==16384,rtp']
    for name in names:
        command += ['-e', name]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    return [line.split('\t') for line in text.splitlines()]


def check_tshark(path):
    if not shutil.which('tshark'):
        tally.skip('tshark_agrees', 'tshark is not installed')
        return
    sip = fields(path, 'sip', 'sip.Method', 'sip.Status-Code')
    kinds = collections.Counter(method or code for method, code in sip)
    want = {'INVITE': 40, '100': 40, '180': 40, '200': 80, 'ACK': 40, 'BYE': 40}
    check('tshark_counts_the_messages', kinds == want, kinds)
    rtp = fields(path, 'rtp', 'rtp.ssrc', 'rtp.p_type')
    check('tshark_counts_the_media', len(rtp) == 800 and {p for _, p in rtp} == {'0'}, len(rtp))
    check('tshark_counts_the_ssrcs', len({ssrc for ssrc, _ in rtp}) == 10, len({ssrc for ssrc, _ in rtp}))
    bad = fields(path, 'ip.checksum.status != 1 || udp.checksum.status != 1 || _ws.malformed', 'frame.number')
    check('tshark_finds_no_bad_checksum', not bad, bad[:3])


# Every way of carrying the same calls: what tshark and this program itself find in it.
SHAPES = [
    ('trunk', ['--trunk'], '!sip && ip.addr == 10.0.10.20 && ip.addr == 10.0.20.20', 800),
    ('ipv6', ['--ipv6'], 'ipv6 && udp', 1080),
    ('vlan', ['--vlan', '4094'], 'vlan.id == 4094', 1080),
    ('tcp', ['--tcp'], 'tcp && ip.addr == 10.0.10.10', 295),  # 280 messages, 5 handshakes
    ('pcapng', ['--pcapng'], 'udp', 1080),
    ('all', ['--trunk', '--ipv6', '--vlan', '7', '--tcp', '--pcapng'], 'vlan.id == 7 && ipv6', 1095),
]


def check_shapes(folder):
    plain = None
    for name, arguments, display, count in [('plain', [], 'udp', 1080)] + SHAPES:
        path = os.path.join(folder, name)
        run = gen(*SMALL, *arguments, '--out', path)
        read = subprocess.run([program, 'read', '--json', path], capture_output=True, timeout=60)
        report = json.loads(read.stdout)
        facts = [(c['state'], c['messages'], len(c['streams']), c['duration_ms'], [f['name'] for f in c['findings']]) for c in report['calls']]
        facts.append([(s['packets'], s['lost'], s.get('mos')) for s in report['streams']])
        plain = plain or facts
        check('shape_%s_reads_as_plain' % name, run.returncode == 0 and read.returncode == 0 and len(facts) == 41
              and facts == plain, facts[0])
        check('shape_%s_has_nothing_left_over' % name, sum(report['capture']['not_analysed'].values()) == 0
              and report['capture']['packets'] == (1095 if '--tcp' in arguments else 1080), report['capture'])
        if not shutil.which('tshark'):
            tally.skip('shape_%s_tshark' % name, 'tshark is not installed')
            continue
        frames = fields(path, display, 'frame.number')
        check('shape_%s_tshark_counts_packets' % name, len(frames) == count, len(frames))
        bad = fields(path, BAD, 'frame.number', '_ws.col.Info')
        check('shape_%s_tshark_finds_nothing_bad' % name, not bad, bad[:3])


BAD = ('ip.checksum.status == 0 || udp.checksum.status == 0 || tcp.checksum.status == 0 || _ws.malformed || '
       'tcp.analysis.flags')


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = check_bytes(folder)
        check_statuses(folder)
        check_interrupt(folder)
        check_second_interrupt()
        check_tshark(path)
        check_shapes(folder)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
