#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# symbols_test.sh NM OBJDUMP TARGET OBJECT...: the objects of one target export one symbol, and those of the targets that
# are named below hold no register that is wider than the target's. An inline function that they shared with the rest of
# the program could otherwise be the copy that the linker keeps for everybody, and fault on an older CPU.
set -eu
nm=$1 objdump=$2 target=$3
shift 3

exported=$("$nm" --extern-only --defined-only "$@" | awk 'NF == 3 { print $3 }')
count=$(printf '%s\n' "$exported" | grep -c . || true)
if [ "$count" -ne 1 ]; then
  echo "$target: expected 1 exported symbol, got $count:"
  printf '%s\n' "$exported"
  exit 1
fi
echo "$target: exports $exported"

# Whether the objects use registers whose names match $1.
uses() { "$objdump" --disassemble --no-show-raw-insn "$@" | grep -Eq "$registers"; }

expect() {
  registers=$1 wanted=$2
  shift 2
  if uses "$@"; then got=yes; else got=no; fi
  if [ "$got" != "$wanted" ]; then
    echo "$target: registers $registers: expected $wanted, got $got"
    exit 1
  fi
}

case $target in
  avx512 | avx512_bf16) expect '%zmm[0-9]' yes "$@" ;;
  avx2) expect '%ymm[0-9]' yes "$@"; expect '%zmm[0-9]|%k[0-7]|%ymm(1[6-9]|2[0-9]|3[01])' no "$@" ;;
  neon) expect 'v[0-9]+\.4s' yes "$@" ;;
  scalar) expect '%[yz]mm[0-9]|%k[0-7]' no "$@" ;;
esac
