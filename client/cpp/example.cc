// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "normd/client.h"

int main(int argc, char** argv) {
  const auto client = normd::Client::Connect(argc > 1 ? argv[1] : "127.0.0.1:8001");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.status().ToString().c_str()), 1;

  // Two sequences, of one token and of two; each token has four values.
  const float tokens[] = {3.2f, -1.8f, 0.5f, 2.1f, 1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t token_counts[] = {1, 2};
  const auto answer =
      client->Normalize({.tokens = tokens, .hidden = 4, .token_counts = token_counts, .layer = "layer_norm"});
  if (!answer.ok()) return std::fprintf(stderr, "%s\n", answer.status().ToString().c_str()), 1;

  for (const float value : answer->tokens) std::printf("%.5f\n", value);
}
