#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compare.sh NORMALIZED.npy: shows the normalized sentences and their distance to the exact answers; fails where that is
# more than 1e-5. It takes nothing but coreutils and awk, so that it runs wherever the service does.
set -euo pipefail
normalized=$1 here=$(dirname "${BASH_SOURCE[0]}")
readonly HIDDEN=384 BOUND=1e-5

# The values of a float32 .npy file, one a line. Its header's length stands in bytes 8 and 9.
values() {
  local header
  header=$(od -An -tu2 -j8 -N2 "$1")
  od -An -v -w4 -tf4 -j $((header + 10)) "$1"
}

# "COUNT SENTENCE" a line, in the order of the batch.
sentences() {
  sed -n '/"sentence":/ { s/.*: "//; s/",$//; p }' "$here/sentences.json" >"$scratch/sentence"
  sed -n '/"token_counts":/,/]/ s/^ *\([0-9][0-9]*\),*$/\1/p' "$here/sentences.json" | paste -d' ' - "$scratch/sentence"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sentences >"$scratch/sentences"
paste <(values "$normalized") <(values "$here/expected.npy") | awk -v hidden="$HIDDEN" -v bound="$BOUND" '
  FNR == NR { count[NR] = $1; rows += $1; sub(/^[0-9]+ /, ""); sentence[NR] = $0; next }
  place == 0 { at++; word = ""; distance = 0 }
  # [CLS] is the first token of each sentence; its first word comes after it.
  { place++ }
  place > hidden && place <= hidden + 4 { word = word sprintf("%.5f ", $1) }
  { d = $1 > $2 ? $1 - $2 : $2 - $1; if (d > distance) distance = d }
  NF != 2 || $1 ~ /n/ || d > bound { wrong = 1 }
  place == count[at] * hidden {
    printf "%-45s %2d tokens, its first word %s..., largest distance to the exact answer %.2g\n", \
      sentence[at], count[at], word, distance
    place = 0
  }
  END {
    if (wrong || FNR != rows * hidden) { print "expected the exact answers within " bound; exit 1 }
  }' "$scratch/sentences" -
