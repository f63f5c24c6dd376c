#!/usr/bin/env python3
"""Help, manual and completion know the same verbs and options, and completing works in a real shell.

usage: documents.py PROGRAM        last line: N passed, N failed"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import tally
from tally import check

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
program = sys.argv[1]
COMPLETE = r'''
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_sidetone
printf '%s\n' "${COMPREPLY[@]}"
'''


def said(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20).stdout


def text_of(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def completed(*words):
    run = subprocess.run(['bash', '-c', COMPLETE, 'bash', os.path.join(ROOT, 'tools/sidetone.bash'), *words],
                         capture_output=True, text=True, cwd=ROOT, timeout=20)
    return set(run.stdout.split())


def main():
    manual, completion = text_of('docs/sidetone.1').replace('\\-', '-'), text_of('tools/sidetone.bash')
    verbs = re.findall(r'^  ([a-z0-9]+)  ', said('--help'), re.M)
    check('help_lists_verbs', len(verbs) >= 2, verbs)
    check('completion_of_verbs', set(verbs) <= completed('sidetone', ''), completed('sidetone', ''))
    for verb in verbs:
        text = said('help', verb)
        options = set(re.findall(r'(?<![\w-])--[a-z][a-z0-9-]*', text)) - {'--version'}
        check(verb + '_help_has_options', '--help' in options, text)
        for name, document in (('manual', manual), ('completion', completion)):
            missing = {option for option in options - {'--help'} if not re.search(re.escape(option) + r'(?![\w-])', document)}
            check('%s_options_in_%s' % (verb, name), not missing, missing)
    check('completion_of_gen', completed('sidetone', 'gen', '') >= {'carrier'}, completed('sidetone', 'gen', ''))
    got = completed('sidetone', 'gen', 'carrier', '--c')
    check('completion_of_options', got == {'--calls', '--concurrency', '--call-ids'}, got)
    got = completed('sidetone', 'read', 'READ')
    check('completion_of_files', got == {'README.md'}, got)
    known = subprocess.run([program, 'read', '--stats', '--group-by', '?', ROOT], capture_output=True, text=True).stderr
    fields = {field.split(':')[0] for field in known.rsplit('it knows ', 1)[-1].strip().split(', ')}
    got = completed('sidetone', 'read', '--stats', '--group-by', '')
    check('completion_of_fields_to_group_by', len(fields) > 10 and got == fields, (fields, got))
    for name, text in (('help', said('help', 'read')), ('manual', manual), ('read_md', text_of('docs/read.md'))):
        missing = {field for field in fields if not re.search(r'\b%s\b' % field, text)}
        check('fields_to_group_by_in_' + name, not missing, missing)
    findings = set(re.findall(r'findings_add(?:_format)?\(\s*out, "(\w+)"', ''.join(
        text_of('src/judge/' + name) for name in os.listdir(os.path.join(ROOT, 'src/judge')) if name.endswith('.c'))))
    check('findings_are_found', len(findings) >= 20, findings)
    rows = re.findall(r'^\| `(\w+)` \| (?:call|stream|call, stream) \|', text_of('docs/json.md'), re.M)
    check('findings_in_json_md_each_once_and_sorted', rows == sorted(findings), set(rows) ^ findings)
    check('findings_in_manual', all(re.search(r'\b%s\b' % name, manual) for name in findings), findings)
    check('examples_that_are_still_to_come', '<!-- example' not in text_of('docs/media.md'), '')
    warnings = subprocess.run(['man', '--warnings', '-l', os.path.join(ROOT, 'docs/sidetone.1')], capture_output=True,
                              text=True, env=dict(os.environ, MANPAGER='cat')).stderr if shutil.which('man') and shutil.which('groff') else ''
    check('manual_has_no_warnings', not warnings, warnings)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
