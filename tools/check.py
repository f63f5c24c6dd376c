#!/usr/bin/env python3
"""Holds the files to the habits of the house in seconds: `./dev check`.

Format, headers that compile alone, arrows between rooms, banned functions, first sentences, lengths, lists of meson,
man page and completion that know every verb. Prints file:line: what is wrong; exit 1 where anything is."""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINES_MAX = 500

# What a room may include besides itself and the public headers (ARCHITECTURE.md). `read` and `track` never meet.
ARROWS = {
    'base': set(),
    'wire': {'base'},
    'decode': {'base', 'wire'},
    'read': {'base', 'wire', 'decode'},
    'flow': {'base', 'wire', 'decode'},
    'track': {'base', 'wire'},
    'judge': {'base', 'wire', 'track'},
    'listen': {'base', 'wire', 'decode', 'read', 'flow', 'track', 'judge'},
    'count': {'base', 'wire', 'listen'},
    'gen': {'base', 'wire'},
    'lab': {'base', 'gen'},
    'show': {'base', 'lab'},
    'prog': {'base', 'wire', 'read', 'track', 'judge', 'listen', 'gen', 'lab', 'show'},
}
# Single headers beside those arrows, each with its reason.
EXCEPTIONS = {
    ('show', 'wire/address.h'): 'an address has one text form',
    ('judge', 'sidetone/report.h'): 'a finding has the severities of the report',
}
# Rooms that know the report, the library's outer face.
PUBLIC_FACE = {'listen', 'count', 'show', 'prog'}

BANNED = re.compile(r'\b(strcpy|strcat|sprintf|vsprintf|strtok|strtok_r|atoi|atol|atof|gets|sscanf|alloca|strncpy)\s*\(')
# The clock, the heap and I/O belong to others than wire/ (ARCHITECTURE.md).
WIRE_BANNED = re.compile(r'\b(malloc|calloc|realloc|free|memory_\w+|fopen|open|read|write|fprintf|printf|time|'
                         r'clock_gettime|gettimeofday)\s*\(')
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
BRACELESS = re.compile(r'^\s*(?:\} else )?(?:if|for|while)\s*\(.*\)\s*[^{;]*;\s*$|^\s*else\s+[^{i].*;\s*$')


def tracked(*endings):
    """Files of the project by ending; git is not asked, so that an unpacked archive can be checked too."""
    found = []
    for at, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ('build', '.git', '__pycache__')]
        found += [os.path.relpath(os.path.join(at, f), ROOT) for f in files if f.endswith(endings)]
    return sorted(found)


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read().split('\n')


def code_lines(path):
    """Lines with comments and the insides of strings blanked: (number, text)."""
    text = '\n'.join(lines_of(path))
    def blank(match):
        found = match.group(0)
        return re.sub(r'[^\n]', ' ', found) if found.startswith('/') else found[0] + re.sub(r'[^\n]', ' ', found[1:-1]) + found[0]
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return list(enumerate(text.split('\n'), 1))


def check_format(files):
    def one(group):
        run = subprocess.run(['clang-format-14', '--dry-run', '-Werror'] + group, cwd=ROOT, capture_output=True, text=True)
        seen = set()
        for line in run.stderr.splitlines():
            match = re.match(r'(\S+?):(\d+):\d+: error: (.*)', line)
            if match and match.group(1) not in seen:
                seen.add(match.group(1))
                yield '%s:%s: not formatted (./dev format)' % match.group(1, 2)
        if run.returncode and not seen:
            yield 'clang-format-14: ' + run.stderr.strip()[:300]
    groups = [files[i::4] for i in range(4) if files[i::4]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for faults in pool.map(lambda group: list(one(group)), groups):
            yield from faults


def check_headers_alone(headers):
    def one(path):
        run = subprocess.run(['gcc', '-std=c17', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Wpedantic', '-Werror',
                              '-fsyntax-only', '-Isrc', '-Iinclude', '-Itests', '-x', 'c', '-'],
                             cwd=ROOT, capture_output=True, text=True, input='#include "%s"\n' % path)
        if run.returncode:
            first = next((l for l in run.stderr.splitlines() if 'error' in l), run.stderr[:200])
            return ['%s:1: does not compile alone: %s' % (path, first)]
        return []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for faults in pool.map(one, headers):
            yield from faults


def check_arrows(files):
    for path in files:
        parts = path.split('/')
        room = parts[1] if parts[0] == 'src' else None
        if parts[0] not in ('src', 'include'):
            continue
        for number, line in enumerate(lines_of(path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            to = target.split('/')[0]
            if parts[0] == 'include':
                if to != 'sidetone':
                    yield '%s:%d: a public header includes %s' % (path, number, target)
            elif room not in ARROWS:
                yield '%s:1: room %s is not in the list of tools/check.py' % (path, room)
                break
            elif to == 'sidetone':
                if room not in PUBLIC_FACE and (room, target) not in EXCEPTIONS:
                    yield '%s:%d: room %s does not know the report (%s)' % (path, number, room, target)
            elif '/' not in target:
                yield '%s:%d: write "%s/..." (paths start at src)' % (path, number, room)
            elif to != room and to not in ARROWS[room] and (room, target) not in EXCEPTIONS:
                yield '%s:%d: no arrow from %s to %s (%s)' % (path, number, room, to, target)


def check_words(files):
    for path in files:
        wire = path.startswith('src/wire/')
        for number, line in code_lines(path):
            match = BANNED.search(line)
            if match:
                yield '%s:%d: %s is banned' % (path, number, match.group(1))
            match = wire and WIRE_BANNED.search(line)
            if match:
                yield '%s:%d: %s in wire/: no allocation, I/O or clock there' % (path, number, match.group(1))
            if BRACELESS.match(line) and not line.rstrip().endswith('\\'):
                yield '%s:%d: braces, always' % (path, number)


def first_sentence(path):
    lines = lines_of(path)
    at = 1 if lines[0].startswith('#!') else 0
    line = lines[at].strip() if at < len(lines) else ''
    match = re.match(r'(?://|/\*|#|\.\\"|"""|r""")\s*(.*)', line)
    return match and len(match.group(1).split()) >= 2


def check_files(files):
    for path in files:
        lines = lines_of(path)
        if not first_sentence(path):
            yield '%s:1: begins without a sentence that says what it is for' % path
        if len(lines) > LINES_MAX and not any('long because' in line for line in lines[:40]):
            yield '%s:%d: longer than %d lines without a "long because ..." at its head' % (path, len(lines), LINES_MAX)
        if lines[-1] != '':
            yield '%s:%d: no newline at the end' % (path, len(lines))
        for number, line in enumerate(lines, 1):
            if line.rstrip() != line:
                yield '%s:%d: blanks at the end of the line' % (path, number)


def check_guards(headers):
    for path in headers:
        name = re.sub(r'^(src|include)/', '', path)
        name = re.sub(r'^sidetone/', '', name)
        want = 'SIDETONE_' + re.sub(r'[/.]', '_', name).upper()
        if not any(line.strip() == '#ifndef ' + want for line in lines_of(path)) and not path.startswith('tests/'):
            yield '%s:1: its guard is not %s' % (path, want)


def check_lists():
    """Every source, test, fuzz target and bench is built, and every fuzz target has a corpus."""
    def listed(meson):
        path = os.path.join(ROOT, meson)
        return set(re.findall(r"'([^']+)'", '\n'.join(lines_of(meson)))) if os.path.exists(path) else set()
    for path in tracked('.c'):
        folder, name = os.path.split(path)
        if path.startswith('src/') and name not in listed(folder + '/meson.build'):
            # A room may list its subfolders' files itself.
            parent = os.path.dirname(folder)
            if folder.split('/')[-1] + '/' + name not in listed(parent + '/meson.build'):
                yield '%s:1: is in no meson.build' % path
        elif path.startswith('tests/unit/') and name[:-2] not in listed(folder + '/meson.build'):
            yield '%s:1: is not in the lists of tests/unit/meson.build' % path
        elif path.startswith('tests/fuzz/fuzz_'):
            target = name[len('fuzz_'):-2]
            if target not in listed('tests/fuzz/meson.build'):
                yield '%s:1: is not in the list of tests/fuzz/meson.build' % path
            if not os.path.isdir(os.path.join(ROOT, 'tests/fuzz/corpus', target)):
                yield '%s:1: has no seeds in tests/fuzz/corpus/%s' % (path, target)
        elif path.startswith('bench/') and name[:-2] not in listed('bench/meson.build'):
            yield '%s:1: is not in the list of bench/meson.build' % path


def check_verbs():
    """The man page and the completion mention every verb that prog/main.c dispatches."""
    if not os.path.exists(os.path.join(ROOT, 'src/prog/main.c')):
        return
    verbs = re.findall(r'\{"([a-z0-9]+)",\s*"[^"]*",\s*prog_', '\n'.join(lines_of('src/prog/main.c')))
    if not verbs:
        yield 'src/prog/main.c:1: no table of verbs ({"verb", "what it does", prog_verb}) was found'
    for document in ('docs/sidetone.1', 'tools/sidetone.bash'):
        text = '\n'.join(lines_of(document))
        for verb in verbs:
            if not re.search(r'\b%s\b' % verb, text):
                yield '%s:1: does not mention the verb %s' % (document, verb)


def check_documents():
    """Files and folders that documents name are there."""
    for path in tracked('.md'):
        for number, line in enumerate(lines_of(path), 1):
            names = re.findall(r'`((?:src|include|tests|tools|bench|docs)/[\w./*-]+)`', line)
            links = [os.path.join(os.path.dirname(path), link)
                     for link in re.findall(r'\]\((?!\w+:|#)([^)#\s]+)', line)]
            for name in names + links:
                if not glob.glob(os.path.join(ROOT, name)):
                    yield '%s:%d: %s is not there' % (path, number, name)


def check_shell(files):
    for path in files:
        run = subprocess.run(['bash', '-n', os.path.join(ROOT, path)], capture_output=True, text=True)
        if run.returncode:
            yield '%s:1: %s' % (path, run.stderr.strip())


def main():
    c_files, headers = tracked('.c', '.h'), tracked('.h')
    scripts = tracked('.sh', '.bash') + ['dev', '.ci/run']
    faults = []
    for found in (check_format(c_files), check_headers_alone(headers), check_arrows(c_files), check_words(c_files),
                  check_files(c_files + scripts + tracked('.py')), check_guards(headers), check_lists(),
                  check_verbs(), check_documents(), check_shell(scripts)):
        faults += found
    for fault in faults:
        print(fault)
    if faults:
        print('%d things to put right' % len(faults))
        return 1
    print('check: %d C files hold to the habits' % len(c_files))
    return 0


if __name__ == '__main__':
    sys.exit(main())
