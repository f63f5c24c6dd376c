#!/bin/bash
# Where the time goes when the carrier capture is read: profile.sh PROGRAM [CAPTURE].
#
# perf samples the CPU clock (it works in virtual machines, which often have no counters) and walks frame pointers,
# which the profiling build keeps.
set -euo pipefail
program=$1
capture=${2:-build/profiling/carrier.pcap}
data=build/profiling/perf.data
command -v perf >/dev/null || { echo "perf is not installed (linux-perf)" >&2; exit 1; }
[[ -f $capture ]] || "$program" gen carrier --out "$capture"
# Several reads: one takes less than a hundred milliseconds, too short for a sample of each function.
if ! perf record -q -e cpu-clock -F 4999 -g --call-graph fp -o "$data" -- bash -c \
    'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" read --json "$1" >/dev/null; done' "$program" "$capture"; then
    echo "perf may not record here (kernel.perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid))" >&2
    exit 1
fi
echo "Own time by function, ten reads of $capture:"
perf report -i "$data" --no-children --stdio -g none --percent-limit 0.5 -F overhead,sample,sym,dso 2>/dev/null |
    grep -v '^#' | grep -v '^$' | head -n 40
echo
echo "Call graph: perf report -i $data"
