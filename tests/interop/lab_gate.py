#!/usr/bin/env python3
"""The gate: a program as it was recorded is good, one that burns time or memory is not, nothing is lowered silently.

usage: lab_gate.py PROGRAM        last line: N passed, N failed"""
import json
import os
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check

program = os.path.abspath(sys.argv[1])
# Programs that answer --version as ours does, and do more than that when they read.
BURNS = '#!/bin/sh\n[ "$1" = read ] && { i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; }\nexec "%s" "$@"\n'
EATS = '#!%s -S\nimport os, sys\n_ = bytearray(b"x") * (90 << 20) if sys.argv[1] == "read" else 0\n' \
       'status = os.spawnv(os.P_WAIT, "%s", ["sidetone"] + sys.argv[1:])\nsys.exit(status)\n'
FAILS = '#!/bin/sh\n[ "$1" = read ] && { echo no today >&2; exit 9; }\nexec "%s" "$@"\n'
OTHER = '#!/bin/sh\n[ "$1" = --version ] && echo "built by hand" && exit 0\nexec "%s" "$@"\n'


def main():
    with tempfile.TemporaryDirectory() as folder:
        baseline = os.path.join(folder, 'baseline.json')

        def gate(binary, *arguments, runs='3'):
            return subprocess.run([program, 'lab', 'gate', '--baseline', baseline, '--runs', runs, *arguments, binary],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

        def wrapper(name, text, *more):
            path = os.path.join(folder, name)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text % (*more, program))
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
            return path

        def kept():
            with open(baseline, encoding='utf-8') as file:
                return json.load(file)

        def change(**members):
            text = kept()
            text.update(members)
            with open(baseline, 'w', encoding='utf-8') as file:
                json.dump(text, file)

        run = gate(program)
        check('without_a_baseline_says_so', run.returncode == 1 and '--record makes one' in run.stderr, run)
        run = gate(program, '--record', '--calls', '100', '--tolerance', '900')
        check('record_writes_a_baseline', run.returncode == 0 and kept()['ratio'] > 0 and len(kept()['history']) == 1, run)
        check('nothing_temporary_is_left', os.listdir(folder) == ['baseline.json'], os.listdir(folder))
        run = gate(program, '--json', '-')
        report = json.loads(run.stdout)
        check('same_program_is_good', run.returncode == 0 and report['verdict'] in ('good', 'stale')
              and len(report['floor_s']) == 3 and report['unlike'] == [], run)
        recorded = kept()

        change(tolerance=0.5)
        run = gate(wrapper('burns', BURNS))
        check('slow_is_3', run.returncode == 3 and 'time' in run.stdout and 'above what is allowed' in run.stdout, run)
        run = gate(wrapper('burns', BURNS), '--record')
        check('slow_is_not_recorded', run.returncode == 3 and kept()['ratio'] == recorded['ratio']
              and '--lower --why' in run.stderr, run)
        change(tolerance=9)
        run = gate(wrapper('eats', EATS, sys.executable))
        check('large_is_3', run.returncode == 3 and 'above what is allowed' in run.stdout, run)
        run = gate(wrapper('fails', FAILS))
        check('failing_program_is_1', run.returncode == 1 and 'exit status 9' in run.stderr and 'no today' in run.stderr, run)
        run = gate(os.path.join(folder, 'nothing'))
        check('absent_program_is_1', run.returncode == 1 and 'cannot be started' in run.stderr, run)
        run = gate('/bin/false')
        check('other_program_is_1', run.returncode == 1 and '--version' in run.stderr, run)

        change(ratio=kept()['ratio'] * 1000, tolerance=0.2, peak_bytes=kept()['peak_bytes'] * 2)
        run = gate(program)
        check('far_better_is_stale', run.returncode == 0 and 'stale' in run.stdout and '--record' in run.stdout, run)
        run = gate(program, '--record')
        check('better_is_recorded', run.returncode == 0 and kept()['ratio'] < recorded['ratio'] * 20
              and len(kept()['history']) == 2, run)
        change(ratio=0.01)
        run = gate(program, '--record', '--lower', '--why', 'a new and better report')
        check('lower_keeps_the_reason', run.returncode == 0 and kept()['history'][-1]['why'] == 'a new and better report', run)

        run = gate(program, '--cores', '2')
        check('other_cores_are_4', run.returncode == 4 and 'cores' in run.stdout and 'recorded 1; here 2' in run.stdout, run)
        run = gate(wrapper('other', OTHER))
        check('other_build_is_4', run.returncode == 4 and 'built by hand' in run.stdout, run)
        machine = kept()['machine']
        change(machine=dict(machine, cpu='Another'))
        run = gate(program, '--json', os.path.join(folder, 'out.json'))
        with open(os.path.join(folder, 'out.json'), encoding='utf-8') as file:
            check('other_processor_is_4', run.returncode == 4 and json.load(file)['unlike'] == ['another processor model'], run)
        run = gate(program, '--record')
        check('unlike_is_not_recorded', run.returncode == 4 and kept()['machine']['cpu'] == 'Another', run)
        change(machine=machine)
        corpus = os.path.join(folder, 'corpus.pcap')
        subprocess.run([program, 'gen', 'carrier', '--calls', '50', '--quiet', '--out', corpus], check=True, capture_output=True)
        run = gate(program, '--corpus', corpus)
        check('other_corpus_is_4', run.returncode == 4 and 'corpus' in run.stdout, run)
        run = gate(program, '--corpus', corpus, '--record', '--lower', '--why', 'a corpus of our own')
        check('file_is_recorded', run.returncode == 0 and 'carrier' not in kept()['corpus'], run)
        run = gate(program)
        check('file_must_be_named', run.returncode == 2 and '--corpus FILE' in run.stderr, run)

        with open(baseline, encoding='utf-8') as file:
            whole = file.read()
        for name, text in (('cut', whole[:len(whole) // 2]), ('empty', ''), ('another', '{"a":1}'), ('huge', ' ' * 300000),
                           ('binary', '\0\1\2')):
            with open(baseline, 'w', encoding='utf-8') as file:
                file.write(text)
            run = gate(program, '--record')
            check('%s_baseline_says_so' % name, run.returncode == 1 and 'is no baseline' in run.stderr, run)
        for wrong in (['--lower'], ['--record', '--lower'], ['--record', '--why', 'x'], ['--calls', '3'], ['--runs', '0']):
            run = gate(program, *wrong)
            check('usage_%s' % '_'.join(wrong).replace('--', ''), run.returncode == 2 and len(run.stderr.splitlines()) == 1, run)
        run = subprocess.run([program, 'lab', 'floor', corpus], capture_output=True, text=True)
        check('floor_counts', run.stdout.startswith('5350 packets, 5000 RTP, 100 streams, '), run)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
