#!/usr/bin/env python3
"""How many SIP messages sidetone, tshark, sngrep and sipgrep show of one capture of each kind of input.

usage: compare_inputs.py PROGRAM CAPTURES [OUTPUT]    CAPTURES: what tests/captures/make.py wrote; OUTPUT: docs/inputs.md

Each tool runs with the options that it has by itself, where the table says nothing else, and what it shows is counted: of
tshark, start lines among its SIP fields; of sngrep, the messages that its list of dialogs has, read from its screen (a terminal of
tmux); of sipgrep, start lines in its output; of sidetone, lines of --json --messages. The right number is the one that the
tests hold sidetone to. A tool that does not come to an end, crashes or will not read the file gets that word instead of a
number. A capture that is not there ends the run. Same tools, same bytes, same text.

No child outlives the run: each has a process group of its own, which is killed in the end; and should this program be killed
itself, `timeout` ends sngrep, which would read from its lost terminal for ever."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 30
# What the table says, the capture, and options of a tool that this input asks for.
INPUTS = [
    ('a call over UDP', 'pcap_micro_little.pcap'),
    ('802.1Q VLAN', 'link_eth_vlan1.pcap'),
    ('QinQ', 'link_eth_ad_q.pcap'),
    ('Linux cooked capture 2', 'link_sll2_v4.pcap'),
    ('Linux cooked capture with a VLAN tag', 'link_sll_vlan1.pcap'),
    ('MPLS', 'link_mpls1.pcap'),
    ('PPPoE', 'link_pppoe_v4.pcap'),
    ('GRE', 'tunnel_gre_v4_in_v4.pcap'),
    ('ERSPAN II', 'tunnel_erspan2.pcap'),
    ('VXLAN', 'tunnel_vxlan4789_v4_in_v4.pcap'),
    ('VXLAN on a port of its own', 'tunnel_vxlan_port_14789.pcap'),
    ('GENEVE', 'tunnel_geneve_v4_in_v4.pcap'),
    ('GTP-U', 'tunnel_gtp_v4_in_v4.pcap'),
    ('L2TP', 'tunnel_l2tp2_v4_in_v4.pcap'),
    ('TZSP', 'tunnel_tzsp_v4_in_v4.pcap'),
    ('IP in IP', 'tunnel_ip_v4_in_v4.pcap'),
    ('IPv6', 'link_eth_v6.pcap'),
    ('IPv6 with a hop-by-hop header', 'ip_v6_hop.pcap'),
    ('IPv4 fragments in order', 'fragment_v4_in_order.pcap'),
    ('IPv4 fragments, last one first', 'fragment_v4_reversed.pcap'),
    ('IPv4 fragments, one twice', 'fragment_v4_middle_twice.pcap'),
    ('IPv4 fragments, the number used again', 'fragment_v4_number_again_after_tail.pcap'),
    ('IPv6 fragments', 'fragment_v6_in_order.pcap'),
    ('UDP datagram of 22 kB', 'sip_size_22000.pcap'),
    ('TCP, one message in four segments', 'stream_four_segments.pcap'),
    ('TCP, three messages in a segment', 'stream_three_in_one_segment.pcap'),
    ('TCP, segments out of order', 'stream_reordered.pcap'),
    ('TCP, segments sent twice', 'stream_sent_twice.pcap'),
    ('TCP, segments that overlap', 'stream_overlap.pcap'),
    ('TCP, keep-alive in front of a message', 'stream_keepalive_glued.pcap'),
    ('TCP, a segment is missing', 'stream_gap_in_body.pcap'),
    ('TCP, capture begins inside a message', 'stream_begins_in_body.pcap'),
    ('TCP, message of 300 kB', 'stream_of_300_kb.pcap'),
    ('WebSocket, masked', 'stream_ws_masked_and_short.pcap'),
    ('WebSocket, a message in three frames', 'stream_ws_fragmented_over_segments.pcap'),
    ('SCTP', 'sctp_call.pcap'),
    ('HEP 3', 'hep_3.pcap', {'sngrep': ['-E']}),
    ('HEP 2', 'hep_2.pcap', {'sngrep': ['-E']}),
    ('pcapng with four link types', 'ng_four_links.pcapng'),
    ('gzip', 'pcap_gzip.pcap.gz'),
    ('zstd', 'pcap_zstd.pcap.zst'),
    ('LZ4', 'pcap_lz4.pcap.lz4'),
]
FRAMED = ('RTP over TCP (RFC 4571)', 'stream_rtp_plain.pcap')  # its packets of RTP, as no message comes that way
ORDER = ['-o', 'tcp.reassemble_out_of_order:TRUE']
COLUMNS = ['sidetone', 'tshark', 'tshark with order', 'sngrep', 'sipgrep']
START_LINE = re.compile(r'^(?:[^\s:]+ \S+ SIP/2\.0|SIP/2\.0 \d{3}\b.*?)\.?$', re.M)
COLOUR = re.compile(r'\x1b\[[\d;]*m')
DIALOG = re.compile(r'^  \[.\] \d+ +.*?(\d+) +\S+:\d+ +\S+:\d+', re.M)


def kill_group(pid):
    """All of a process group, whether or not any of it is left."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command):
    """(output, None), or (None, the word for what happened)."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             start_new_session=True)
    try:
        output = child.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired:
        return None, 'no end'
    finally:
        kill_group(child.pid)
        child.wait()
    if child.returncode < 0:
        return None, 'crash'
    if child.returncode and b'SIP/2.0' not in output:
        return None, 'not read'
    return output.decode('utf-8', 'replace'), None


def sidetone(program, path):
    output, word = run([program, 'read', '--json', '--messages', path])
    return word or sum(line.startswith('{"time"') for line in output.splitlines())


def tshark(path, options=()):
    output, word = run(['tshark', '-n', *options, '-r', path, '-Y', 'sip', '-T', 'fields', '-e', 'sip.Request-Line', '-e',
                        'sip.Status-Line', '-E', 'occurrence=a', '-E', 'separator=\x1f', '-E', 'aggregator=\x1f'])
    return word or sum(bool(text) for line in output.splitlines() for text in line.split('\x1f'))


def sipgrep(path):
    output, word = run(['sipgrep', '-I', path])
    return word or len(START_LINE.findall(COLOUR.sub('', output)))


class Screen:
    """A terminal for a program, large enough for all that it lists."""

    def __init__(self, command):
        self.home = tempfile.TemporaryDirectory()
        self.tmux = ['tmux', '-S', os.path.join(self.home.name, 'socket'), '-f', '/dev/null']
        self.group = None
        try:
            # In the foreground, or the program could not read its terminal; the shell leads the group of all.
            shell = subprocess.run(
                [*self.tmux, 'new-session', '-d', '-x', '200', '-y', '300', '-P', '-F', '#{pane_pid}', 'sh', '-c',
                 'timeout --foreground -k 2 %d "$0" "$@"; echo "ended with $?"; exec sleep %d' % (LIMIT_S + 5, LIMIT_S), *command],
                check=True, timeout=LIMIT_S, text=True, stdout=subprocess.PIPE,
                env=dict(os.environ, HOME=self.home.name, LC_ALL='C.UTF-8', TERM='screen'))
            self.group = int(shell.stdout)
        except BaseException:
            self.close()
            raise

    def text(self):
        return subprocess.run([*self.tmux, 'capture-pane', '-p'], capture_output=True, text=True, check=True, timeout=LIMIT_S).stdout

    def close(self):
        if self.group:
            kill_group(self.group)
        subprocess.run([*self.tmux, 'kill-server'], check=False, timeout=LIMIT_S, stderr=subprocess.DEVNULL)  # may have ended
        self.home.cleanup()


def sngrep(path, options=()):
    screen = Screen(['sngrep', *options, '-I', path])
    try:
        before, same, begin = None, 0, time.monotonic()
        while time.monotonic() - begin < LIMIT_S:
            time.sleep(0.5)
            now = screen.text()
            ended = re.search(r'^ended with (\d+)', now, re.M)
            if ended:
                return 'crash' if int(ended.group(1)) > 128 else 'not read'
            same = same + 1 if now == before and 'Current Mode' in now and '(Loading)' not in now else 0
            if same == 4:  # nothing has changed for 2 s: it has read all
                return sum(int(count) for count in DIALOG.findall(now))
            before = now
        return 'no end'
    finally:
        screen.close()


def version(package):
    text = subprocess.run(['dpkg-query', '-W', '-f', '${Version}', package], capture_output=True, text=True, check=True).stdout
    return '%s %s' % (package, text.split('-')[0].split('+')[0])


def rows(program, folder):
    with open(os.path.join(folder, 'expected.json'), encoding='utf-8') as file:
        expected = json.load(file)
    names = [row[1] for row in INPUTS] + [FRAMED[1]]
    missing = [name for name in names if name not in expected]
    if missing:
        sys.exit('not among the captures: ' + ', '.join(missing))
    for title, name, *more in INPUTS:
        options, path = more[0] if more else {}, os.path.join(folder, name)
        asked = ', sngrep ' + ' '.join(options['sngrep']) if 'sngrep' in options else ''
        yield (title + asked, name, expected[name]['sip_messages'], sidetone(program, path), tshark(path), tshark(path, ORDER),
               sngrep(path, options.get('sngrep', [])), sipgrep(path))
        print('.', end='', file=sys.stderr, flush=True)
    title, name = FRAMED
    path = os.path.join(folder, name)
    ours = json.loads(run([program, 'read', '--json', path])[0])['capture']['rtp_packets']
    output, word = run(['tshark', '-n', '-r', path, '-Y', 'rtp'])
    theirs = word or len(output.splitlines())
    yield title + ': packets', name, expected[name]['also']['capture.rtp_packets'], ours, theirs, theirs, '', ''
    print(file=sys.stderr)


HEAD = """# What is read of each kind of input

A capture of each kind, and how many SIP messages four programs show of it. All numbers are measured: `./dev inputs` makes the
captures (`tests/captures/make.py`), runs the programs and writes this page (`tools/compare_inputs.py`).

- **right** is how many messages the capture holds; the tests hold sidetone to it, and to much more of each message. A message of
  which bytes are missing counts.
- The programs are %s, as Debian 12 has them, with the options that they have by themselves; "tshark, order" has
  `-o tcp.reassemble_out_of_order:TRUE`. sipgrep looks at ports 5060 and 5061 unless it is told otherwise.
- Counted are: lines of `sidetone read --json --messages`; start lines among the SIP fields of tshark; the messages of the dialogs in
  the list of sngrep; start lines that sipgrep prints. A start line is enough, even if the rest is cut or has bytes of another
  message: so sipgrep counts a message whose segments it prints as they came, out of order.
- A number in bold is not the right one. "not read": the program refuses the file. "crash" and "no end" (within %d s) would be what
  they say.

| input | capture | right | sidetone | tshark | tshark, order | sngrep | sipgrep |
|---|---|---|---|---|---|---|---|
"""


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('stopped'))  # so that what is to be done finally is done
    tools = ', '.join(version(p) for p in ('tshark', 'sngrep', 'sipgrep'))
    text = HEAD % (tools, LIMIT_S)
    count, total = [0] * len(COLUMNS), 0
    for title, name, right, *shown in rows(sys.argv[1], sys.argv[2]):
        cells = [str(n) if n == right or n == '' else '**%s**' % n for n in shown]
        text += '| %s | `%s` | %d | %s |\n' % (title, name, right, ' | '.join(cells))
        count = [c + (n == right) for c, n in zip(count, shown)]
        total += 1
    text += '\nRight of %d: %s.\n' % (total, ', '.join('%s %d' % pair for pair in zip(COLUMNS, count)))
    with open(sys.argv[3] if len(sys.argv) == 4 else 'docs/inputs.md', 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
