#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What holds for the text of the sources: their layout, the scripts' syntax, the licence's line at the head of each file,
# and that the README shows the example that the tests build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The files that git knows or will know, of these patterns, one a line.
files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

check_layout() { files '*.cc' '*.h' | xargs clang-format-19 --dry-run -Werror; }

check_syntax() { files dev .ci/run '*.sh' | xargs -n 1 bash -n; }

check_licence() {
  local without
  without=$(files . ':!*.json' ':!*.npy' ':!*.safetensors' ':!LICENSE' | xargs grep -L -m 1 'SPDX-License-Identifier: Apache-2.0') || true
  [ -z "$without" ] || { printf 'expected an SPDX line at the head of:\n%s\n' "$without" >&2; return 1; }
}

check_example() {
  diff <(tail -n +2 client/cpp/example.cc) <(sed -n '/^```cpp$/,/^```$/ { /^```/d; p }' README.md) ||
    { echo "expected README.md to show client/cpp/example.cc" >&2; return 1; }
}

check_layout
check_syntax
check_licence
check_example
