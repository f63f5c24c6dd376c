#!/usr/bin/env python3
"""Reads every capture of a folder with `sidetone read --json` and holds the report against expected.json beside it.

usage: check.py [--bin PROGRAM] [--only TEXT] [--cores N] FOLDER

A path walks the report: names by dots, [0] by position, [c1@x] the last call with that Call-ID or finding of that name, [a.b] a name with dots, .length
of a list, and sum.FIELD or max.FIELD over all streams; None: nothing is there. Where a case has messages, the lines of
`--messages` are compared too, one by one. Neither output may have a control byte, and every ledger has to sum up. Prints each
difference and closes with 'N passed, N failed'; exit 0 if none.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

STEP = re.compile(r'\[([^\]]*)\]|([^.\[\]]+)')
CONTROL = re.compile(rb'[\x00-\x09\x0b-\x1f\x7f]')
TOP = {'sip_messages': 'capture.sip_messages', 'calls': 'calls.length', 'streams': 'streams.length'}


def value_at(report, path):
    """The value at a path, or None where the report has none."""
    if path.startswith(('sum.', 'max.')):
        fold = sum if path.startswith('sum.') else max
        return fold([s.get(path[4:], 0) for s in report['streams']] or [0])
    at = report
    for index, name in STEP.findall(path):
        if isinstance(at, list) and name == 'length':
            at = len(at)
        elif index and isinstance(at, dict):
            at = at.get(index)
        elif index.isdigit():
            at = at[int(index)] if int(index) < len(at) else None
        elif index:
            found = [c for c in at if index in (c.get('call_id'), c.get('name'))]
            at = found[-1] if found else None
        else:
            at = at.get(name)
        if at is None:
            return None
    return at


def agrees(want, got):
    """'~2': within 0.0101, '~2.5': within 0.003 (the number is known better); else the same value and kind."""
    if isinstance(want, str) and want.startswith('~'):
        slack = 0.003 if '.' in want else 0.0101
        return isinstance(got, (int, float)) and abs(got - float(want[1:])) <= slack
    return type(want) is type(got) and want == got


def ledger_differences(report):
    """Every packet is analysed, or counted by the reason why not: never more of them than there are."""
    capture = report['capture']
    missing = sum(capture['not_analysed'].values())
    if capture['analysed'] + missing != capture['packets']:
        yield '%d packets are not %d analysed + %d not analysed' % (capture['packets'], capture['analysed'], missing)


def differences(report, want):
    paths = {path: want[key] for key, path in TOP.items() if want.get(key) is not None}
    for path, value in {**paths, **want.get('also', {})}.items():
        got = value_at(report, path)
        if not agrees(value, got):
            yield '%s is %s, not %s' % (path, json.dumps(got), json.dumps(value))


def read(options, name, want, *words):
    """(exit status, output, trouble) of the program."""
    inputs = [i if i == '-' else os.path.join(options.folder, i) for i in want.get('inputs', [name])]
    command = [options.bin, 'read', '--json', *words] + (['--cores', options.cores] if options.cores else [])
    feed = inputs.pop(0) if inputs[0] == '-' else None
    with open(inputs[0] if feed else os.devnull, 'rb') as stdin:
        command += [feed] + inputs[1:] if feed else inputs
        try:
            done = subprocess.run(command, capture_output=True, timeout=120, stdin=stdin)
        except subprocess.TimeoutExpired:
            return 0, b'', 'no answer within 120 s'
    bad = CONTROL.search(done.stdout)
    return done.returncode, done.stdout, 'byte %d is a control byte' % bad.start() if bad else \
        done.stderr.decode(errors='replace')[-300:]


def line_differences(options, name, want):
    """The lines of --messages against those of the case; the first difference of each kind is enough."""
    beside = os.path.join(options.folder, name + '.messages')
    if 'messages' not in want and not os.path.exists(beside):
        return
    status, output, trouble = read(options, name, want, '--messages')
    lines = output.splitlines()[:-1]
    if os.path.exists(beside):
        with open(beside, encoding='utf-8') as file:
            wanted = file.read().splitlines()
        if len(lines) != len(wanted):
            yield '%d lines of messages, not %d' % (len(lines), len(wanted))
        for text, line in zip(wanted, map(json.loads, lines)):
            got = '%d %s %s' % (line['length'], ','.join(str(r) for _, r in line['packets']), line.get('call_id'))
            if got != text:
                yield 'a message is %s, not %s' % (got, text)
                return
        return
    if len(lines) != len(want['messages']):
        yield '%d lines of messages, not %d %s' % (len(lines), len(want['messages']), trouble)
    for n, (paths, line) in enumerate(zip(want['messages'], map(json.loads, lines))):
        for path, value in paths.items():
            got = value_at(line, path)
            if not agrees(value, got):
                yield 'message %d: %s is %s, not %s' % (n + 1, path, json.dumps(got), json.dumps(value))


def run(options, name, want):
    status, output, trouble = read(options, name, want)
    try:
        report = json.loads(output)
    except ValueError:
        return ['no JSON, exit %d: %s' % (status, trouble)]
    complete = value_at(report, 'capture.complete')
    faults = [] if status == (0 if complete else 1) else ['exit %d, complete %s' % (status, complete)]
    faults += [trouble] if CONTROL.search(output) else []
    return faults + list(ledger_differences(report)) + list(differences(report, want)) + \
        list(line_differences(options, name, want))


def main():
    words = argparse.ArgumentParser(description='Holds reports against expected.json.')
    words.add_argument('--bin', default='sidetone')
    words.add_argument('--only', default='')
    words.add_argument('--cores')
    words.add_argument('folder')
    options = words.parse_args()
    with open(os.path.join(options.folder, 'expected.json'), encoding='utf-8') as file:
        expected = {n: w for n, w in sorted(json.load(file).items()) if options.only in n}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda item: run(options, *item), expected.items()))
    failed = 0
    for name, faults in zip(expected, results):
        if faults:
            failed += 1
            print('%s: %s' % (name, '; '.join(faults)))
    print('%d passed, %d failed' % (len(expected) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
