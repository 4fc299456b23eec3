#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sysroot.sh DIR: makes the root file system that the kernels are cross compiled against, unless it is there. No arm64
# code runs for it. It is made beside DIR and moved there when whole.
set -euo pipefail
root=$1
packages=(libabsl-dev libtbb-dev libxsimd-dev libgtest-dev libgmock-dev nlohmann-json3-dev libc6-dev
  "libstdc++-$(aarch64-linux-gnu-g++ -dumpversion | cut -d. -f1)-dev")
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
contents="$suite ${packages[*]}"

# Absolute links would point into this machine's own root.
make_links_relative() {
  local link
  find "$1" -type l -lname '/*' | while read -r link; do
    ln -snf "$(realpath -ms --relative-to="$(dirname "$link")" "$1$(readlink "$link")")" "$link"
  done
}

if [ "$(cat "$root/made-of" 2>/dev/null)" = "$contents" ]; then exit 0; fi
rm -rf "$root" "$root.new"
mmdebstrap --variant=extract --architectures=arm64 --include="$(IFS=,; echo "${packages[*]}")" "$suite" "$root.new"
make_links_relative "$root.new"
echo "$contents" >"$root.new/made-of"
# A build directory belongs to who builds, also where this ran through sudo.
chown -R --reference="$(dirname "$root")" "$root.new"
mv "$root.new" "$root"
