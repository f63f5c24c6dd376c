"""What a listener lacks: packets lost and packets too late for the jitter buffer, bursts, gaps, intervals. 20 ms a packet."""
from cases_media import MEDIA_AT, PACKET, rtp, steady, stream, to_b
from frames import MS


def r_factor(lacking, expected, burst_ratio=1):
    """G.107 with Ie 0 and Bpl 25.1."""
    p = 100 * lacking / expected
    return 93.2 - 95 * p / (p / burst_ratio + 25.1)


def mos(r):
    return max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6) if r > 0 else 1


def scored(lacking, expected, runs):
    ratio = max(1, lacking / runs * (1 - lacking / expected)) if lacking else 1
    r = r_factor(lacking, expected, ratio)
    return dict(r_factor='~%.6f' % r, mos='~%.6f' % mos(r), burst_ratio='~%.6f' % ratio)


def about(value):
    return '~%.6f' % value


def bursts(add):
    gone = {*range(100, 110), *range(500, 1000, 50)}
    stream(add, 'lacking_burst_and_singles', [p for i, p in enumerate(steady(1000)) if i not in gone], expected=1000, lost=20,
           discarded=0, discard_percent=0, loss_runs=11, loss_run_max=10, bursts=1, burst_percent=100, gap_percent=about(1000 / 990),
           burst_ms=200, gap_ms=9900, gap_max_ms=200, worst_interval=0, **scored(20, 1000, 11),
           **{'findings.length': 1, 'findings[0].name': 'media_gap', 'intervals.length': 4, 'intervals[0].lost': 10,
              'intervals[0].mos': about(mos(r_factor(10, 250))), 'intervals[1].lost': 0, 'intervals[1].mos': about(mos(93.2)),
              'intervals[2].lost': 5, 'intervals[3].mos': about(mos(r_factor(5, 250)))})
    # 16 packets between two losses part them, 15 do not.
    for between, found in ((15, dict(bursts=1, burst_percent=about(200 / 17), gap_percent=0, burst_ms=340, gap_ms=1830)),
                           (16, dict(bursts=0, burst_percent=None, gap_percent=1, burst_ms=None, gap_ms=4000))):
        stream(add, 'lacking_%d_between' % between, [p for i, p in enumerate(steady(200)) if i not in (100, 101 + between)],
               lost=2, loss_runs=2, loss_run_max=1, gap_max_ms=20, **found)
    stream(add, 'lacking_nothing', steady(200), discarded=0, discard_percent=0, loss_runs=0, loss_run_max=0, bursts=0,
           burst_percent=None, burst_ms=None, gap_percent=0, gap_ms=4000, gap_max_ms=None, worst_interval=None)


def outages(add):
    out = [p for i, p in enumerate(steady(3000)) if not 1000 <= i < 1050]
    r = r_factor(50, 3000, 50 * (1 - 50 / 3000))
    stream(add, 'lacking_one_second', out, expected=3000, unique=2950, lost=50, loss_percent=about(100 / 60), loss_runs=1,
           loss_run_max=50, bursts=1, burst_percent=100, burst_ms=1000, gap_percent=0, gap_ms=29500, gap_max_ms=1000,
           mos=about(mos(r)), worst_interval=4,
           **{'intervals.length': 12, 'intervals[4].lost': 50, 'intervals[4].mos': about(mos(r_factor(50, 250))),
              'intervals[5].mos': about(mos(93.2)), 'findings.length': 1, 'findings[0].name': 'media_gap',
              'findings[0].severity': 'warning', 'findings[0].packets': [[0, 1004]],
              'findings[0].text': 'Longest media gap 1.0 s: packets in a row that were lost or came too late to be played.'})
    # An outage over the end of an interval: it counts where it ends, and what it lasted is no reason to give no score.
    long = [p for i, p in enumerate(steady(1000)) if not 200 <= i < 450]
    stream(add, 'lacking_five_seconds', long, lost=250, gap_max_ms=5000, worst_interval=1,
           **{'intervals.length': 4, 'intervals[0].packets': 200, 'intervals[0].lost': 0, 'intervals[1].packets': 50,
              'intervals[1].lost': 250, 'intervals[1].mos': about(mos(r_factor(250, 300)))})


def delayed(packets, delay):
    """delay: number -> nanoseconds."""
    return sorted((p._replace(t=p.t + delay(i)) for i, p in enumerate(packets)), key=lambda p: p.t)


def late(add):
    one = {20: 59, 40: 61, 60: 200}
    stream(add, 'lacking_late', delayed(steady(200), lambda i: one.get(i, 0) * MS), lost=0, discarded=2, discard_percent=1,
           loss_runs=2, loss_run_max=1, bursts=0, reordered=3, duplicates=0, **scored(2, 200, 2),
           **{'intervals[0].discarded': 2, 'intervals[0].lost': 0})
    stream(add, 'lacking_delay_step', delayed(steady(1000), lambda i: 100 * MS * (i >= 500)), lost=0, discarded=16, loss_runs=1,
           loss_run_max=16, gap_max_ms=320, bursts=1, **scored(16, 1000, 1),
           **{'intervals[1].discarded': 0, 'intervals[2].discarded': 16, 'worst_interval': 2, 'findings[0].name': 'media_gap'})
    # Jitter that loses nothing, and that nobody can listen to: most of it is too late for 60 ms.
    wild = [(i * 7919) % 200 for i in range(3000)]
    lacking = [w > 60 for w in wild]
    runs = sum(now and not before for before, now in zip([False] + lacking, lacking))
    stream(add, 'lacking_wild_jitter', delayed(steady(3000), lambda i: wild[i] * MS), lost=0, unique=3000, duplicates=0,
           discarded=sum(lacking), discard_percent=about(sum(lacking) / 30), loss_runs=runs, **scored(sum(lacking), 3000, runs))
    # Clocks that differ by 200 in a million: 720 ms in an hour.
    drift = steady(60000, payload=b'')
    for name, sign in (('slow', 1), ('fast', -1)):
        stream(add, 'lacking_nothing_' + name, delayed(drift, lambda i: 300 * MS + sign * i * 4000), lost=0, discarded=0)
    # Copies do not dilute what an interval lacks.
    twice = [q for i, p in enumerate(steady(1000)) if i % 10 != 5 for q in (p, p._replace(t=p.t + 100000))]
    stream(add, 'lacking_and_twice', twice, lost=100, duplicates=900,
           **{'intervals[1].mos': about(mos(r_factor(25, 250))), 'intervals[1].lost': 25})


def fronts(add):
    early = steady(300, seq=1000)
    first = early.pop(60)._replace(t=MEDIA_AT - PACKET)  # number 1060 comes before 1000 to 1059
    # The first packet is 1.22 s before its time: the others are late, until the buffer has run empty.
    stream(add, 'lacking_before_the_first', [first] + early, lost=0, expected=300, reordered=60, discarded=76,
           **scored(76, 300, 2))
    unknown = [to_b(MEDIA_AT + i * PACKET + 150 * MS * (i % 10 == 0), rtp(i, i * 160, pt=77)) for i in range(100)]
    unknown.sort(key=lambda p: p.t)
    stream(add, 'lacking_unknown_clock', unknown, discarded=0, discard_percent=None, lost=0, burst_ms=None, gap_ms=None)


def cases(add):
    bursts(add)
    outages(add)
    late(add)
    fronts(add)
