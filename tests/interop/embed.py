#!/usr/bin/env python3
"""The library as another program meets it: installed, found by pkg-config, compiled and linked against, both ways.

usage: embed.py BUILD        last line: N passed, N failed"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = r'''
#include <sidetone/read.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct sidetone_report *report;
    const char *paths[] = {argv[argc - 1]};
    int status = sidetone_read(paths, 1, NULL, &report);
    const struct sidetone_capture *capture = sidetone_report_capture(report);
    printf("%d %llu %zu %zu\n", status, (unsigned long long)capture->packets, sidetone_report_calls(report),
           sidetone_report_streams(report));
    sidetone_report_free(report);
    return 0;
}
'''
build = os.path.abspath(sys.argv[1])


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    return done.returncode, done.stdout, done.stdout + done.stderr


def check_exports(library):
    text = run(['nm', '-D', '--defined-only', library])[1]
    names = [line.split()[-1].split('@')[0] for line in text.splitlines()]
    strangers = [name for name in names if not name.startswith('sidetone_')]
    check('library_exports_only_its_interface', names and not strangers, strangers[:5])
    declared = set()
    for header in ('read.h', 'report.h', 'stats.h'):
        with open(os.path.join(ROOT, 'include/sidetone', header), encoding='utf-8') as file:
            declared |= set(re.findall(r'^SIDETONE_API[^;(]*?(\w+)\(', file.read(), re.M))
    check('library_exports_all_that_headers_declare', declared and declared <= set(names), declared - set(names))


def check_program(folder, language, static, capture):
    name = 'embedded_%s_%s' % (language, 'static' if static else 'shared')
    source, program = os.path.join(folder, 'main.' + language), os.path.join(folder, name)
    with open(source, 'w', encoding='utf-8') as file:
        file.write(PROGRAM)
    env = dict(os.environ)
    env['PKG_CONFIG_PATH'] = os.path.dirname(find(folder, 'libsidetone.pc'))
    env['PKG_CONFIG_SYSROOT_DIR'] = folder
    pkg_config = ['pkg-config', '--cflags', '--libs', 'libsidetone'] + (['--static'] if static else [])
    words = run(pkg_config, env=env)[1].split()
    if static:
        words = [find(folder, 'libsidetone.a') if word == '-lsidetone' else word for word in words]
    compiler = ['gcc', '-std=c11'] if language == 'c' else ['g++', '-std=c++11']
    code, _, text = run(compiler + ['-Wall', '-Wextra', '-Werror', source, '-o', program] + words)
    if code:
        check(name, False, text)
        return
    env['LD_LIBRARY_PATH'] = os.path.dirname(find(folder, 'libsidetone.so'))
    code, _, text = run([program, capture], env=env)
    check(name, code == 0 and text.split() == ['0', '535', '5', '10'], text)


def find(folder, name):
    for at, _, files in os.walk(folder):
        if name in files:
            return os.path.join(at, name)
    return ''


def main():
    with tempfile.TemporaryDirectory() as folder:
        code, _, text = run(['meson', 'install', '-C', build, '--no-rebuild', '--destdir', folder])
        check('library_installs', code == 0, text[-500:])
        check_exports(find(folder, 'libsidetone.so'))
        capture = os.path.join(folder, 'small.pcap')
        code, _, text = run([os.path.join(build, 'sidetone'), 'gen', 'carrier', '--calls', '5', '--concurrency', '2',
                             '--out', capture])
        check('installed_program_runs', code == 0, text)
        for language in ('c', 'cc') if shutil.which('g++') else ('c',):
            for static in (True, False):
                check_program(folder, language, static, capture)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
