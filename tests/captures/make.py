#!/usr/bin/env python3
"""Writes the small captures that the tests read, and expected.json with what must be found in them.

usage: make.py FOLDER. Each case is a file name, its bytes, and numbers: SIP messages, calls, streams, and `also`, paths
into the JSON report with their values ('~40.5': about). check.py runs them. Same program, same bytes.
"""
import json
import os
import sys

sys.dont_write_bytecode = True

import cases_call
import cases_file
import cases_link
import cases_media
import cases_random
import cases_syntax
import cases_tunnel


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, expected = sys.argv[1], {}
    os.makedirs(folder, exist_ok=True)

    def add(name, data, sip=None, calls=None, streams=None, also=None):
        assert name not in expected, name
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
        expected[name] = {'sip_messages': sip, 'calls': calls, 'streams': streams, 'also': also or {}}

    for module in (cases_link, cases_tunnel, cases_file, cases_syntax, cases_call, cases_media, cases_random):
        module.cases(add)
    with open(os.path.join(folder, 'expected.json'), 'w', encoding='utf-8') as file:
        json.dump(expected, file, indent=1, sort_keys=True)
        file.write('\n')
    print('%d captures' % len(expected))


if __name__ == '__main__':
    main()
