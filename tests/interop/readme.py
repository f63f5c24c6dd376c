#!/usr/bin/env python3
"""The README, docs/read.md and docs/media.md tell the truth: each example in them is run, and what it shows must be what
the program says.

usage: readme.py PROGRAM        last line: N passed, N failed

An example is a fenced block that begins with '$ sidetone read' and names captures in build/. A line '...' stands for lines left
out. After "| jq -c '.streams[0] | {a, b}'" it is the line that jq prints of it; jq itself is not needed."""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def examples():
    found = []
    for document in ('README.md', 'docs/read.md', 'docs/media.md'):
        with open(os.path.join(ROOT, document), encoding='utf-8') as file:
            found += re.findall(r'^```\n\$ sidetone (read [^\n]*build/[^\n]*)\n(.*?)^```$', file.read(), re.M | re.S)
    return found


def picked(said, where, names):
    """What jq -c '.WHERE | {NAMES}' prints of a report."""
    at = json.loads(said)
    for name, index in re.findall(r'(\w+)|\[(\d+)\]', where):
        at = at[name] if name else at[int(index)]
    return json.dumps({name: at.get(name) for name in names}, separators=(',', ':'), ensure_ascii=False)


def first_difference(shown, said):
    """None, or the first shown line that does not follow where it should."""
    at, anywhere = 0, False
    for line in shown:
        if line == '...':
            anywhere = True
            continue
        while anywhere and at < len(said) and said[at] != line:
            at += 1
        if at == len(said) or said[at] != line:
            return line
        at, anywhere = at + 1, False
    return None


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        captures, demo = (os.path.join(folder, 'build', name) for name in ('captures', 'demo'))
        os.makedirs(demo)
        subprocess.run([sys.executable, os.path.join(ROOT, 'tests/captures/make.py'), captures], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, PYTHONDONTWRITEBYTECODE='1'))
        subprocess.run([program, 'gen', 'carrier', '--out', os.path.join(demo, 'carrier.pcap')], check=True,
                       stderr=subprocess.DEVNULL)
        for command, text in examples():
            arguments, _, jq = command.partition(' | ')
            run = subprocess.run([program] + arguments.split(), cwd=folder, capture_output=True, text=True, timeout=120)
            pick = re.fullmatch(r"jq -c '\.(\S+) \| \{(.*)\}'", jq)
            said = picked(run.stdout, pick.group(1), pick.group(2).split(', ')) if pick else run.stdout
            wrong = first_difference(text.splitlines(), said.splitlines())
            print('%s %s%s' % ('FAIL' if wrong else 'ok  ', command, ': it does not say: ' + wrong if wrong else ''))
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
