#!/usr/bin/env python3
"""Shows that a profile tells of the release's code: the hot functions of both builds are the same instructions.

usage: compare_profiles.py RELEASE_BUILD PROFILING_BUILD        last line: N passed, N failed

Two proofs. Flags: every file is compiled with the same command but for -g and -fno-omit-frame-pointer. Code: for each
hot function, the histogram of its instructions is that of the release but for what a frame pointer costs: one
push/mov/pop of rbp for each function, and a few moves, because rbp is then no register for values. So moves to and from
registers, push, pop, lea and padding are counted apart and may differ by a quarter; everything else that works on
data (loads that compare, arithmetic, vector instructions, branches, calls) must agree to within a tenth or three."""
import collections
import json
import os
import re
import subprocess
import sys

# Functions of the hot path of reading; a name ending in * stands for all that begin so. Inlined ones are part of others.
HOT = ['peel', 'rtp_classify', 'sip_parse', 'carrier_next', 'frame_udp', 'stream_*', 'media_bin_*', 'pcap_next', 'decode_*', 'chunk_*', 'fold_*',
       'sip_index*']
ALLOWED_FLAGS = {'-g', '-fno-omit-frame-pointer'}
FREE = re.compile(r'^(mov|movz|movs|movab|push|pop|lea|nop|cs|data16|endbr|leave|xchg|ret)')
passed = failed = 0


def check(name, good, detail):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print('%s %-44s %s' % ('ok  ' if good else 'FAIL', name, detail))


def flags(build):
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    name = os.path.basename(build.rstrip('/'))
    return {entry['file']: sorted(word for word in entry['command'].replace(name, 'BUILD').split()
                                  if word not in ALLOWED_FLAGS) for entry in commands}


def functions(program):
    """Mnemonics of each hot function of a program."""
    wanted = re.compile('^(%s)(?:\\.(?:isra|constprop|part|cold|lto_priv)[.\\d]*)*$' % '|'.join(h.replace('*', '\\w*') for h in HOT))
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', program], capture_output=True, check=True, text=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        head = re.match(r'^[0-9a-f]+ <([^>]+)>:$', line)
        if head:
            match = wanted.match(head.group(1))
            current = found.setdefault(match.group(1), collections.Counter()) if match else None
        elif current is not None and ':\t' in line:
            current[line.split(':\t', 1)[1].split()[0]] += 1
    return found


def worked(histogram):
    return sum(n for word, n in histogram.items() if not FREE.match(word))


def compare(name, release, profiling):
    words = set(release) | set(profiling)
    apart = sum(abs(release[w] - profiling[w]) for w in words if not FREE.match(w))
    free = [sum(n for w, n in h.items() if FREE.match(w)) for h in (release, profiling)]
    work = worked(release)
    good = apart <= max(3, work // 10) and abs(free[0] - free[1]) <= max(12, free[0] // 4)
    check(name, good, '%d of %d instructions differ; moves %d and %d' % (apart, work, free[0], free[1]))


def main():
    release, profiling = sys.argv[1:3]
    ours, theirs = flags(release), flags(profiling)
    different = [path for path in ours if ours[path] != theirs.get(path)]
    check('same_commands_but_for_the_allowed_flags', ours.keys() == theirs.keys() and not different,
          '%d files%s' % (len(ours), ' ' + different[0] if different else ''))
    pair = [functions(os.path.join(build, 'sidetone')) for build in (release, profiling)]
    check('hot_functions_are_there', len(pair[0]) >= 3, ', '.join(sorted(pair[0])) or 'none found')
    for name in sorted(pair[0]):
        if name in pair[1]:
            compare(name, pair[0][name], pair[1][name])
        else:
            check(name, False, 'is inlined in the profiling build only')
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
