#!/usr/bin/env python3
"""`sidetone read --stats` as users and their scripts meet it: words, exit statuses, the same numbers at every door.

usage: stats_cli.py PROGRAM        last line: N passed, N failed"""
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIELDS = ['src', 'dst', 'from_host', 'to_host', 'from_user', 'to_user', 'user_agent', 'method', 'kind', 'state', 'final_code',
          'transport', 'codec', 'ended_by', 'minute', 'hour', 'prefix:1', 'prefix:15']
program = sys.argv[1]


def read(*arguments, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    options.setdefault('stdout', subprocess.PIPE)
    return subprocess.run([program, 'read', *arguments], stderr=subprocess.PIPE, timeout=120, **options)


def stats_of(*arguments):
    return json.loads(read('--stats', '--json', *arguments).stdout)


def check_words(good):
    cases = [
        ('unknown_field_names_the_nearest', ['--stats', '--group-by', 'from_hots', good], "did you mean 'from_host'"),
        ('unknown_field_lists_all', ['--stats', '--group-by', 'colour', good], 'src, dst, from_host'),
        ('field_that_takes_no_number', ['--stats', '--group-by', 'src:3', good], "no 'src:3'"),
        ('prefix_without_digits', ['--stats', '--group-by', 'prefix', good], 'prefix:4'),
        ('prefix_of_0', ['--stats', '--group-by', 'prefix:0', good], '1 to 15'),
        ('prefix_of_16', ['--stats', '--group-by', 'prefix:16', good], '1 to 15'),
        ('prefix_of_words', ['--stats', '--group-by', 'prefix:x', good], '1 to 15'),
        ('group_by_without_stats', ['--group-by', 'src', good], '--group-by goes with --stats'),
        ('csv_without_stats', ['--csv', good], '--csv goes with --stats'),
        ('markdown_without_stats', ['--markdown', good], '--markdown goes with --stats'),
        ('two_doors', ['--stats', '--csv', '--json', good], 'choose one'),
        ('stats_and_messages', ['--stats', '--messages', good], 'choose one'),
        ('missing_value', ['--stats', '--group-by'], "'--group-by'"),
        ('empty_field', ['--stats', '--group-by', '', good], 'src, dst'),
    ]
    for name, arguments, words in cases:
        run = read(*arguments)
        text = run.stderr.decode()
        check(name + '_is_usage', run.returncode == 2 and words in text and run.stdout == b'' and text.count('\n') == 1,
              (run.returncode, text))


def check_same(path):
    for door in (['--json'], ['--csv'], ['--markdown'], []):
        for group in ([], ['--group-by', 'minute'], ['--group-by', 'from_user']):
            runs = {read('--stats', *door, *group, '--cores', cores, '--chunk-bytes', chunk, path).stdout
                    for cores, chunk in (('1', '0'), ('2', '4096'), ('5', '0'), ('3', '65536'))}
            check('same_for_every_number_of_cores_%s_%s' % (''.join(door), ''.join(group)), len(runs) == 1)
    with open(path, 'rb') as file:
        piped = read('--stats', '--json', '-', stdin=file)
    check('same_from_a_pipe', piped.stdout == read('--stats', '--json', path).stdout)


def cells(line):
    """The cells of a row of Markdown, with its escapes taken back."""
    return [re.sub(r'\\([\\`*_\[\]<>|&~$])', r'\1', cell.strip()) for cell in re.split(r'(?<!\\)\|', line)[1:-1]]


def shown(value):
    return {True: 'true', False: 'false'}.get(value, None) if isinstance(value, bool) else str(value)


def check_doors(path):
    """Every number of the JSON stands in the CSV, and every row of the Markdown in the JSON."""
    document = stats_of(path)
    rows = list(csv.reader(io.StringIO(read('--stats', '--csv', path).stdout.decode(), newline='')))
    check('csv_rows_have_four_cells', rows[0] == ['table', 'key', 'field', 'value'] and all(len(r) == 4 for r in rows))
    have = {(table, field): value for table, key, field, value in rows if table in ('total', 'series')}
    want = {(table, field): shown(value) for table in ('total', 'series') for field, value in document['stats'][table].items()}
    check('csv_has_the_total_of_the_json', have == want, set(have.items()) ^ set(want.items()))
    have = {(key, field): value for table, key, field, value in rows if table == 'addresses'}
    want = {(row['address'], field): shown(value) for row in document['stats']['addresses'] for field, value in row.items()
            if field != 'address'}
    check('csv_has_the_addresses_of_the_json', have == want)
    for field in FIELDS:
        name = field.split(':')[0]
        groups = stats_of('--group-by', field, path)['stats']['groups']
        table = list(csv.DictReader(io.StringIO(read('--stats', '--csv', '--group-by', field, path).stdout.decode(), newline='')))
        for row in table:
            row[name] = row[name][1:] if row[name].startswith("'+") else row[name]
        want = [{key: shown(value) for key, value in group.items()} for group in groups]
        check('csv_groups_are_those_of_the_json_' + field,
              [{key: value for key, value in row.items() if value} for row in table] == want)
        lines = read('--stats', '--markdown', '--all', '--group-by', field, path).stdout.decode().split('\n### By ')[1].split('\n')[2:-1]
        titles = cells(lines[0])
        check('markdown_groups_are_those_of_the_json_' + field,
              [dict(zip(titles, cells(line))) for line in lines[2:]] ==
              [{title: group.get(title, '') for title in titles} for group in want])


def check_sums(folder):
    """Every capture of the tests together: what is counted twice agrees."""
    report = json.loads(read('--json', folder).stdout)
    document = stats_of(folder)
    capture, stats = document['capture'], document['stats']
    total = stats['total']
    check('same_capture', capture == report['capture'])
    check('methods_are_all_messages', sum(m['requests'] + m['responses'] for m in stats['methods']) == capture['sip_messages'])
    check('codes_are_all_responses', sum(c['responses'] for c in stats['codes']) == sum(m['responses'] for m in stats['methods']))
    check('codes_are_their_retransmissions', sum(c['retransmissions'] for c in stats['codes'])
          == sum(m['response_retransmissions'] for m in stats['methods']))
    check('retransmissions_are_those_of_the_calls', total['retransmissions'] == sum(c['retransmissions'] for c in report['calls'])
          == sum(m['request_retransmissions'] + m['response_retransmissions'] for m in stats['methods']))
    check('states_are_all_entries', sum(s['count'] for s in stats['states']) == len(report['calls']))
    check('outcomes_are_all_calls', sum(total[o] for o in ('answered', 'busy', 'unanswered', 'rejected', 'redirected', 'failed', 'open'))
          == total['calls'] and total['calls'] + total['partial_calls'] + total['others'] == len(report['calls']))
    check('finals_are_those_of_the_calls', {c['code']: c['calls'] for c in stats['codes'] if c['calls']} ==
          {code: sum(c['kind'] == 'call' and c.get('final_code') == code for c in report['calls'])
           for code in {c.get('final_code') for c in report['calls'] if c['kind'] == 'call'} - {None}})
    check('streams_are_all', total['streams'] == len(report['streams']) == sum(c['streams'] for c in stats['codecs'])
          and total['lost'] == sum(s['lost'] for s in report['streams']))
    found = [f['name'] for item in report['calls'] + report['streams'] for f in item['findings']]
    check('findings_are_all', {f['name']: f['calls'] + f['streams'] for f in stats['findings']} ==
          {name: found.count(name) for name in set(found)})
    check('buckets_are_calls', sum(b['calls'] for b in stats['buckets']) <= total['calls'] and stats['buckets'])
    counters = ('calls', 'answered', 'failed', 'partial_calls', 'others', 'talk_count', 'pdd_count', 'messages', 'streams', 'packets',
                'bytes', 'expected', 'lost', 'mos_count', 'notes')
    for field in FIELDS:
        groups = stats_of('--group-by', field, folder)['stats']['groups']
        wrong = [c for c in counters if sum(g[c] for g in groups) != total[c]]
        check('groups_add_up_' + field, not wrong, wrong)
        keys = [g.get(field.split(':')[0], '') for g in groups]
        check('groups_are_one_each_' + field, len(set(keys)) == len(keys))
        order = [(-g['calls'], -g['others'], key.encode('utf-8', 'replace')) for g, key in zip(groups, keys)]
        check('groups_in_order_' + field, order == sorted(order) or field == 'user_agent')  # bytes that are no UTF-8


def check_damage(path, folder):
    with open(path, 'rb') as file:
        whole = file.read()
    cut = os.path.join(folder, 'cut.pcap')
    with open(cut, 'wb') as file:
        file.write(whole[:len(whole) // 2 + 7])
    for door in ([], ['--json'], ['--csv'], ['--markdown']):
        run = read('--stats', *door, cut)
        check('cut_capture_is_a_page_and_fails_%s' % ''.join(door), run.returncode == 1 and b'cut.pcap' in run.stderr
              and len(run.stdout) > 500, run.stderr)
    check('cut_capture_says_so', b'Complete         no' in read('--stats', cut).stdout
          and stats_of(cut)['capture']['complete'] is False
          and b'capture,,complete,false\r\n' in read('--stats', '--csv', cut).stdout)
    empty = os.path.join(folder, 'empty.pcap')
    with open(empty, 'wb') as file:
        file.write(whole[:24])
    for group in ([], ['--group-by', 'src']):
        for door in ([], ['--json'], ['--csv'], ['--markdown']):
            run = read('--stats', *door, *group, empty)
            words = set(re.findall(rb'[a-z0-9.+-]+', run.stdout.lower()))
            check('empty_capture_is_a_page_%s%s' % (''.join(door), ''.join(group)), run.returncode == 0 and len(run.stdout) > 80
                  and not words & {b'nan', b'-nan', b'inf', b'-inf'}, run)
    with open('/dev/full', 'wb') as full:
        for door in ([], ['--json'], ['--csv'], ['--markdown']):
            run = read('--stats', *door, path, stdout=full)
            check('full_disk_is_told_%s' % ''.join(door), run.returncode == 1 and b'No space left' in run.stderr)
    two = stats_of(path, cut)
    check('several_inputs_are_one_capture', two['capture']['files'] == 2
          and two['capture']['packets'] > stats_of(path)['capture']['packets'])


def check_interrupt(path, folder):
    pipe_path = os.path.join(folder, 'pipe')
    os.mkfifo(pipe_path)
    run = subprocess.Popen([program, 'read', '--stats', '--json', pipe_path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(pipe_path, 'wb') as pipe, open(path, 'rb') as file:
        pipe.write(file.read(1 << 20))
        pipe.flush()
        run.send_signal(signal.SIGINT)  # it has opened the pipe, so its handler stands
    try:
        status = run.wait(60)
    except subprocess.TimeoutExpired:
        run.kill()
        status = 'no end'
    text = run.stdout.read()
    check('interrupt_gives_the_page_so_far', status == 130 and json.loads(text)['capture']['interrupted'], (status, text[:200]))


def check_colours(good):
    check('pipe_has_no_colours', b'\033' not in read('--stats', good).stdout)
    check('option_color_wins', b'\033[1m' in read('--stats', '--color', good).stdout)
    for door in ('--json', '--csv', '--markdown'):
        check('no_colours_in_' + door, b'\033' not in read('--stats', '--color', door, good).stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        carrier, captures = os.path.join(folder, 'carrier.pcap'), os.path.join(folder, 'captures')
        subprocess.run([program, 'gen', 'carrier', '--quiet', '--calls', '300', '--concurrency', '7', '--call-ids', '10',
                        '--stream-pairs', '10', '--out', carrier], check=True, stderr=subprocess.DEVNULL)
        subprocess.run([sys.executable, os.path.join(ROOT, 'tests/captures/make.py'), captures], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, PYTHONDONTWRITEBYTECODE='1'))
        check_words(carrier)
        check_same(carrier)
        check_doors(carrier)
        check_doors(os.path.join(captures, 'call_fork.pcap'))
        check_sums(captures)
        check_damage(carrier, folder)
        check_interrupt(carrier, folder)
        check_colours(carrier)
    return tally.end()


if __name__ == '__main__':
    sys.exit(main())
