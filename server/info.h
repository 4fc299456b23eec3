// SPDX-License-Identifier: Apache-2.0
//
// What the server says of itself: ListLayers and GetServerInfo.

#ifndef NORMD_SERVER_INFO_H_
#define NORMD_SERVER_INFO_H_

#include "layer_registry.h"
#include "normd/v1/normalizer.pb.h"

namespace normd {

void ListLayers(const LayerRegistry& layers, v1::ListLayersResponse* response);
void GetServerInfo(const LayerRegistry& layers, int64_t max_message_bytes,
                   v1::GetServerInfoResponse* response);

}  // namespace normd

#endif  // NORMD_SERVER_INFO_H_
