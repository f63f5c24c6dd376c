#!/usr/bin/env python3
"""What the program costs before it does anything: `sidetone --version` within 2 ms and 4 MB.

usage: start.py PROGRAM (a release build). The time is the best of many runs, since a busy machine only makes it
longer. The memory is the kernel's high-water mark of the program while it waits for a full pipe to take its words: the
figure that wait() gives counts the pages of the parent too. Ends with 'N passed, N failed'."""
import fcntl
import os
import re
import sys
import time

RUNS = 60
TIME_MAX_MS = 2.0
MEMORY_MAX_KB = 4096


def start(program, out):
    return os.posix_spawn(program, [program, '--version'], os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])


def milliseconds(program, out):
    begin = time.monotonic()
    _, status = os.waitpid(start(program, out), 0)
    return (time.monotonic() - begin) * 1e3 if status == 0 else float('inf')


def fill(out):
    """Fills a pipe to its last byte."""
    flags = fcntl.fcntl(out, fcntl.F_GETFL)
    fcntl.fcntl(out, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    for size in (4096, 1):
        try:
            while True:
                os.write(out, b' ' * size)
        except BlockingIOError:
            pass
    fcntl.fcntl(out, fcntl.F_SETFL, flags)


def peak_kb(program):
    read_end, write_end = os.pipe()
    fill(write_end)
    pid = start(program, write_end)
    status = ''
    while 'pipe_write' not in status: # it has come to its last act
        with open('/proc/%d/wchan' % pid, encoding='ascii') as file:
            status = file.read()
        if status == '0' and os.path.exists('/proc/%d/stat' % pid):
            with open('/proc/%d/stat' % pid, encoding='ascii') as file:
                if file.read().rsplit(')', 1)[1].split()[0] == 'S':
                    break # a kernel that tells no names of what a process waits for
        os.sched_yield()
    with open('/proc/%d/status' % pid, encoding='ascii') as file:
        peak = int(re.search(r'VmHWM:\s+(\d+) kB', file.read()).group(1))
    os.close(write_end)
    while os.read(read_end, 65536):
        pass
    os.waitpid(pid, 0)
    return peak


def main():
    program = os.path.abspath(sys.argv[1])
    null = os.open('/dev/null', os.O_WRONLY)
    fastest = min(milliseconds(program, null) for _ in range(RUNS))
    peak = peak_kb(program)
    checks = [
        ('%.2f ms, at most %.1f' % (fastest, TIME_MAX_MS), fastest <= TIME_MAX_MS),
        ('%d kB, at most %d' % (peak, MEMORY_MAX_KB), peak <= MEMORY_MAX_KB),
    ]
    for name, good in checks:
        print('%s --version: %s' % ('ok  ' if good else 'FAIL', name))
    failed = sum(not good for _, good in checks)
    print('%d passed, %d failed' % (len(checks) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
