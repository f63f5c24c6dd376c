#!/usr/bin/env python3
"""The hand-made captures of ../shared/cases, each with the right answers, read by the program.

usage: shared_cases.py PROGRAM FOLDER        last line: N passed, N failed[, N skipped]

A case that needs what is not built yet stands in cases_not_yet.txt beside this file, with the reason, and counts as
skipped while it fails. One that passes all the same is a failure: the list must shrink."""
import os
import re
import subprocess
import sys


def not_yet():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cases_not_yet.txt')
    with open(path, encoding='utf-8') as file:
        lines = [line.strip() for line in file]
    return dict(line.split(None, 1) for line in lines if line and not line.startswith('#'))


def main():
    program, folder = sys.argv[1:3]
    waiting = not_yet()
    done = subprocess.run([sys.executable, os.path.join(folder, 'check'), '--bin', program, folder],
                          capture_output=True, text=True, timeout=600)
    lines = done.stdout.strip().splitlines()
    match = re.match(r'(\d+) passed, (\d+) failed$', lines[-1]) if lines else None
    if not match:
        print(done.stdout + done.stderr)
        print('0 passed, 1 failed')
        return 1
    faults = dict(line.split(': ', 1) for line in lines[:-1] if ': ' in line)
    passed, failed, skipped = int(match.group(1)), 0, 0
    for name, fault in sorted(faults.items()):
        if name in waiting:
            skipped += 1
            print('skip %s: %s' % (name, waiting[name]))
        else:
            failed += 1
            print('FAIL %s: %s' % (name, fault))
    for name in sorted(set(waiting) - set(faults)):
        failed += 1
        passed -= 1
        print('FAIL %s: passes now; take it off cases_not_yet.txt' % name)
    print('%d passed, %d failed' % (passed, failed) + (', %d skipped' % skipped if skipped else ''))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
