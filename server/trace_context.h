// SPDX-License-Identifier: Apache-2.0
#ifndef NORMD_SERVER_TRACE_CONTEXT_H_
#define NORMD_SERVER_TRACE_CONTEXT_H_

#include <string_view>

namespace normd {

// The part of a `traceparent` that the W3C recommendation Trace Context defines, "00-", trace, span and flags
// in lower case hexadecimal: 55 bytes. Empty where the value is not valid, as it is to be ignored then.
std::string_view ValidTraceparent(std::string_view value);

}  // namespace normd

#endif  // NORMD_SERVER_TRACE_CONTEXT_H_
