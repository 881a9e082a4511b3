#!/bin/bash
# Checks what build.sh left in a folder as OSS-Fuzz does before it takes a build (infra/base-images/base-runner:
# test_all.py and bad_build_check, of an address build with libFuzzer), as far as that can be done without its images:
#   names, architecture, instrumentation, linked libraries; four runs without a corpus; the seed corpus; what is written.
# Usage: check.sh OUT. Exit code 1 where a check fails. Needs strace, unzip, file, binutils.
set -uo pipefail
[ $# = 1 ] && [ -d "$1" ] || { echo "usage: $0 OUT" >&2; exit 2; }
for tool in strace unzip file objdump ldd; do
  command -v $tool >/dev/null || { echo "$0: $tool is missing" >&2; exit 2; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# From another folder than the one it was built into: no path may be fixed.
cp -r "$1" "$scratch/out"
mkdir "$scratch/tmp" "$scratch/empty"
# Leaks cannot be looked for under strace.
export TMPDIR=$scratch/tmp HOME=/nonexistent ASAN_OPTIONS=detect_leaks=0 SANITIZER=${SANITIZER:-address}
limits=(-rss_limit_mb=2560 -timeout=25)
failures=0
targets=0

bad() { echo "BAD $name: $1"; [ -z "${2:-}" ] || sed 's/^/    /' "$2" | tail -n 15; failures=$((failures + 1)); }

check_binary() {
  [[ $name =~ ^[A-Za-z0-9_-]+$ ]] || bad "a name may hold letters, digits, _ and - alone"
  file "$target" | grep -q x86-64 || bad "not for x86-64"
  local strangers
  strangers=$(ldd "$target" | grep -vF "=> $scratch/out/lib/" | awk '{print $1}' |
    grep -vE '^(linux-vdso|libc|libm|libdl|librt|libpthread|libresolv|libgcc_s)\.so|/ld-linux') &&
    bad "linked to what a fuzzing machine need not have: $(echo $strangers)"
  if [ "$SANITIZER" = address ]; then
    objdump -dC "$target" >"$scratch/code"
    local asan ubsan
    asan=$(grep -cE 'callq?\s+[0-9a-f]+ <__asan' "$scratch/code")
    ubsan=$(grep -cE 'callq?\s+[0-9a-f]+ <__ubsan' "$scratch/code")
    [ "$asan" -ge 1000 ] || bad "$asan calls of the address sanitizer, under 1000"
    [ "$ubsan" -le 200 ] || bad "$ubsan calls of another sanitizer, over 200"
    rm "$scratch/code"
  fi
}

check_without_corpus() {
  local log=$scratch/log
  (cd "$scratch/empty" && timeout 300 "$target" -seed=1337 -runs=4 "${limits[@]}") >"$log" 2>&1
  grep -q 'Done 4 runs' "$log" || bad "four runs without a corpus do not end" "$log"
  local edges
  edges=$(grep -oP 'INFO: Loaded \d+ modules?\s+\(\d+ inline 8-bit counters\): \K\d+' "$log")
  [ "${edges:-0}" -ge 100 ] || bad "${edges:-no} edges are counted, under 100" "$log"
}

check_seed_corpus() {
  local archive=$scratch/out/${name}_seed_corpus.zip
  [ -e "$archive" ] || { bad "no seed corpus"; return; }
  local seeds=$scratch/seeds/$name
  mkdir -p "$seeds"
  unzip -q "$archive" -d "$seeds" || bad "its seed corpus does not unpack"
  timeout 600 "$target" -runs=0 "${limits[@]}" "$seeds" >"$scratch/log" 2>&1 || bad "its seed corpus does not run" "$scratch/log"
}

# A few runs, and every file that is opened to write, made or renamed.
check_writes() {
  local trace=$scratch/trace
  (cd "$scratch/empty" && timeout 600 strace -f -qq -o "$trace" -e trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat \
    "$target" -runs=20 "${limits[@]}" "$scratch/seeds/$name") >"$scratch/log" 2>&1
  [ -s "$trace" ] || { bad "nothing was traced" "$scratch/log"; return; }
  grep -E 'O_WRONLY|O_RDWR|O_CREAT|creat\(|mkdir|rename|unlink|link\(|linkat\(' "$trace" |
    grep -vE "\"$scratch/(tmp|seeds)|\"/dev/(null|tty)\"|\"/proc/self/" >"$scratch/writes"
  [ -s "$scratch/writes" ] && bad "writes outside of the temporary folder" "$scratch/writes"
}

for target in "$scratch"/out/*; do
  [ -f "$target" ] && [ -x "$target" ] && grep -q LLVMFuzzerTestOneInput "$target" || continue
  name=$(basename "$target")
  targets=$((targets + 1))
  before=$failures
  check_binary
  check_without_corpus
  check_seed_corpus
  check_writes
  [ "$failures" = "$before" ] && echo "ok  $name"
done
for options in "$scratch"/out/*.options; do
  name=$(basename "$options")
  [ -x "${options%.options}" ] || bad "no target of that name"
  dictionary=$(sed -n 's/^dict *= *//p' "$options")
  [ -z "$dictionary" ] || [ -f "$scratch/out/$dictionary" ] || bad "$dictionary is missing"
done
[ "$targets" -gt 0 ] || { echo "no fuzz target in $1"; exit 1; }
echo "$targets targets, $failures failed checks"
[ "$failures" = 0 ]
