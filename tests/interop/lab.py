#!/usr/bin/env python3
"""`sidetone lab scale` and `lab ab` as a user meets them, with small programs: tables, JSON, errors, Ctrl-C.

usage: lab.py PROGRAM        last line: N passed, N failed[, N skipped]"""
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

program = os.path.abspath(sys.argv[1])
# Programs whose need is known: one burns time, one does when its number of cores is 1, one fails in its third run.
SPIN = 'i=0; while [ $i -lt %d ]; do i=$((i + 1)); done'
FAILS_LATER = 'echo x >> %s; [ $(wc -l < %s) -lt 3 ] || { echo no more >&2; exit 7; }'


def lab(*arguments, **options):
    return subprocess.run([program, 'lab', *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, **options)


def sha256(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def shell(text):
    return "sh -c '%s'" % text


def check_scale(folder, corpus):
    out = os.path.join(folder, 'scale.json')
    run = lab('scale', program, corpus, '--cores', '1,2,1000', '--runs', '3', '--json', out)
    with open(out, encoding='utf-8') as file:
        report = json.load(file)
    rows = report['rows']
    check('scale_measures_ourselves', run.returncode == 0 and run.stderr == '' and [r['cores'] for r in rows] == [1, 2, 1000],
          run)
    check('scale_has_every_run', all(len(r['samples']) == 3 for r in rows) and report['runs'] == 3, rows)
    walls = sorted(s['wall_ms'] for s in rows[1]['samples'])
    check('scale_figures_are_those_of_the_samples',
          rows[1]['wall_ms'] == {'median': walls[1], 'min': walls[0], 'max': walls[2]}, rows[1])
    check('scale_calls_the_program_with_cores', rows[1]['command'] == [program, 'read', corpus, '--cores', '2'], rows[1])
    check('scale_counts_packets_itself', report['corpus']['packets'] == 540 and '540 packets' in run.stdout, report['corpus'])
    check('scale_knows_the_corpus', report['corpus']['sha256'] == sha256(corpus)
          and report['corpus']['bytes'] == os.path.getsize(corpus), report['corpus'])
    version = subprocess.run([program, '--version'], capture_output=True, text=True).stdout.splitlines()
    own = report['program']
    check('scale_knows_the_program', own['sha256'] == sha256(program) and own['version'] == version[0]
          and 'revision ' + own['revision'] + ('-dirty' if own['changed'] else '') == version[1]
          and 'flags ' + own['flags'] == version[3], (own, version))
    speed_up = rows[0]['wall_ms']['median'] / rows[1]['wall_ms']['median']
    check('scale_speed_up_is_against_the_first', rows[0]['speed_up'] == 1
          and abs(rows[1]['speed_up'] - speed_up) < 0.001 and abs(rows[1]['efficiency'] - speed_up / 2) < 0.001, rows)
    check('scale_says_where_processors_are_few', '1000 cores: more than' in run.stdout and rows[2]['more_than_processors'],
          run.stdout)
    machine = report['machine']
    check('scale_knows_the_machine', machine['processors'] == os.cpu_count() and machine['kernel'].startswith('Linux')
          and machine['time'].endswith('Z'), machine)
    folder_of_two = os.path.join(folder, 'rotated')
    os.mkdir(folder_of_two)
    for name in ('b.pcap', 'a.pcap'):
        shutil.copy(corpus, os.path.join(folder_of_two, name))
    listed = ''.join('%s  %s\n' % (sha256(corpus), name) for name in ('a.pcap', 'b.pcap'))
    report = json.loads(lab('scale', program, folder_of_two, '--cores', '1', '--runs', '1', '--json', '-').stdout)
    check('scale_takes_a_folder', report['corpus']['files'] == 2 and report['corpus']['packets'] == 1080
          and report['corpus']['sha256'] == hashlib.sha256(listed.encode()).hexdigest(), report['corpus'])
    run = lab('scale', 'sh', corpus, '--cores', '1,4', '--runs', '3', '--packets', '7', '--json', '-', '--command',
              '{program} -c \'i=0; while [ $i -lt $((100000 / {cores})) ]; do i=$((i + 1)); done\' {corpus}')
    report = json.loads(run.stdout)
    check('scale_runs_any_command', report['rows'][1]['command'][-1] == corpus and report['corpus']['packets'] == 7
          and report['rows'][1]['speed_up'] > 1.5, report)
    run = lab('scale', 'true', program, '--cores', '1', '--runs', '1', '--command', 'true {cores}')
    check('scale_of_no_capture_goes_without_packets', run.returncode == 0 and '--packets' in run.stderr
          and 'packets/s' not in run.stdout, run)


def check_ab(folder):
    out = os.path.join(folder, 'ab.json')
    slow, fast = shell(SPIN % 60000), shell(SPIN % 20000)
    run = lab('ab', '--a', slow, '--b', fast, '--runs', '9', '--json', out)
    with open(out, encoding='utf-8') as file:
        report = json.load(file)
    check('ab_finds_the_faster_one', run.returncode == 0 and report['verdict'] == 'less'
          and report['wall']['ratio']['high'] < 1 and 'b is faster by' in run.stdout, run)
    check('ab_has_every_run', all(len(report[arm]['samples']) == 9 for arm in 'ab') and report['seed'] == 1, report)
    ratios = sorted(b['wall_ms'] / a['wall_ms'] for a, b in zip(report['a']['samples'], report['b']['samples']))
    check('ab_ratio_is_the_median_of_pairs', abs(report['wall']['ratio']['median'] - ratios[4]) < 1e-5
          and ratios[0] <= report['wall']['ratio']['low'] + 1e-6 and report['wall']['ratio']['high'] <= ratios[8] + 1e-6,
          (ratios, report['wall']))
    report = json.loads(lab('ab', '--a', fast, '--b', slow, '--runs', '9', '--json', '-').stdout)
    check('ab_finds_the_slower_one', report['verdict'] == 'more', report['wall'])
    run = lab('ab', '--a', 'true', '--b', 'dd if=/dev/zero of=/dev/null bs=64M count=1 status=none', '--runs', '6', '--json', '-')
    peak = json.loads(run.stdout)['b']['samples'][0]['peak_bytes']
    check('ab_measures_memory', 64 << 20 <= peak <= 70 << 20 and json.loads(run.stdout)['peak']['verdict'] == 'more', peak)
    run = lab('ab', '--a', fast, '--b', fast, '--runs', '2')
    check('ab_of_two_runs_has_no_verdict', run.returncode == 0 and 'too few runs' in run.stdout, run)
    # A control that is slow at each second of its runs: as a machine that moves would make it.
    state = os.path.join(folder, 'turn')
    moves = shell('if [ -e %s ]; then rm %s; %s; else : > %s; fi' % (state, state, SPIN % 60000, state))
    run = lab('ab', '--a', fast, '--b', slow, '--control', moves, '--runs', '7', '--json', out)
    with open(out, encoding='utf-8') as file:
        report = json.load(file)
    check('ab_sees_that_the_host_moved', run.returncode == 0 and report['verdict'] == 'host_moved'
          and report['wall']['control']['low'] > 1 and 'host moved' in run.stdout, run)
    check('ab_has_both_halves_of_the_control', len(report['control']['samples']) == 7
          and len(report['control']['samples_beside_b']) == 7, report['control'])
    texts = [lab('ab', '--a', fast, '--b', fast, '--runs', '6', '--seed', '5', '--json', '-').stdout for _ in range(1)]
    check('ab_tells_its_seed', json.loads(texts[0])['seed'] == 5, texts)


def check_instructions():
    if not shutil.which('valgrind'):
        tally.skip('ab_counts_instructions', 'valgrind is not installed')
        return
    run = lab('ab', '--a', '/bin/true', '--b', '/bin/true', '--runs', '1', '--instructions', '--json', '-')
    counts = json.loads(run.stdout)['instructions']
    check('ab_counts_instructions', counts['a'] > 10000 and abs(counts['ratio'] - counts['b'] / counts['a']) < 1e-6
          and (counts['way'] == 'counter' or abs(counts['ratio'] - 1) < 0.01), counts)


def check_errors(folder, corpus):
    counter = os.path.join(folder, 'counter')
    later = FAILS_LATER % (counter, counter)
    nowhere = os.path.join(folder, 'no', 'x.json')
    never = os.path.join(folder, 'never.json')
    cases = [
        ('no_word_is_usage', [], 2, 'what shall be measured'),
        ('unknown_word_is_usage', ['scal'], 2, "'scal'"),
        ('scale_without_arguments_is_usage', ['scale'], 2, 'a program and a corpus'),
        ('scale_with_three_operands_is_usage', ['scale', 'a', 'b', 'c'], 2, 'a program and a corpus'),
        ('scale_no_core_is_usage', ['scale', 'true', corpus, '--cores', '1,0'], 2, '1,0'),
        ('scale_no_list_is_usage', ['scale', 'true', corpus, '--cores', '1,'], 2, '--cores'),
        ('scale_no_runs_is_usage', ['scale', 'true', corpus, '--runs', '0'], 2, '--runs'),
        ('scale_command_without_cores_is_usage', ['scale', 'true', corpus, '--command', 'true'], 2, '{cores}'),
        ('scale_unknown_placeholder_is_usage', ['scale', 'true', corpus, '--command', 'x {corse} {cores}'], 2, '{corpus}'),
        ('scale_missing_program_is_told', ['scale', '/nowhere/x', corpus], 1, '/nowhere/x is no program'),
        ('scale_missing_corpus_is_told', ['scale', 'true', '/nowhere/x'], 1, 'No such file'),
        ('scale_device_is_no_corpus', ['scale', 'true', '/dev/null'], 1, 'again and again'),
        ('scale_unwritable_json_is_told', ['scale', 'true', corpus, '--json', nowhere], 1, 'No such file'),
        ('ab_without_b_is_usage', ['ab', '--a', 'true'], 2, "--b 'COMMAND'"),
        ('ab_mistyped_option_names_the_nearest', ['ab', '--runns', '3'], 2, "'--runs'"),
        ('ab_pipe_wants_a_shell', ['ab', '--a', 'true | true', '--b', 'true'], 2, "sh -c '...'"),
        ('ab_variable_wants_env', ['ab', '--a', 'true', '--b', 'X=1 true'], 2, 'env NAME=value'),
        ('ab_open_quote_is_usage', ['ab', '--a', 'true', '--b', "true 'x"], 2, 'no partner'),
        ('ab_empty_command_is_usage', ['ab', '--a', ' ', '--b', 'true'], 2, 'empty'),
        ('ab_missing_program_is_told', ['ab', '--a', 'true', '--b', 'no-such-program'], 1, '--b: no-such-program'),
        ('ab_failing_program_is_told', ['ab', '--a', 'true', '--b', shell('echo why >&2; exit 3'), '--json', never], 1,
         'b failed with exit status 3\n  it said: why'),
        ('ab_killed_program_is_told', ['ab', '--a', shell('kill -9 $$'), '--b', 'true'], 1, 'a was killed by signal 9'),
        ('ab_late_failure_is_told', ['ab', '--a', shell(later), '--b', 'true'], 1, 'no more'),
        ('ab_unwritable_json_is_told_first', ['ab', '--a', 'true', '--b', 'true', '--json', folder], 1, 'directory'),
    ]
    for name, arguments, status, words in cases:
        run = lab(*arguments)
        check(name, run.returncode == status and words in run.stderr and run.stdout == '', run)
    check('failed_series_leaves_no_json', not os.path.exists(never))
    run = lab('ab', '--a', 'true', '--b', 'true', '--runs', '1', '--json', '/dev/full')
    check('full_disk_is_told', run.returncode == 1 and 'No space left' in run.stderr, run)
    with open('/dev/full', 'w', encoding='ascii') as full:
        run = subprocess.run([program, 'lab', 'ab', '--a', 'true', '--b', 'true', '--runs', '1'], stdout=full,
                             stderr=subprocess.PIPE, text=True, timeout=60)
    check('full_standard_output_is_told', run.returncode == 1 and 'No space left' in run.stderr, run)
    helps = [lab(), lab('--help'), lab('scale', '--help'), lab('ab', '-h')]
    check('help_is_no_error', all(h.returncode == 0 and 'usage' in h.stdout for h in helps[1:]), helps)


def interrupted(folder, *arguments, after):
    """Starts, waits for a line of `after` runs in a file that each run adds to, sends SIGINT."""
    fifo = os.path.join(folder, 'fifo')
    os.mkfifo(fifo)
    run = subprocess.Popen([program, 'lab', *(a.replace('FIFO', fifo) for a in arguments)], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(after):
        with open(fifo, encoding='ascii') as reader:
            reader.read()
    with open(fifo, encoding='ascii') as reader: # one more is in its run, and waits there
        reader.readline()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    os.unlink(fifo)
    return run.returncode, out, err


def check_interrupt(folder):
    runs = shell('exec > FIFO; echo x; if [ -e %s ]; then sleep 1000; fi' % os.path.join(folder, 'hold'))
    hold = os.path.join(folder, 'hold')
    with open(hold, 'w', encoding='ascii'):
        status, out, err = interrupted(folder, 'ab', '--a', runs, '--b', 'true', '--json', '-', after=0)
    check('interrupt_while_warming_up_ends_with_130', status == 130 and out == '' and 'interrupted' in err, (status, out, err))
    os.unlink(hold)
    waits = shell('echo x > FIFO; echo y > FIFO')
    status, out, err = interrupted(folder, 'ab', '--a', waits, '--b', 'true', '--json', '-', '--runs', '50', after=6)
    report = json.loads(out)
    check('interrupt_gives_the_whole_rounds', status == 130 and report['interrupted']
          and 1 <= report['runs'] < 50 and len(report['b']['samples']) == report['runs'], (status, out, err))


def main():
    with tempfile.TemporaryDirectory() as folder:
        corpus = os.path.join(folder, 'small.pcap')
        subprocess.run([program, 'gen', 'carrier', '--calls', '20', '--rtp-per-call', '20', '--concurrency', '4',
                        '--out', corpus], check=True, stderr=subprocess.DEVNULL)
        check_scale(folder, corpus)
        check_ab(folder)
        check_instructions()
        check_errors(folder, corpus)
        check_interrupt(folder)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
