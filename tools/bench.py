#!/usr/bin/env python3
"""The benches of bench/ as one table of times and instruction counts, held against recorded counts: `./dev bench`.

usage: bench.py FOLDER [NAME] [--record] [--recorded FILE]
FOLDER has the programs bench_*, of which those are asked that answer --list and --count as bench/bench.h says; NAME: only
those whose name contains it. A program with a page of its own instead of the frame's has no times here.

An instruction count is what callgrind counts in a run with 2 N calls less a run with N, for one operation. It is the
same every time, so one that moved by more than 3 % is a change of the code (or compiler) and makes the exit status 1;
times are only shown. --record writes FILE (bench/recorded.json); with a NAME it keeps the others. Callgrind's processor
has no AVX-512."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORDED = os.path.join(ROOT, 'bench', 'recorded.json')
MOVED = 0.03
COUNTED_SHARE = 20  # of the calls of a round of times: callgrind is slow
TIME_LINE = re.compile(r'^(.{36}) +([\d.]+) ns ')


def listed(program):
    """(name, calls, operations) of a program's table; empty for a program that has none."""
    run = subprocess.run([program, '--list'], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    rows = [line.split('\t') for line in run.stdout.splitlines()] if run.returncode == 0 else []
    return [(row[0], int(row[1]), int(row[2])) for row in rows if len(row) == 3]


def times(program):
    run = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    found = (TIME_LINE.match(line) for line in run.stdout.splitlines())
    return {match.group(1).rstrip(): float(match.group(2)) for match in found if match}


def collected(program, name, calls):
    command = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program, '--count', name, str(calls)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    match = re.search(r'Collected : (\d+)', run.stderr)
    if run.returncode or not match:
        sys.exit('bench.py: %s\n%s' % (' '.join(command), run.stderr[-1000:]))
    return int(match.group(1))


def instructions(job):
    program, name, calls, operations = job
    calls = max(1, calls // COUNTED_SHARE)
    return (collected(program, name, 2 * calls) - collected(program, name, calls)) / calls / operations


def surroundings():
    """What the counts depend on beside the code."""
    compiler = subprocess.run([os.environ.get('CC', 'gcc'), '--version'], capture_output=True, text=True).stdout
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        flags = set(re.search(r'^flags\s*: (.*)$', file.read(), re.M).group(1).split())
    return {'compiler': compiler.split('\n')[0], 'avx2': 'avx2' in flags}


def recorded(path):
    try:
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def record(path, old, rows, whole):
    counts = {} if whole else dict(old.get('instructions', {}))
    for program, name, _, count in rows:
        counts.setdefault(program, {})[name] = round(count, 2)
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump({'surroundings': surroundings(), 'instructions': counts}, file, indent=2, sort_keys=True)
        file.write('\n')
    os.replace(path + '.new', path)


def show(rows, old):
    """Prints the table; returns what moved."""
    moved, widest = [], max(len(program) + len(name) + 2 for program, name, _, _ in rows)
    print('%-*s  %10s  %12s  %12s  %8s' % (widest, 'bench', 'ns', 'instructions', 'recorded', 'change'))
    for program, name, ns, count in rows:
        title = '%s: %s' % (program, name)
        line = '%-*s  %10s  %12.1f' % (widest, title, '-' if ns is None else '%.1f' % ns, count)
        was = old.get('instructions', {}).get(program, {}).get(name)
        if was is None:
            print(line + '  %12s' % 'none')
            continue
        change = round(count / was - 1, 4) + 0.0 if was else 0.0  # never -0.0
        print(line + '  %12.1f  %+6.1f %%' % (was, round(change * 100, 1) + 0.0) + ('  moved' if abs(change) > MOVED else ''))
        if abs(change) > MOVED:
            moved.append('%s: %s by %+.1f %%' % (program, name, change * 100))
    return moved


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument('folder')
    arguments.add_argument('name', nargs='?', default='')
    arguments.add_argument('--record', action='store_true')
    arguments.add_argument('--recorded', default=RECORDED)
    options = arguments.parse_intermixed_args()
    jobs = []
    for program in sorted(glob.glob(os.path.join(options.folder, 'bench_*'))):
        short = os.path.basename(program)[len('bench_'):]
        if os.path.isfile(program) and options.name in short:
            jobs += [(short, program, *row) for row in listed(program)]
    if not jobs:
        sys.exit("bench.py: no bench is called '%s'" % options.name)
    took = {program: times(program) for program in sorted({job[1] for job in jobs})}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        counts = list(pool.map(instructions, [job[1:] for job in jobs]))
    rows = [(job[0], job[2], took[job[1]].get(job[2]), count) for job, count in zip(jobs, counts)]
    old = recorded(options.recorded)
    moved = show(rows, old)
    if options.record:
        record(options.recorded, old, rows, not options.name)
        print('recorded')
        return 0
    if old and old['surroundings'] != surroundings():
        print('recorded elsewhere: %s, here %s' % (old['surroundings'], surroundings()))
    for text in moved:
        print('moved by more than %.0f %%: %s (./dev bench --record, if it should be so)' % (MOVED * 100, text))
    return 1 if moved else 0


if __name__ == '__main__':
    sys.exit(main())
