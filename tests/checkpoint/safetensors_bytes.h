// SPDX-License-Identifier: Apache-2.0
//
// Files for the tests: safetensors bytes, right or wrong, in a folder that goes away with the test.

#ifndef NORMD_TESTS_CHECKPOINT_SAFETENSORS_BYTES_H_
#define NORMD_TESTS_CHECKPOINT_SAFETENSORS_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normd {

// A header of the given length field, the header's text and the data.
std::string RawSafetensors(uint64_t length, std::string_view header, std::string_view data);

// The same with the length that the header has.
std::string Safetensors(std::string_view header, std::string_view data = "");

// Whole files of tensors that are put back to back.
class SafetensorsBuilder {
 public:
  SafetensorsBuilder& Metadata(const std::string& key, const std::string& value);
  SafetensorsBuilder& Tensor(const std::string& name, const std::string& dtype,
                             const std::vector<int64_t>& shape, std::string_view data);
  // A tensor with one dimension.
  SafetensorsBuilder& F32(const std::string& name, const std::vector<float>& values);
  SafetensorsBuilder& Halves(const std::string& name, const std::string& dtype,
                             const std::vector<uint16_t>& bits);

  std::string Bytes() const;

 private:
  std::string metadata_;
  std::string entries_;
  std::string data_;
};

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file and returns its path.
  std::string Write(const std::string& name, std::string_view bytes) const;

 private:
  std::string path_;
};

}  // namespace normd

#endif  // NORMD_TESTS_CHECKPOINT_SAFETENSORS_BYTES_H_
