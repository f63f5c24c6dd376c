#!/usr/bin/env python3
"""Measures what is promised of reading and writes docs/benchmarks.md: `./dev benchmarks` builds, then calls this.

usage: benchmarks.py PROGRAM FLOOR SIP_PARSE FOLDER OUTPUT [--runs N] [--only TEXT]

PROGRAM: the release build; FLOOR: bench/floor; SIP_PARSE: bench/sip_parse. Corpora are generated into FOLDER (about 3 GB)
and stay there. Everything is measured by `sidetone lab`, in turns; each table has the command that makes it again."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

UNIQUE = '--call-ids 0 --stream-pairs 0'
CORPORA = {  # name: (arguments of sidetone gen carrier, what it is)
    'carrier': ('', '5,000 calls, 10,000 streams of 50 packets, 100 calls at once'),
    'few': ('--calls 500', 'the same with 500 calls'),
    'wide': ('--calls 20000 ' + UNIQUE, '20,000 calls, 40,000 streams, 100 calls at once'),
    'live': ('--calls 20000 --concurrency 20000 ' + UNIQUE, '20,000 calls, all at once: no two packets in a row share a stream'),
    'trunk': ('--trunk ' + UNIQUE, 'as carrier, all media between one pair of addresses'),
    'minutes': ('--calls 100 --rtp-per-call 18000 ' + UNIQUE, '100 calls of three minutes'),
    'sip': ('--calls 142858 --rtp-per-call 0 ' + UNIQUE, 'a million SIP messages, no media'),
    'sip_tcp': ('--calls 142858 --rtp-per-call 0 --tcp ' + UNIQUE, 'the same over TCP, 100 connections'),
    'tcp': ('--tcp', 'as carrier, signalling over TCP'),
    'ipv6': ('--ipv6', 'as carrier, over IPv6'),
    'vlan': ('--vlan 100', 'as carrier, with an 802.1Q tag'),
    'pcapng': ('--pcapng', 'as carrier, as pcapng'),
}
PACKED = {'gzip': ('gz', 'gzip -kc', 'gzip -dc'), 'zstd': ('zst', 'zstd -qc', 'zstd -qdc'), 'lz4': ('lz4', 'lz4 -qc', 'lz4 -qdc')}

# Peak memory that a capture may take (MiB, bytes): a start, and for each call, stream and interval of 5 s.
BUDGET = (24 << 20, 1536, 512, 16)


def say(text):
    print(text, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, options):
        self.program, self.floor, self.folder, self.runs = options.program, options.floor, options.folder, options.runs
        self.parts, self.machine = [], None

    def path(self, name):
        return os.path.join(self.folder, name + '.pcap')

    def corpus(self, name):
        """The capture of that name, made if it is not there."""
        path = self.path(name)
        if not os.path.exists(path):
            say('making %s' % path)
            command = [self.program, 'gen', 'carrier', '--quiet', *CORPORA[name][0].split(), '--out', path + '.new']
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            os.rename(path + '.new', path)
        return path

    def packed(self, kind):
        ending, pack, _ = PACKED[kind]
        path = self.corpus('carrier') + '.' + ending
        if not os.path.exists(path):
            say('making %s' % path)
            with open(path + '.new', 'wb') as out:
                subprocess.run([*pack.split(), self.path('carrier')], check=True, stdout=out)
            os.rename(path + '.new', path)
        return path

    def lab(self, *arguments):
        """One measurement; returns its JSON."""
        say('sidetone lab ' + ' '.join(arguments))
        with tempfile.NamedTemporaryFile(suffix='.json') as file:
            run = subprocess.run([self.program, 'lab', *arguments, '--json', file.name], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, text=True)
            if run.returncode:
                sys.exit('benchmarks.py: sidetone lab %s: exit %d' % (' '.join(arguments), run.returncode))
            found = json.load(file)
        self.machine = self.machine or found.get('machine')
        found['text'] = run.stdout
        return found

    def scale(self, name, cores='1,2'):
        return self.lab('scale', self.program, self.corpus(name), '--cores', cores, '--runs', str(self.runs), '--quiet')

    def ab(self, a, b):
        return self.lab('ab', '--a', a, '--b', b, '--runs', str(max(self.runs, 6)), '--quiet')

    def read(self, path, *more):
        return ' '.join([self.program, 'read', '--cores', '1', *more, path])

    def add(self, title, *lines):
        self.parts.append('## %s\n\n%s\n' % (title, '\n'.join(lines)))

    # --- tables ---

    def shown(self, text):
        """Commands as a reader types them in the project's folder."""
        for long, short in ((self.program, 'sidetone'), (self.folder + '/', ''), (self.floor, 'bench_floor')):
            text = text.replace(long, short)
        return text

    def rates(self):
        rows, base = [], {}
        for name in ('carrier', 'trunk', 'few', 'wide', 'live', 'minutes', 'sip', 'sip_tcp'):
            found = self.scale(name)
            one, two = found['rows']
            floor = self.ab('%s %s' % (self.floor, self.corpus(name)), self.read(self.corpus(name)))
            base[name] = one
            rows.append('| `%s` | %s | %.1f M | %.0f | %.2f (%.2f to %.2f) | %.1f M | %.2f |' % (
                name, f"{found['corpus']['packets']:,}", one['packets_per_s'] / 1e6, one['bytes_per_s'] / 1e6,
                *(floor['cpu']['ratio'][key] for key in ('median', 'low', 'high')), two['packets_per_s'] / 1e6, two['speed_up']))
        cost = {name: 1e9 / base[name]['packets_per_s'] for name in base}
        self.add('Rates', 'Whole processes, from start to exit, default report; medians.', '',
                 '| capture | packets | packets/s, 1 core | MB/s | times the floor (95 %) | packets/s, 2 cores | speed-up |',
                 '|---|--:|--:|--:|--:|--:|--:|', *rows, '',
                 'The floor (`bench/floor.c`) is the loop that any reader needs at least: it walks records, goes to the UDP payload, finds the',
                 'stream and updates sequence number, loss and jitter; its column compares processor time of one core. A packet of `wide` costs',
                 '%.2f times one of `few`, one of `live` %.2f times: no cliff as state grows.' % (
                     cost['wide'] / cost['few'], cost['live'] / cost['few']), '',
                 '    sidetone lab scale sidetone CAPTURE --cores 1,2 --runs %d' % self.runs,
                 "    sidetone lab ab --a 'bench_floor CAPTURE' --b 'sidetone read --cores 1 CAPTURE' --runs %d" % max(self.runs, 6))

    def forms(self):
        plain = self.corpus('carrier')
        rows = []
        for name in ('ipv6', 'vlan', 'pcapng', 'tcp', 'sip', 'sip_tcp'):
            found = self.ab(self.read(plain), self.read(self.corpus(name)))
            bytes_more = os.path.getsize(self.path(name)) / os.path.getsize(plain)
            rows.append(self.form_row('`%s`' % name, CORPORA[name][1], found, bytes_more))
        messages = '%s read --cores 1 --json --messages %s | cat >/dev/null'
        sh = "sh -c '%s'"
        found = self.ab(self.read(plain), sh % (messages % (self.program, self.path('carrier'))))
        rows.append(self.form_row('`carrier`', '`--json --messages` into a pipe', found, 1))
        found = self.ab(self.read(plain), sh % (messages % (self.program, self.corpus('sip'))))
        rows.append(self.form_row('`sip`', '`--json --messages` into a pipe', found,
                                  os.path.getsize(self.path('sip')) / os.path.getsize(plain)))
        self.add('Other forms', 'Bytes of the capture read in a second, against the plain carrier capture (1.00), one core.', '',
                 '| capture | what | of the plain rate (95 %) |', '|---|---|--:|', *rows, '',
                 "    sidetone lab ab --a 'sidetone read --cores 1 carrier.pcap' --b 'sidetone read --cores 1 CAPTURE'")
        rows = []
        for kind, (ending, _, unpack) in PACKED.items():
            found = self.ab('%s %s' % (unpack, self.packed(kind)), '%s read %s' % (self.program, self.packed(kind)))
            ratio = found['wall']['ratio']
            rows.append('| %s | %.2f (%.2f to %.2f) |' % (kind, ratio['median'], ratio['low'], ratio['high']))
        self.add('Compressed captures', 'Time of reading `carrier` compressed, in times of its decompressor alone.', '',
                 '| format | times the decompressor (95 %) |', '|---|--:|', *rows, '',
                 "    sidetone lab ab --a 'gzip -dc carrier.pcap.gz' --b 'sidetone read carrier.pcap.gz'")

    @staticmethod
    def form_row(name, what, found, bytes_more):
        ratio = found['wall']['ratio']
        return '| %s | %s | %.2f (%.2f to %.2f) |' % (name, what, bytes_more / ratio['median'], bytes_more / ratio['high'],
                                                     bytes_more / ratio['low'])

    def size_of(self, name):
        report = json.loads(subprocess.run([self.program, 'read', '--json', self.corpus(name)], stdin=subprocess.DEVNULL,
                                           capture_output=True, check=True).stdout)
        streams = report['streams']
        return len(report['calls']), len(streams), sum(len(s.get('intervals', [])) for s in streams)

    def memory(self):
        rows = []
        for name in ('carrier', 'wide', 'live', 'minutes', 'sip', 'sip_tcp'):
            calls, streams, intervals = self.size_of(name)
            budget = BUDGET[0] + BUDGET[1] * calls + BUDGET[2] * streams + BUDGET[3] * intervals
            found = self.lab('scale', self.program, self.corpus(name), '--cores', '1,2,8', '--runs', '3', '--quiet')
            peaks = [row['peak_bytes']['max'] for row in found['rows']]
            fed = self.lab('ab', '--a', 'true', '--b', "sh -c 'cat %s | %s read --cores 2 -'" % (self.path(name), self.program),
                           '--runs', '3', '--quiet')
            peaks.append(max(sample['peak_bytes'] for sample in fed['b']['samples']))
            rows.append('| `%s` | %s | %s | %s | %s | %s |' % (
                name, f'{calls:,}', f'{streams:,}', f'{intervals:,}', ' | '.join('%.1f' % (peak / 2**20) for peak in peaks),
                '%.1f' % (budget / 2**20)))
        self.add('Memory', 'Peak resident memory in MiB, and what is allowed: 24 MiB, 1.5 KiB a call, 512 bytes a stream, 16 bytes an interval of 5 s.', '',
                 '| capture | calls | streams | intervals | 1 core | 2 cores | 8 cores | pipe, 2 cores | allowed |',
                 '|---|--:|--:|--:|--:|--:|--:|--:|--:|', *rows, '', '    sidetone lab scale sidetone CAPTURE --cores 1,2,8 --runs 3')

    def peers(self):
        found = self.lab('compare', self.corpus('carrier'), '--cores', '1,2', '--runs', '3')
        self.add('Against other programs', 'The carrier capture, with the same number of processors each, and what each makes of it.', '',
                 *('    ' + self.shown(line) if line else '' for line in found['text'].rstrip().split('\n')), '',
                 '    sidetone lab compare carrier.pcap --cores 1,2 --runs 3')

    def parser(self, sip_parse):
        say(sip_parse)
        text = subprocess.run([sip_parse], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
        self.add('The SIP parser alone', *('    ' + line if line else '' for line in text.rstrip().split('\n')), '',
                 '    ./dev bench sip_parse')

    def document(self, output):
        m = self.machine or {}
        version = subprocess.run([self.program, '--version'], capture_output=True, text=True).stdout.split('\n')
        head = ['# Benchmarks', '',
                'What is measured of reading, as `./dev benchmarks` found it; each table has the command that makes it again. Captures are',
                'made by `sidetone gen carrier`:', '', '| capture | made with | what it is |', '|---|---|---|']
        head += ['| `%s` | %s | %s |' % (name, '`%s`' % arguments if arguments else 'defaults', what)
                 for name, (arguments, what) in CORPORA.items()]
        head += ['', 'Machine: %s, %s processors, %s, %.1f GB; it is shared, so times of one table compare, absolute ones prove little.' % (
            m.get('cpu', 'unknown'), m.get('processors', '?'), m.get('kernel', '?'), m.get('memory_bytes', 0) / 1e9),
            'Build: %s. Date: %s.' % (version[0], (m.get('time') or '')[:10]), '']
        with open(output + '.new', 'w', encoding='utf-8') as file:
            file.write('\n'.join(head) + '\n' + '\n'.join(self.parts))
        os.replace(output + '.new', output)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('program', 'floor', 'sip_parse', 'folder', 'output'):
        arguments.add_argument(name)
    arguments.add_argument('--runs', type=int, default=9)
    arguments.add_argument('--only', default='', help='only tables whose name contains this, printed instead of written')
    options = arguments.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    bench = Bench(options)
    tables = {'rates': bench.rates, 'forms': bench.forms, 'memory': bench.memory, 'peers': bench.peers,
              'parser': lambda: bench.parser(options.sip_parse)}
    for name, table in tables.items():
        if options.only in name:
            table()
    if options.only:
        print('\n'.join(bench.parts))
    else:
        bench.document(options.output)


if __name__ == '__main__':
    main()
