#!/usr/bin/env python3
"""What `./dev bench` says of counts that stayed, moved or were never recorded, with a bench and a counter that are made up.

usage: bench.py        last line: N passed, N failed"""
import json
import os
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'bench.py')
BENCH = '''#!/bin/sh
[ "$1" = --list ] && printf 'fold a thing\\t100\\t2\\n' && exit 0
printf 'things; median (best) of 15 rounds\\n%-36s %9.1f ns (1.0)\\n' 'fold a thing' 2.5
'''
# 1,000 instructions around the loop, COST for each call.
VALGRIND = '''#!/bin/sh
for calls; do :; done
echo "==1== Collected : $((1000 + calls * COST))" >&2
'''


def script(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def main():
    with tempfile.TemporaryDirectory() as folder:
        recorded = os.path.join(folder, 'recorded.json')
        script(os.path.join(folder, 'bench_folding'), BENCH)

        def run(cost, *arguments):
            script(os.path.join(folder, 'valgrind'), VALGRIND.replace('COST', str(cost)))
            return subprocess.run([sys.executable, TOOL, folder, '--recorded', recorded, *arguments], text=True,
                                  env=dict(os.environ, PATH=folder + ':' + os.environ['PATH']), capture_output=True)

        first = run(200)
        check('without_a_record_shows_none', first.returncode == 0 and 'none' in first.stdout and '100.0' in first.stdout, first)
        check('record_writes', run(200, '--record').returncode == 0)
        with open(recorded, encoding='utf-8') as file:
            check('record_has_the_count', json.load(file)['instructions'] == {'folding': {'fold a thing': 100.0}})
        same = run(205)
        check('within_3_percent_is_good', same.returncode == 0 and '+2.5 %' in same.stdout and 'moved' not in same.stdout, same)
        for cost, change in ((207, '+3.5 %'), (190, '-5.0 %')):
            moved = run(cost)
            check('moved_%d_says_so' % cost, moved.returncode == 1 and 'folding: fold a thing by ' + change in moved.stdout, moved)
        check('unknown_name_says_so', "no bench is called 'nothing'" in run(200, 'nothing').stderr)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
