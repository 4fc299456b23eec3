// SPDX-License-Identifier: Apache-2.0
//
// The process's log, on standard error: one line for each event, as text or as JSON. spdlog's own functions
// write to it; whatever they are given, a line stays one line, bounded and printable.

#ifndef NORMD_SERVER_LOG_H_
#define NORMD_SERVER_LOG_H_

#include <spdlog/common.h>
#include <spdlog/formatter.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace normd {

enum class LogFormat { kText, kJson };

// What is said of an event beside its message.
struct LogField {
  const char* name;
  std::variant<std::string, double> value;
};

// Sends spdlog's default logger to standard error in `format`. For the start of the process.
void SetUpLog(LogFormat format, spdlog::level::level_enum level);

// An event with fields: "message name=value" as text, members of the line's object in JSON.
void LogEvent(spdlog::level::level_enum level, std::string_view message, std::span<const LogField> fields);

std::unique_ptr<spdlog::formatter> MakeLogFormatter(LogFormat format);

}  // namespace normd

#endif  // NORMD_SERVER_LOG_H_
