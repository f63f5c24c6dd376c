"""What the scripts here count: a line for each check, and the last line 'N passed, N failed[, N skipped]'."""
counts = {'passed': 0, 'failed': 0, 'skipped': 0}


def check(name, good, detail=''):
    counts['passed' if good else 'failed'] += 1
    print('ok   %s' % name if good else 'FAIL %s %s' % (name, detail))


def skip(name, reason):
    counts['skipped'] += 1
    print('skip %s (%s)' % (name, reason))


def end():
    """Says the last line and returns the exit status."""
    skipped = ', %(skipped)d skipped' % counts if counts['skipped'] else ''
    print('%(passed)d passed, %(failed)d failed' % counts + skipped)
    return 1 if counts['failed'] else 0
