#!/bin/bash
# Records one SIPp call with sound on loopback: record_sipp.sh FOLDER leaves FOLDER/sipp.pcap.
#
# Free ports are chosen at run time; only processes that are started here are ended; all is over within half a minute.
# Exit 0: recorded; 3: this machine does not permit or cannot do it (the reason stands on standard error).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
cd "$1"

give_up() { echo "no SIPp call was recorded: $*" >&2; exit 3; }
for tool in sipp tcpdump; do
    command -v "$tool" >/dev/null || give_up "$tool is not installed"
done

ports_in_use() { while read -r hex; do echo $((16#$hex)); done < <(awk 'NR > 1 { split($2, a, ":"); print a[2] }' /proc/net/udp); }

# An even UDP port that nobody holds, nor its three neighbours (RTP, RTCP, SIPp's video pair).
free_port() {
    local port tries
    for tries in {1..50}; do
        port=$((20000 + (RANDOM % 10000) * 4))
        if ! ports_in_use | awk -v low="$port" '$1 >= low && $1 < low + 4 { exit 1 }'; then
            continue
        fi
        echo "$port"
        return
    done
    give_up "no free port after $tries tries"
}

sip_caller=$(free_port) sip_callee=$(free_port) rtp_caller=$(free_port) rtp_callee=$(free_port)
pids=()
finish() {
    local pid
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
    done
    wait 2>/dev/null || true
}
trap finish EXIT

# Two seconds of a quiet square wave of 400 Hz: ten codes up, ten down.
printf '\xb5\xb5\xb5\xb5\xb5\xb5\xb5\xb5\xb5\xb5\x35\x35\x35\x35\x35\x35\x35\x35\x35\x35%.0s' {1..800} >sound.ulaw

# Every packet has a port of the callee.
ports="portrange $sip_callee-$((sip_callee + 3)) or portrange $rtp_callee-$((rtp_callee + 3))"
rm -f sipp.pcap
timeout 30 tcpdump -i lo --immediate-mode -U -n -w sipp.pcap "udp and ($ports)" 2>tcpdump.log &
tcpdump_pid=$!
pids+=("$tcpdump_pid")
for _ in {1..50}; do
    grep -q 'listening on' tcpdump.log 2>/dev/null && break
    kill -0 "$tcpdump_pid" 2>/dev/null || break
    sleep 0.1
done
grep -q 'listening on' tcpdump.log || give_up "capturing on lo is not possible here: $(tail -n 1 tcpdump.log)"

timeout 25 sipp -sn uas -i 127.0.0.1 -p "$sip_callee" -mi 127.0.0.1 -mp "$rtp_callee" -rtp_echo -m 1 \
    -nostdin >callee.log 2>&1 </dev/null &
pids+=($!)
for _ in {1..50}; do
    hex=$(printf ':%04X ' "$sip_callee")
    grep -q "$hex" /proc/net/udp && break
    sleep 0.1
done
timeout 20 sipp -sf "$here/sipp_caller.xml" -i 127.0.0.1 -p "$sip_caller" -mi 127.0.0.1 -mp "$rtp_caller" -m 1 -nostdin -timeout 15s \
    "127.0.0.1:$sip_callee" >caller.log 2>&1 </dev/null || give_up "SIPp's call failed; see $PWD/caller.log"
sleep 0.3 # the last packets are on their way to the file
kill -INT "$tcpdump_pid" 2>/dev/null || true
wait "$tcpdump_pid" 2>/dev/null || true
[[ -s sipp.pcap ]] || give_up "tcpdump wrote nothing; see $PWD/tcpdump.log"
