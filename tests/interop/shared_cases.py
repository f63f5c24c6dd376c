#!/usr/bin/env python3
"""The hand-made captures of ../shared/cases, each with the right answers, read by the program.

usage: shared_cases.py PROGRAM FOLDER        last line: N passed, N failed"""
import os
import re
import subprocess
import sys


def main():
    program, folder = sys.argv[1:3]
    done = subprocess.run([sys.executable, os.path.join(folder, 'check'), '--bin', program, folder],
                          capture_output=True, text=True, timeout=600)
    lines = done.stdout.strip().splitlines()
    match = re.match(r'(\d+) passed, (\d+) failed$', lines[-1]) if lines else None
    if not match:
        print(done.stdout + done.stderr)
        print('0 passed, 1 failed')
        return 1
    for line in lines[:-1]:
        print('FAIL ' + line)
    print(lines[-1])
    return 1 if int(match.group(2)) else 0


if __name__ == '__main__':
    sys.exit(main())
