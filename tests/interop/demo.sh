#!/bin/bash
# Shows Sidetone at work: a generated trunk of 5,000 calls, and one real call of SIPp: demo.sh PROGRAM FOLDER.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1 folder=$2
mkdir -p "$folder"

# Prints a command as a reader would type it, then runs it. Reports of odd captures end with 1: that is no failure here.
show() {
    printf '\n$ %s\n' "$*"
    local status=0
    "$@" || status=$?
    ((status <= 1)) || { echo "demo: ended with $status" >&2; exit "$status"; }
}

echo "== A busy trunk: 5,000 calls, 535,000 packets, made from a seed"
show "$program" gen carrier --out "$folder/carrier.pcap"
show "$program" read "$folder/carrier.pcap"

echo
echo "== A real call: SIPp calls SIPp over loopback, with sound both ways"
status=0
"$here/record_sipp.sh" "$folder" || status=$?
if ((status == 0)); then
    show "$program" read "$folder/sipp.pcap"
elif ((status == 3)); then
    echo "(this part is left out)"
else
    exit "$status"
fi

echo
echo "The captures are in $folder. Next: $program read --json $folder/carrier.pcap, or a capture of your own."
