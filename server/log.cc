// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "printable.h"

namespace normd {
namespace {

constexpr size_t kMaxMessage = 2048;
constexpr size_t kMaxField = 1024;

// The fields of the event that this thread is logging. spdlog hands a formatter a message alone, on the
// thread that logs.
thread_local std::span<const LogField> logged_fields;

std::string TimeOf(const spdlog::details::log_msg& message) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(message.time), absl::UTCTimeZone());
}

std::string_view LevelOf(const spdlog::details::log_msg& message) {
  const spdlog::string_view_t name = spdlog::level::to_string_view(message.level);
  return {name.data(), name.size()};
}

std::string_view PayloadOf(const spdlog::details::log_msg& message) {
  return {message.payload.data(), message.payload.size()};
}

void Append(std::string_view text, spdlog::memory_buf_t* line) {
  line->append(text.data(), text.data() + text.size());
}

bool IsPlain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 127 && c != '"' && c != '\\' && c != '=';
  });
}

// A value that one can tell from what stands beside it: as it is, or in quotes.
std::string TextOf(const LogField& field) {
  if (const double* number = std::get_if<double>(&field.value)) return absl::StrCat(*number);
  const std::string text = Printable(std::get<std::string>(field.value), kMaxField);
  if (IsPlain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

// A formatter is copied for each sink, which is why it can make another of itself.
class TextFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    Append(absl::StrCat(TimeOf(message), " "), &line);
    message.color_range_start = line.size();
    Append(LevelOf(message), &line);
    message.color_range_end = line.size();
    Append(absl::StrCat(" ", Printable(PayloadOf(message), kMaxMessage)), &line);
    for (const LogField& field : logged_fields)
      Append(absl::StrCat(" ", field.name, "=", TextOf(field)), &line);
    Append("\n", &line);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<TextFormatter>(); }
};

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    nlohmann::ordered_json json = {{"time", TimeOf(message)},
                                   {"level", LevelOf(message)},
                                   {"message", Printable(PayloadOf(message), kMaxMessage)}};
    for (const LogField& field : logged_fields) {
      const auto* text = std::get_if<std::string>(&field.value);
      if (text != nullptr) json[field.name] = Printable(*text, kMaxField);
      if (text == nullptr) json[field.name] = std::get<double>(field.value);
    }
    Append(absl::StrCat(json.dump(), "\n"), &line);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

}  // namespace

std::unique_ptr<spdlog::formatter> MakeLogFormatter(LogFormat format) {
  if (format == LogFormat::kJson) return std::make_unique<JsonFormatter>();
  return std::make_unique<TextFormatter>();
}

void SetUpLog(LogFormat format, spdlog::level::level_enum level) {
  auto logger =
      std::make_shared<spdlog::logger>("normd", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_formatter(MakeLogFormatter(format));
  logger->set_level(level);
  spdlog::set_default_logger(std::move(logger));
}

void LogEvent(spdlog::level::level_enum level, std::string_view message, std::span<const LogField> fields) {
  logged_fields = fields;
  spdlog::log(level, "{}", message);
  logged_fields = {};
}

}  // namespace normd
