#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Lays the peers of the kernels' benchmark into build/peers: what it needs out of each one's Python wheel, which pip
# fetches. Nothing is installed. One that cannot be had is told of and left out. ./dev setup --peers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly PEERS=build/peers

# The versions that the benchmark was last built with; where one is not to be had, the newest.
readonly CTRANSLATE2=ctranslate2==4.8.5 ONNXRUNTIME=onnxruntime==1.32.0 TORCH=torch==2.15.0
readonly ONEDNN=onednn-cpu-gomp==2023.2.0 ONEDNN_HEADERS=onednn-devel-cpu-gomp==2023.2.0

say() { printf '%s\n' "$*"; }

# fetch FOLDER OPTION... REQUIREMENT: its wheel into FOLDER.
fetch() { python3 -m pip download --quiet --only-binary :all: --dest "$@"; }

# take NAME REQUIREMENT PATTERN...: the files of the wheel that match, into build/peers/NAME.
take() {
  local folder=$PEERS/$1 wheel=$PEERS/$1/wheel requirement=$2 found
  shift 2
  mkdir -p "$wheel"
  fetch "$wheel" --no-deps "$requirement" || fetch "$wheel" --no-deps "${requirement%%==*}" || return 1
  found=$(ls "$wheel")
  unzip -qo "$wheel/*.whl" "$@" -d "$folder" || return 1
  rm -r "$wheel"
  say "  $found"
}

take_onednn() {
  take onednn "$ONEDNN" '*/lib/libdnnl.so.3' && take onednn "$ONEDNN_HEADERS" '*/include/*'
}

take_onnxruntime() { take onnxruntime "$ONNXRUNTIME" '*/libonnxruntime.so*'; }

take_ctranslate2() { take ctranslate2 "$CTRANSLATE2" 'ctranslate2.libs/*'; }

# PyTorch's wheel for Linux wants CUDA's run-time and profiling libraries to be there when its library for the CPU is
# loaded, of the version that its metadata names.
take_torch() {
  take torch "$TORCH" 'torch/lib/libtorch_cpu.so' 'torch/lib/libc10.so' 'torch/lib/libgomp*' 'torch/include/*' '*/METADATA' ||
    return 1
  local version
  version=$(sed -n 's/^Requires-Dist: cuda-toolkit\[.*\]==\([0-9.]*\).*$/\1/p' "$PEERS"/torch/*/METADATA)
  [ -n "$version" ] || return 0
  mkdir -p "$PEERS/torch/cuda"
  fetch "$PEERS/torch/cuda" "cuda-toolkit[cudart,cupti]==$version" || return 1
  local wheel
  for wheel in "$PEERS"/torch/cuda/nvidia*.whl; do
    unzip -qo "$wheel" 'nvidia/*/lib/libcu[dp][at]*.so*' -d "$PEERS/torch" || return 1
  done
  rm -r "$PEERS/torch/cuda"
}

for peer in onednn onnxruntime ctranslate2 torch; do
  [ ! -e "$PEERS/$peer.done" ] || { say "$peer: there already"; continue; }
  say "$peer: fetching"
  rm -rf "${PEERS:?}/$peer"
  if "take_$peer"; then touch "$PEERS/$peer.done"; else say "$peer: not to be had; its column will be empty"; fi
done
