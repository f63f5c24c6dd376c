#!/usr/bin/env python3
"""Writes the small captures that the tests read, and expected.json with what must be found in them.

usage: make.py FOLDER. Each case is a file name, its bytes, and numbers: SIP messages, calls, streams, and `also`, paths
into the JSON report with their values ('~40.5': about; None: not there). `messages` are the lines of --json --messages in
order: for each a dictionary of paths, or, where there are thousands, a tuple of length, records and Call-ID, which go into
a file NAME.messages. `inputs` are files of the folder that are read together ('-': the next one comes as standard input). check.py
runs the cases. Same program, same bytes.
"""
import json
import os
import sys

sys.dont_write_bytecode = True

import cases_announce
import cases_call
import cases_carried
import cases_demux
import cases_dialog
import cases_envelope
import cases_file
import cases_fragment
import cases_legs
import cases_link
import cases_media
import cases_quality
import cases_playout
import cases_payload
import cases_random
import cases_rtcp
import cases_stream
import cases_syntax
import cases_torture
import cases_tunnel
import permute

MODULES = [
    cases_link,
    cases_tunnel,
    cases_file,
    cases_syntax,
    cases_torture,
    cases_call,
    cases_dialog,
    cases_media,
    cases_quality,
    cases_legs,
    cases_playout,
    cases_announce,
    cases_payload,
    cases_random,
    cases_rtcp,
    cases_stream,
    cases_carried,
    cases_fragment,
    cases_demux,
    cases_envelope,
    permute,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, expected = sys.argv[1], {}
    os.makedirs(folder, exist_ok=True)

    def add(name, data, sip=None, calls=None, streams=None, also=None, messages=None, inputs=None):
        assert name not in expected, name
        if data is not None:
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)
        want = expected[name] = {'sip_messages': sip, 'calls': calls, 'streams': streams, 'also': also or {}}
        if inputs:
            want['inputs'] = inputs
        if messages and isinstance(messages[0], tuple):
            with open(os.path.join(folder, name + '.messages'), 'w', encoding='utf-8') as file:
                file.writelines('%d %s %s\n' % (n, ','.join(map(str, records)), call_id) for n, records, call_id in messages)
        elif messages is not None:
            want['messages'] = messages

    for module in MODULES:
        module.cases(add)
    with open(os.path.join(folder, 'expected.json'), 'w', encoding='utf-8') as file:
        json.dump(expected, file, indent=1, sort_keys=True)
        file.write('\n')
    print('%d captures' % len(expected))


if __name__ == '__main__':
    main()
