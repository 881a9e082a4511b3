#!/bin/bash -eu
# Builds the fuzz targets into $OUT with the compilers, flags and engine of the environment, as OSS-Fuzz and
# ClusterFuzzLite call it: SRC (with the sources in $SRC/parallax), OUT, WORK, CXX, CXXFLAGS, LIB_FUZZING_ENGINE.
# The target `external` is left out: what it drives is no part of this repository.
source=$SRC/parallax
build=$WORK/parallax
seeds=$WORK/seeds
targets=(compiler_portable compiler_xnnpack planner case_reader plan_reader audit_reader)

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$CXXFLAGS" \
  -DPARALLAX_FUZZERS=ON -DPARALLAX_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DPARALLAX_STATIC=ON -DPARALLAX_TESTS=OFF \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags  # a library's own libraries, too
ninja -C "$build" parallax "${targets[@]}"

# pack NAME FILE…: the seed corpus of a target.
pack() {
  local name=$1
  shift
  rm -f "$OUT/${name}_seed_corpus.zip"
  printf '%s\n' "$@" | zip -q -j "$OUT/${name}_seed_corpus.zip" -@
}

export PARALLAX_ROOT=$source
export ASAN_OPTIONS=detect_leaks=0  # leaks of a build step are not what is looked for
rm -rf "$seeds"
for target in portable xnnpack; do
  mkdir -p "$seeds/$target"
  "$build/cli/parallax" gen --target "$target" --min-nodes 1 --seed 1 --count 200 --tapes "$seeds/$target"
  pack "compiler_$target" "$seeds/$target"/*
done
pack planner "$seeds"/portable/*  # any bytes are a schedule
pack case_reader "$source"/corpus/cases/*/*.json
pack plan_reader "$source"/fuzz/oss-fuzz/seeds/plan_reader/*
pack audit_reader "$source"/fuzz/oss-fuzz/seeds/audit_reader/*

# Libraries of which there is no archive: a machine that runs the targets has none of them.
mkdir -p "$OUT/lib"
ldd "$build/fuzz/targets/compiler_xnnpack" | awk '/XNNPACK|pthreadpool|cpuinfo|vulkan/ {print $3}' | xargs -I{} cp -L {} "$OUT/lib/"

cp "${targets[@]/#/$build/fuzz/targets/}" "$source"/fuzz/oss-fuzz/*.options "$OUT/"
# The names that a case may hold, in the words of the program itself.
cp "$source/fuzz/oss-fuzz/readers.dict" "$OUT/"
"$build/cli/parallax" ops --json | sed -n 's/^ *"op": \("[^"]*"\).*/\1/p' >>"$OUT/readers.dict"
