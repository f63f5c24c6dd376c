#!/bin/bash
# Runs fuzz targets on copies of their corpora: fuzz.sh FOLDER_OF_TARGETS [TARGET] [SECONDS].
#
# Without a target each runs in turn. What libFuzzer finds stays in build/fuzz/found/TARGET; the corpus in tests/fuzz is
# never written: a person minimises and adds what is worth keeping. Exit 1 when a target failed.
set -euo pipefail
folder=$1
shift
seconds=60
[[ ${1:-} =~ ^[0-9]+$ ]] && set -- "" "$@" # `fuzz 30`: each target for 30 seconds
target=${1:-}
[[ -n ${2:-} ]] && seconds=$2
targets=()
for path in "$folder"/fuzz_*; do
    name=${path##*/fuzz_}
    [[ -f $path && -x $path ]] && [[ -z $target || $name == "$target" ]] && targets+=("$name")
done
if ((${#targets[@]} == 0)); then
    echo "no target is called '$target'; there are:" >&2
    for path in "$folder"/fuzz_*; do [[ -f $path && -x $path ]] && echo "  ${path##*/fuzz_}" >&2; done
    exit 2
fi
failed=0
for name in "${targets[@]}"; do
    corpus=build/fuzz/corpus/$name found=build/fuzz/found/$name
    mkdir -p "$corpus" "$found"
    [[ -d tests/fuzz/corpus/$name ]] && cp -n tests/fuzz/corpus/"$name"/* "$corpus"/ 2>/dev/null || true
    echo "== $name, $seconds s"
    if ! ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-14 || true) "$folder/fuzz_$name" -max_total_time="$seconds" \
        -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" "$corpus" </dev/null; then
        echo "$name: failed; the input is in $found" >&2
        failed=1
    fi
done
exit $failed
