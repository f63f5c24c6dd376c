#!/usr/bin/env python3
"""Finds the hash of header names and writes its table to src/wire/sip/names.c, its factor to names.h, after a name was added
to SIP_HEADER_NAMES.

usage: header_slots.py        The factor is the first that leaves no two names in one slot, but for names that no factor can
part (equal in length, first and last letter): those stand next to each other there and share one."""
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'src/wire/sip')
SLOTS = 256


def key(name):
    return len(name), ord(name[0]) | 0x20, ord(name[-1]) | 0x20


def fits(names, factor):
    """The slots by number, or None where two names that could be parted meet."""
    slots = {}
    for i, name in enumerate(names):
        length, first, last = key(name)
        slot = (((first | last << 8) * factor % 2**32 >> 16) + length) % SLOTS
        if slot in slots and key(names[slots[slot]]) != key(name):
            return None
        slots.setdefault(slot, i)
    return slots


def search(names):
    for factor in range(1, 2**32, 2):
        slots = fits(names, factor)
        if slots:
            return factor, slots
    raise SystemExit('no factor: the hash needs another letter')


def read(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
        return file.read()


def write(name, text):
    with open(os.path.join(FOLDER, name), 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    text = read('names.c')
    names = re.findall(r'HEADER\("([^"]+)"', text)
    factor, slots = search(names)
    rows = [', '.join(str(slots.get(row + i, -1) + 1) for i in range(16)) for row in range(0, SLOTS, 16)]
    write('names.c', re.sub(r'(SIP_HEADER_SLOTS\[256\] = \{\n).*?(\n\};)',
                            lambda m: m.group(1) + '\n'.join('    %s,' % r for r in rows) + m.group(2), text, flags=re.S))
    write('names.h', re.sub(r'(#define SIP_HEADER_FACTOR +)\d+u', r'\g<1>%du' % factor, read('names.h')))
    print('%d names, factor %d' % (len(names), factor))


if __name__ == '__main__':
    main()
