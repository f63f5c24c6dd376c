#!/usr/bin/env python3
"""Runs every test of the project and counts them: `./dev test` builds, then calls this.

usage: run_tests.py [--only TEXT] [--jobs N]

A test program says what it did in one of two ways: TAP lines (cmocka), one for each test; or a last line
'N passed, N failed[, N skipped]'. A fuzz target's replay counts as one test. A program that crashes, hangs or says
nothing is one failed test. The last line here is the sum; exit 1 when anything failed."""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNTS = re.compile(r'^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$')
TAP = re.compile(r'^(not )?ok \d+(?: - (.*))?$')
TAP_SKIP = re.compile(r'^(?:not )?ok \d+ # SKIP (.*)$')  # cmocka calls a skipped test "not ok"
PLAN = re.compile(r'^1\.\.(\d+)')


class Job:
    """One program to run: `kind` is 'tap', 'counts' or 'status'."""

    def __init__(self, name, command, kind, timeout=120, skip=None):
        self.name, self.command, self.kind, self.timeout, self.skip = name, command, kind, timeout, skip
        self.passed = self.failed = self.skipped = 0
        self.faults, self.output, self.seconds = [], '', 0.0

    def run(self):
        if self.skip:
            self.skipped = 1
            return self
        env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT='TAP', ASAN_OPTIONS='detect_stack_use_after_return=1',
                   UBSAN_OPTIONS='print_stacktrace=1', TSAN_OPTIONS='halt_on_error=1', PYTHONDONTWRITEBYTECODE='1')
        begin = time.monotonic()
        try:
            done = subprocess.run(self.command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=self.timeout)
            self.output, status = done.stdout.decode('utf-8', 'replace'), done.returncode
        except subprocess.TimeoutExpired as late:
            self.output, status = (late.stdout or b'').decode('utf-8', 'replace'), 'no end within %d s' % self.timeout
        except OSError as error:
            status = str(error)
        self.seconds = time.monotonic() - begin
        getattr(self, 'count_' + self.kind)(status)
        return self

    def fault(self, text):
        self.failed += 1
        self.faults.append(text)

    def count_tap(self, status):
        if not any(PLAN.match(line) for line in self.output.splitlines()):
            self.count_counts(status)  # a program that counts by itself, or nothing
            return
        planned = 0
        for line in self.output.splitlines():
            plan, result = PLAN.match(line), TAP.match(line)
            if TAP_SKIP.match(line):
                self.skipped += 1
            elif plan:
                planned += int(plan.group(1))
            elif result and result.group(1):
                self.fault(result.group(2) or line)
            elif result:
                self.passed += 1
        seen = self.passed + self.failed + self.skipped
        if seen < planned:
            self.fault('%d of %d tests were not reached (exit %s)' % (planned - seen, planned, status))
        elif seen == 0:
            self.fault('no test was run (exit %s)' % status)
        elif status != 0 and not self.failed:
            self.fault('exit %s although every test passed' % status)

    def count_counts(self, status):
        lines = self.output.rstrip().splitlines()
        match = COUNTS.match(lines[-1]) if lines else None
        if not match:
            self.fault('no closing line (exit %s)' % status)
            return
        self.passed, failed, self.skipped = int(match.group(1)), int(match.group(2)), int(match.group(3) or 0)
        self.failed = failed
        if failed:
            self.faults.append('%d failed' % failed)
        elif status != 0:
            self.fault('exit %s although nothing failed' % status)

    def count_status(self, status):
        if status == 0:
            self.passed = 1
        else:
            self.fault('exit %s' % status)

    def report(self):
        if self.skip:
            print('  skip %-38s %s' % (self.name, self.skip))
        elif self.failed:
            print('  FAIL %-38s %s' % (self.name, '; '.join(self.faults)))
            tail = self.output.splitlines()[-60:]
            print('\n'.join('       | ' + line for line in tail))
        else:
            skipped = ', %d skipped' % self.skipped if self.skipped else ''
            print('  ok   %-38s %d%s (%.1f s)' % (self.name, self.passed, skipped, self.seconds))
        sys.stdout.flush()


def meson_tests(build, suites):
    """The tests of a build directory that belong to one of the suites."""
    text = subprocess.run(['meson', 'introspect', '--tests', os.path.join(ROOT, 'build', build)],
                          capture_output=True, check=True).stdout
    for test in json.loads(text):
        own = {suite.split(':')[-1] for suite in test['suite']}
        if own & set(suites):
            kind = 'status' if 'fuzz' in own else 'tap'
            yield Job('%s/%s' % (build, test['name']), test['cmd'], kind, test['timeout'] * 3)


def script(name, path, arguments, timeout=300):
    """A test that is a script: its last line counts. What is not there is skipped, never silently."""
    if not os.path.exists(os.path.join(ROOT, path)):
        return Job(name, [], 'counts', skip='%s is not there' % path)
    return Job(name, [sys.executable, os.path.join(ROOT, path)] + arguments, 'counts', timeout)


def captures(program):
    """The generated captures: written to build/captures, then read and compared."""
    folder = 'build/captures'
    line = 'rm -rf {0} && mkdir -p {0} && "$0" tests/captures/make.py {0} >/dev/null && ' \
           '"$0" tests/captures/check.py --bin {1} {0}'.format(folder, program)
    return Job('captures', ['bash', '-c', line, sys.executable], 'counts', 600)


def shared_cases(program):
    """Captures that stand beside the checkout on the maintainers' machines."""
    folder = '../shared/cases'
    if not os.path.exists(os.path.join(ROOT, folder, 'check')):
        return Job('shared_cases', [], 'counts', skip='%s is not there' % folder)
    return script('shared_cases', 'tests/interop/shared_cases.py', [program, folder], 600)


def shared_captures(program):
    """Captures of other projects, which stand there too."""
    folder = '../shared/captures'
    if not os.path.exists(os.path.join(ROOT, folder, 'truth')):
        return Job('shared_captures', [], 'counts', skip='%s is not there' % folder)
    return script('shared_captures', 'tests/captures/truth.py', [program, folder], 600)


def all_jobs():
    program = 'build/asan/sidetone'
    jobs = [captures(program)]
    jobs += meson_tests('dev', ['unit'])
    jobs += meson_tests('asan', ['unit', 'fuzz'])
    jobs += meson_tests('tsan', ['threads'])
    jobs += [
        script('bench', 'tests/interop/bench.py', []),
        script('gen_cli', 'tests/interop/gen_cli.py', [program]),
        script('read_cli', 'tests/interop/read_cli.py', [program]),
        script('carrier/release', 'tests/interop/carrier.py', ['build/release/sidetone']),
        script('carrier/asan', 'tests/interop/carrier.py', [program, '500']),
        script('carrier/tsan', 'tests/interop/carrier.py', ['build/tsan/sidetone', '500']),
        script('stats_cli', 'tests/interop/stats_cli.py', [program]),
        script('busy', 'tests/interop/busy.py', ['build/release/sidetone']),
        script('documents', 'tests/interop/documents.py', ['build/release/sidetone']),
        script('lab', 'tests/interop/lab.py', [program]),
        script('lab_compare', 'tests/interop/lab_compare.py', ['build/release/sidetone']),
        script('lab_gate', 'tests/interop/lab_gate.py', ['build/release/sidetone']),
        script('readme', 'tests/interop/readme.py', ['build/release/sidetone']),
        script('start', 'tests/interop/start.py', ['build/release/sidetone']),
        script('embed', 'tests/interop/embed.py', ['build/release']),
        script('profiling_is_release', 'tools/compare_profiles.py', ['build/release', 'build/profiling']),
        shared_cases(program),
        shared_captures(program),
    ]
    return jobs


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument('--only', default='', help='run only tests whose name contains this')
    arguments.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    options = arguments.parse_args()
    jobs = [job for job in all_jobs() if options.only in job.name]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in pool.map(Job.run, jobs):
            job.report()
    passed, failed, skipped = (sum(getattr(job, key) for job in jobs) for key in ('passed', 'failed', 'skipped'))
    print('%d passed, %d failed' % (passed, failed) + (', %d skipped' % skipped if skipped else ''))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
