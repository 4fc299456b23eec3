#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage_test.sh BINARY: fails where the binary needs a shared library of gRPC, abseil or protobuf.
set -eu
libraries=$(ldd "$1")
# A program that ldd cannot read would pass for one that needs nothing.
echo "$libraries" | grep -q 'libc\.so'
if echo "$libraries" | grep -E 'lib(grpc|gpr|absl|protobuf|upb|address_sorting)'; then
  echo "$1 needs them; expected them to be linked in" >&2
  exit 1
fi
