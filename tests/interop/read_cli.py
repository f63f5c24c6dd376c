#!/usr/bin/env python3
"""`sidetone read` as a user meets it: options, exit statuses, what stands on which output, colours, Ctrl-C.

usage: read_cli.py PROGRAM        last line: N passed, N failed[, N skipped]"""
import json
import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import tally
from tally import check
sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'captures'))
from pack import PACKERS

program = sys.argv[1]


def read(*arguments, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    options.setdefault('stdout', subprocess.PIPE)
    return subprocess.run([program, 'read', *arguments], stderr=subprocess.PIPE, timeout=60, **options)


# --- captures made by hand ---

def udp_frame(payload, source=1, target=2):
    ethernet = bytes(12) + b'\x08\x00'
    udp = struct.pack('>HHHH', 5060, 5060, 8 + len(payload), 0)
    ip = struct.pack('>BBHHHBBH', 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0)
    return ethernet + ip + bytes([192, 0, 2, source, 192, 0, 2, target]) + udp + payload


def capture(*frames, cut=0):
    out = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
    for index, frame in enumerate(frames):
        out += struct.pack('<IIII', 1700000000, index * 20000, len(frame), len(frame)) + frame
    return out[:len(out) - cut]


def invite(call_id=b'c1@x', caller=b'Alice <sip:alice@example.com>;tag=a'):
    return (b'INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK1\r\nFrom: ' + caller +
            b'\r\nTo: <sip:bob@example.com>\r\nCall-ID: ' + call_id +
            b'\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n')


def response(code, reason):
    return (b'SIP/2.0 %d %s\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK1\r\nFrom: Alice <sip:alice@example.com>;tag=a\r\n'
            b'To: <sip:bob@example.com>;tag=b\r\nCall-ID: c1@x\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n' %
            (code, reason))


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, 'wb') as f:
        f.write(content)
    return path


# --- checks ---

def check_statuses(good, folder):
    missing = os.path.join(folder, 'missing.pcap')
    cases = [
        ('no_input_is_usage', [], 2, 'no input'),
        ('unknown_option_names_the_nearest', ['--jsno', good], 2, "did you mean '--json'"),
        ('unknown_flag_is_usage', ['-x', good], 2, "'-x'"),
        ('unknown_flag_in_a_group_is_usage', ['-Nx', good], 2, "'-Nx'"),
        ('missing_value_is_usage', ['--cores'], 2, "'--cores'"),
        ('missing_value_of_a_flag_is_usage', ['-I'], 2, "'-I'"),
        ('cores_no_number_is_usage', ['--cores', 'many', good], 2, 'many'),
        ('cores_too_many_is_usage', ['--cores', '99999', good], 2, '99999'),
        ('cores_negative_is_usage', ['--cores', '-1', good], 2, '-1'),
        ('jitter_buffer_without_unit_is_usage', ['--jitter-buffer', '60', good], 2, "'60'"),
        ('jitter_buffer_of_no_sense_is_usage', ['--jitter-buffer', 'adaptiv', good], 2, 'or adaptive'),
        ('jitter_buffer_too_long_is_usage', ['--jitter-buffer', '10.1s', good], 2, '0ms to 10s'),
        ('jitter_buffer_negative_is_usage', ['--jitter-buffer', '-5ms', good], 2, '-5ms'),
        ('headers_without_messages_is_usage', ['--headers', good], 2, '--messages'),
    ]
    for name, arguments, status, words in cases:
        run = read(*arguments)
        text = run.stderr.decode()
        check(name, run.returncode == status and words in text and run.stdout == b'' and text.count('\n') == 1,
              (run.returncode, text))
    run = read(missing)
    check('missing_file_is_reported_and_fails', run.returncode == 1 and b'missing.pcap' in run.stderr
          and b'Complete' in run.stdout, run)
    run = read('--json', missing, good)
    check('missing_file_leaves_the_others', run.returncode == 1
          and json.loads(run.stdout)['capture']['sip_messages'] == 2 and not json.loads(run.stdout)['capture']['complete'])
    check('help_is_no_error', read('--help').returncode == 0 and b'usage:' in read('--help').stdout)
    check('whole_capture_is_0_and_silent', (lambda r: r.returncode == 0 and r.stderr == b'')(read(good)))


def check_program():
    def run(*arguments):
        return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    check('version_begins_with_the_name', run('--version').stdout.startswith(b'sidetone ')
          and run('--version').returncode == 0)
    check('no_verb_is_usage', run().returncode == 2 and b'--help' in run().stderr)
    check('unknown_verb_names_the_nearest', run('raed').returncode == 2 and b"'read'" in run('raed').stderr)
    check('help_lists_the_verbs', all(verb in run('--help').stdout for verb in (b'read', b'gen')))
    for verb in ('read', 'gen'):
        check('help_of_%s_is_its_own' % verb, run('help', verb).stdout == run(verb, '--help').stdout
              and b'usage: sidetone ' + verb.encode() in run('help', verb).stdout)


def check_inputs(good, second, folder):
    named = [json.loads(read('--json', *arguments).stdout) for arguments in
             (['-I', good, second], [good, '-I', second], ['-N', '--', good, second], ['--', good, second])]
    check('inputs_keep_their_order', all(doc == named[0] for doc in named) and named[0]['capture']['files'] == 2)
    with open(good, 'rb') as f:
        piped = read('--json', '-', stdin=f)
    check('standard_input_same_report', piped.returncode == 0 and piped.stdout == read('--json', good).stdout)
    sub = os.path.join(folder, 'folder')
    os.mkdir(sub)
    for path in (good, second):
        os.link(path, os.path.join(sub, os.path.basename(path)))
    check('directory_is_its_files', json.loads(read('--json', sub).stdout)['capture']['files'] == 2)
    same = {read('--json', '--cores', cores, '--chunk-bytes', size, good, second).stdout
            for cores in ('1', '2', '3') for size in ('0', '4096')}
    check('cores_and_chunks_change_nothing', len(same) == 1)


def check_compressed(good, folder):
    want = read('--json', good).stdout
    with open(good, 'rb') as f:
        plain = f.read()
    for ending, pack in PACKERS.items():
        packed = pack(plain)
        path = write(folder, 'good.pcap.' + ending, packed)
        check('compressed_file_same_report_' + ending, read('--json', path).stdout == want)
        with open(path, 'rb') as f:
            check('compressed_standard_input_same_report_' + ending, read('--json', '-', stdin=f).stdout == want)
        with subprocess.Popen(['cat', path], stdout=subprocess.PIPE) as cat:
            check('compressed_pipe_same_report_' + ending, read('--json', '-', stdin=cat.stdout).stdout == want)
        cut = write(folder, 'cut.pcap.' + ending, packed[:-9])
        run = read('--json', cut)
        check('compressed_and_cut_is_reported_' + ending, run.returncode == 1 and b'cut.pcap.' in run.stderr, run)
        with open(cut, 'rb') as f:
            check('compressed_and_cut_same_from_standard_input_' + ending,
                  read('--json', '-', stdin=f).stdout == run.stdout.replace(cut.encode(), b'standard input'))
    run = read('--json', write(folder, 'junk.pcap.gz', PACKERS['gz'](plain) + b'junk'))
    check('trailing_bytes_of_gzip_are_ignored_with_a_warning', run.returncode == 0 and b'ignored' in run.stderr
          and json.loads(run.stdout)['calls'] == json.loads(want)['calls'], run)
    for name, begin in (('bzip2', b'BZh91AY&SY'), ('xz', b'\xfd7zXZ\0\0\4')):
        run = read(write(folder, 'capture.' + name, begin + bytes(50)))
        check(name + '_says_what_to_do', run.returncode == 1 and b'decompress it first' in run.stderr, run)


def check_thousand(folder):
    """A thousand gzip files that overlap, with 256 descriptors: as the same files plain."""
    folders = [os.path.join(folder, name) for name in ('thousand', 'thousand_gz')]
    frames = [udp_frame(invite(call_id=b'c%d' % i)) for i in range(3000)]
    for sub, pack in zip(folders, (bytes, PACKERS['gz'])):
        os.mkdir(sub)
        for i in range(1000):
            write(sub, '%03d.pcap' % i, pack(capture(*frames[i::1000])))
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    runs = [subprocess.run([program, 'read', '--json', sub], capture_output=True, timeout=60, preexec_fn=few)
            for sub in folders]
    check('thousand_gzip_files_same_report', runs[1].returncode == 0 and runs[0].stdout == runs[1].stdout
          and json.loads(runs[1].stdout)['capture']['packets'] == 3000, runs[1].stderr[-300:])


def check_json(good, folder):
    document = json.loads(read('--json', good).stdout)
    check('schema_version_is_1', list(document) == ['schema_version', 'capture', 'calls', 'streams']
          and document['schema_version'] == 1)
    check('times_are_rfc3339', document['capture']['first'] == '2023-11-14T22:13:20.000000000Z', document['capture'])
    ledger = document['capture']
    check('ledger_adds_up', ledger['packets'] == ledger['analysed'] + sum(ledger['not_analysed'].values()))
    for name, junk in (('low', bytes(b for b in range(1, 128) if b not in b'\r\n')), ('high', bytes(range(128, 256))),
                       ('cut', b'\xe2\x82'), ('nul', b'a\0b')):
        path = write(folder, 'junk_%s.pcap' % name, capture(udp_frame(invite(call_id=b'x' + junk + b'y'))))
        for options in (['--json'], ['--json', '--messages', '--headers']):
            run = read(*options, path)
            try:
                lines = [run.stdout] if len(options) == 1 else run.stdout.splitlines()
                parsed = [json.loads(line.decode('utf-8')) for line in lines]
                good_json = run.returncode in (0, 1) and 'capture' in parsed[-1]
            except ValueError as error:
                good_json, run = False, error
            check('bytes_%s_are_json_%d' % (name, len(options)), good_json, run)
        text = read('--all', path).stdout + read('--messages', '--headers', path).stdout
        check('bytes_%s_are_harmless_text' % name, not set(text) & (set(range(32)) - {10}) and text.decode('utf-8'))


def check_messages(good):
    lines = [json.loads(line) for line in read('--json', '--messages', good).stdout.splitlines()]
    check('messages_then_capture', [sorted(set(line) & {'request', 'response', 'capture'}) for line in lines] ==
          [['request'], ['response'], ['capture']], lines)
    check('message_fields_are_there', lines[0]['call_id'] == 'c1@x' and lines[0]['from_tag'] == 'a'
          and lines[0]['packets'] == [[0, 1]] and 'headers' not in lines[0], lines[0])
    headers = json.loads(read('--json', '--messages', '--headers', good).stdout.splitlines()[0])['headers']
    check('headers_are_pairs_in_order', headers[0] == ['Via', 'SIP/2.0/UDP h;branch=z9hG4bK1'] and len(headers) == 7, headers)
    text = read('--messages', good).stdout.decode()
    check('messages_as_text', 'INVITE sip:bob@example.com' in text and '503 No (1 INVITE)' in text and 'Ledger' in text)


def check_outputs(good, many):
    with open('/dev/full', 'wb') as full:
        for options in ([], ['--json'], ['--json', '--messages']):
            run = read(*options, good, stdout=full)
            check('full_disk_is_told_%d' % len(options), run.returncode == 1 and b'No space left' in run.stderr)
    run = subprocess.Popen([program, 'read', '--json', '--messages', many], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.read(100)
    run.stdout.close()
    text = run.stderr.read()
    check('reader_that_leaves_is_quiet', run.wait(60) == 1 and text == b'', text)


def check_cut(folder):
    path = write(folder, 'cut.pcap', capture(udp_frame(invite()), udp_frame(response(503, b'No'), 2, 1), cut=10))
    run = read(path)
    check('cut_file_is_reported_and_fails', run.returncode == 1 and b'cut.pcap' in run.stderr
          and b'not read whole' in run.stdout and run.stderr.count(b'\n') == 1, run)


def on_terminal(arguments, environment):
    """What a run writes to a terminal of 24 x 80."""
    master, slave = pty.openpty()
    run = subprocess.Popen([program, 'read', *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                           env=dict(os.environ, **environment))
    os.close(slave)
    text = b''
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # how Linux tells the end
            break
        if not part:
            break
        text += part
    run.wait(60)
    os.close(master)
    return text


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def check_terminal(good):
    if not has_terminals():
        tally.skip('terminal', 'this machine has no pseudo-terminals')
        return
    plain = {'NO_COLOR': '', 'TERM': 'xterm'}
    check('terminal_has_colours', b'\033[31m' in on_terminal([good], plain))
    check('no_color_in_the_environment_wins', b'\033' not in on_terminal([good], dict(plain, NO_COLOR='1')))
    check('dumb_terminal_has_none', b'\033' not in on_terminal([good], dict(plain, TERM='dumb')))
    check('option_no_color_wins', b'\033' not in on_terminal(['--no-color', good], plain))


def check_colours(good):
    check('pipe_has_none', b'\033' not in read(good).stdout)
    check('option_color_wins', b'\033[31m' in read('--color', good).stdout)
    check('json_never_has_any', b'\033' not in read('--color', '--json', good).stdout)


def check_interrupt(folder, good):
    path = os.path.join(folder, 'pipe')
    os.mkfifo(path)
    run = subprocess.Popen([program, 'read', '--json', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(path, 'wb') as pipe, open(good, 'rb') as f:
        pipe.write(f.read())
        pipe.flush()
        run.send_signal(signal.SIGINT)  # it has opened the pipe, so its handler stands
    try:  # the writer ends too, as it does by Ctrl-C on a terminal
        status = run.wait(30)
    except subprocess.TimeoutExpired:
        run.kill()
        status = 'no end'
    text = run.stdout.read()
    check('interrupt_gives_the_report_so_far', status == 130 and json.loads(text)['capture']['interrupted'], (status, text))


def main():
    with tempfile.TemporaryDirectory() as folder:
        good = write(folder, 'good.pcap', capture(udp_frame(invite()), udp_frame(response(503, b'No'), 2, 1)))
        second = write(folder, 'second.pcap', capture(udp_frame(invite(call_id=b'c2@x')), b'\0' * 12 + b'\x08\x06' + b'\0' * 28))
        many = write(folder, 'many.pcap', capture(*[udp_frame(invite(call_id=b'c%d@x' % i)) for i in range(5000)]))
        check_program()
        check_statuses(good, folder)
        check_inputs(good, second, folder)
        check_compressed(good, folder)
        check_thousand(folder)
        check_json(good, folder)
        check_messages(good)
        check_outputs(good, many)
        check_cut(folder)
        check_terminal(good)
        check_colours(good)
        check_interrupt(folder, good)
    return tally.end()


sys.exit(main())
