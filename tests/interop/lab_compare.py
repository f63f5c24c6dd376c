#!/usr/bin/env python3
"""The comparison: programs that answer, fail, hang, write files or are missing, all made up, beside the real one.

usage: lab_compare.py PROGRAM        last line: N passed, N failed"""
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
TOOLS = {
    'sngrep': 'for word; do [ "$word" = -q ] && exit 0; done\nprintf "\\rDialog count: 7"\n',
    'tshark': 'echo no >&2\nexit 3\n',
    'sipgrep': 'exec /bin/sleep 60\n',
    'sipnab': 'echo "Call-ID  From"\necho -----\necho a@b Completed\necho\n'
              'echo "0x1 0 PCMU 8000 a b 250 5 2.0% 6ms 7s 44"\n',
    # Only the first run finds its folder empty: so must the others.
    'pcapsipdump': 'cd "$4" || exit 5\necho x >"call$$"\n[ "$2" = %s ]\n',
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        corpus = os.path.join(folder, 'corpus.pcap')
        subprocess.run([program, 'gen', 'carrier', '--calls', '50', '--quiet', '--out', corpus], check=True, capture_output=True)
        tools = os.path.join(folder, 'bin')
        os.mkdir(tools)
        for name, text in TOOLS.items():
            path = os.path.join(tools, name)
            with open(path, 'w', encoding='utf-8') as file:
                file.write('#!/bin/sh\n' + (text % corpus if name == 'pcapsipdump' else text))
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

        def compare(*arguments, path=tools):
            return subprocess.run([program, 'lab', 'compare', *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=120, env=dict(os.environ, PATH=path))

        before = set(os.listdir('/tmp'))
        out = os.path.join(folder, 'out.json')
        run = compare('--cores', '1', '--runs', '2', '--time-limit', '1', '--json', out, corpus)
        check('ends_well', run.returncode == 0 and not run.stderr, run)
        check('missing_is_named', 'Missing     voipmonitor\n' in run.stdout, run.stdout)
        check('failing_is_left_out', 'tshark with 1 core: it failed with exit status 3' in run.stdout, run.stdout)
        check('hanging_is_left_out', 'sipgrep with 1 core: no end within 1 s' in run.stdout, run.stdout)
        with open(out, encoding='utf-8') as file:
            report = json.load(file)
        found = {line['program']: line for line in report['programs']}
        ours = found['sidetone']
        check('corpus_is_told', report['packets'] == 5350 and report['bytes'] == os.path.getsize(corpus), report)
        check('ours_is_told', (ours['calls'], ours['streams'], ours['lost']) == (50, 100, 0) and ours['mos'] > 4.3
              and ours['measured'][0]['times_sidetone'] == 1, ours)
        check('count_of_sngrep_is_read', found['sngrep'].get('calls') == 7 and 'streams' not in found['sngrep'], found['sngrep'])
        check('report_of_sipnab_is_read', (found['sipnab']['calls'], found['sipnab']['lost'], found['sipnab']['jitter_ms']) == (1, 5, 6),
              found['sipnab'])
        check('untold_is_not_told', 'calls' not in found['pcapsipdump'] and 'wall_s' in found['pcapsipdump']['measured'][0],
              found['pcapsipdump'])
        check('missing_is_not_found', found['voipmonitor'] == {'program': 'voipmonitor', 'found': False}, found['voipmonitor'])
        left = [name for name in set(os.listdir('/tmp')) - before if name.startswith('sidetone-compare-')]
        check('no_folder_is_left', not left, left)

        run = compare('--cores', '1', '--runs', '1', '--json', '-', corpus, path='')
        check('alone_is_a_comparison_too', run.returncode == 0
              and sum(line['found'] for line in json.loads(run.stdout)['programs']) == 1, run)
        junk = os.path.join(folder, 'junk.pcap')
        with open(junk, 'w', encoding='utf-8') as file:
            file.write('no capture')
        run = compare('--cores', '1', '--runs', '1', junk, path='')
        check('no_capture_is_1', run.returncode == 1 and 'sidetone failed with exit status 1' in run.stderr, run)
        for wrong in ([], [corpus, corpus], ['--cores', '0', corpus], ['--cores', '1,', corpus], ['--cores', 'x', corpus],
                      ['--runs', '0', corpus]):
            run = compare(*wrong)
            check('usage_%d_%s' % (len(wrong), '_'.join(wrong[:2]).replace(folder, '')), run.returncode == 2
                  and len(run.stderr.splitlines()) == 1, run)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
