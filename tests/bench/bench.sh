# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What ./dev bench measures. Sourced by dev, whose functions it uses.

readonly PEER_PACKAGES=(libdnnl-dev python3-pip unzip valgrind)
readonly BENCH_KERNELS=build/bench/tests/bench/bench_kernels
readonly BENCH_SERVICE=build/bench/tests/bench/service/bench_service

setup_peers() {
  install_packages "${BUILD_PACKAGES[@]}" "${PEER_PACKAGES[@]}"
  say "laying oneDNN, ONNX Runtime, CTranslate2 and PyTorch into build/peers: 700 MB the first time"
  tests/bench/peers.sh
  rm -f build/bench/build.ninja  # to look for them
}

# --- The kernels

build_bench() {
  cmd_setup build
  build_preset bench bench_kernels
  say "building what the peers are called by"
  cmake --build --preset bench --target bench_peers -- -k 0 >build/bench-peers.log 2>&1 ||
    say "a peer's column will be empty: see build/bench-peers.log"
  mkdir -p build/report
}

measure_kernels() {
  build_bench
  "$BENCH_KERNELS" speed --json build/report/kernels.json "$@"
  say "also in build/report/kernels.json"
}

measure_accuracy() {
  build_bench
  "$BENCH_KERNELS" accuracy --json build/report/accuracy.json "$@"
}

# A table out of callgrind's files, one a call: "desc: Trigger: Client Request: ROWSxHIDDEN|NAME", "totals: N".
instruction_table() {
  awk -F ': ' '/^desc: Trigger: Client Request/ { call = $4 } /^totals:/ && call { print call "|" $2; call = "" }' "$@" |
    awk -F '|' '$2 == "ours" { ours[$1] = $3 } { line[NR] = $0 }
      END { for (i = 1; i <= NR; i++) { split(line[i], field, "|")
        printf "%-10s %-28s %12d %8.2f\n", field[1], field[2], field[3], field[3] / ours[field[1]] } }'
}

measure_instructions() {
  # Its header decides what is built.
  command -v valgrind >/dev/null || { install_packages valgrind; rm -f build/bench/build.ninja; }
  build_bench
  local folder
  folder=$(mktemp -d)
  say "counting the instructions of one call under callgrind, which has no AVX-512: everyone is on AVX2"
  valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$folder/out" "$BENCH_KERNELS" instructions "$@" \
    >build/bench-instructions.log 2>&1 || die "see build/bench-instructions.log"
  printf '%-10s %-28s %12s %8s\n' cell contestant instructions "/ ours"
  instruction_table $(ls -v "$folder"/out.*) | tee build/report/instructions.txt
  rm -r "$folder"
}

# --- The service

# Functions of normd that hold one another, for a call of Normalize: the name in the table, and how callgrind writes it.
readonly ANSWERS='normd::NormalizeCall::OnAsked(bool)'
readonly PARTS=("in all|$ANSWERS" "gRPC's Finish|grpc::Server::PerformOpsOnCall(" "the handler|normd::NormalizeHandler::Handle("
  "of which the kernel|normd::Norm::Run(")

# Writes build/report/callgrind.CALLS, the profile of so many calls from the queue's event to the end of Finish.
profile_calls() {
  server_wrapper=(valgrind --tool=callgrind "--callgrind-out-file=build/report/callgrind.$1" "--toggle-collect=$ANSWERS")
  start_server
  "$NORMCTL" bench "$unix" -n "$1" --warmup 1 --tokens 1 --hidden 768 >/dev/null
  stop_server
}

# instructions_in FILE FUNCTION: with what it calls.
instructions_in() {
  callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$1" |
    awk -v name="$2" '!found && index($0, name) { gsub(",", "", $1); found = $1 } END { print found + 0 }'
}

# The difference between many calls and few is free of what only the first ones need.
count_service_instructions() {
  command -v valgrind >/dev/null || install_packages valgrind
  cmd_build
  mkdir -p build/report
  profile_calls 200
  profile_calls 1200
  say "instructions of a call of 1x768 (callgrind has no AVX-512: the kernel is AVX2's)"
  local part count
  for part in "${PARTS[@]}"; do
    count=$((($(instructions_in build/report/callgrind.1200 "${part#*|}") - $(instructions_in build/report/callgrind.200 "${part#*|}")) / 1000))
    [ "$count" -gt 0 ] || die "expected a function of normd called ${part#*|}"
    printf '%-20s %8d\n' "${part%%|*}" "$count"
  done
}

measure_service() {
  [ "${1:-}" != --instructions ] || { count_service_instructions; return; }
  cmd_build
  grep -qs bench_service build/bench/build.ninja || rm -f build/bench/build.ninja  # of a build without the service
  build_preset bench bench_service
  mkdir -p build/report
  "$BENCH_SERVICE" --normd "$NORMD" --json build/report/service.json "$@"
}

measure_latency() {
  mkdir -p build/report
  local transport
  for transport in tcp unix; do
    say "latency at batch size 1 over ${!transport}, also in build/report/latency-$transport.json"
    "$NORMCTL" bench "${!transport}" -z 5s --json "build/report/latency-$transport.json"
  done
}

measure_idle() {
  say "100 calls, one every 1.5 s: 150 s"
  mkdir -p build/report
  "$NORMCTL" bench "$tcp" --interval 1.5s -n 100 --warmup 20 --json build/report/idle.json
  local over_5ms over_20ms
  over_5ms=$(number_of over_5ms) over_20ms=$(number_of over_20ms)
  say "over 5 ms: expected at most 1, got $over_5ms; over 20 ms: expected 0, got $over_20ms"
  [ "$over_5ms" -le 1 ] && [ "$over_20ms" -eq 0 ]
}

number_of() { sed -n "s/^.*\"$1\": *\([0-9][0-9]*\).*$/\1/p" build/report/idle.json | grep -m 1 .; }

cmd_bench() {
  local what=${1:-}
  shift || true
  case $what in
    kernels | accuracy | instructions | service) "measure_$what" "$@" ;;
    latency | idle)
      cmd_build
      start_server
      "measure_$what"
      stop_server
      ;;
    *) die "expected one of: kernels, accuracy, instructions, service, latency, idle; got ${what:-nothing}" ;;
  esac
}
