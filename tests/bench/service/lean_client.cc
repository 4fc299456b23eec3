// SPDX-License-Identifier: Apache-2.0
#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>

#include "client.h"
#include "request.h"

namespace normd::bench {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t NanosecondsSince(Clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
}

// The arguments of normd's own client.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20)))
    throw std::runtime_error("no connection to " + address);
  return channel;
}

// One call and what it needs, used for one call after another.
class Place {
 public:
  void Start(grpc::GenericStub& stub, const grpc::ByteBuffer& request, grpc::CompletionQueue& queue) {
    static const std::string method = kNormalizeMethod;
    reader_ = stub.PrepareUnaryCall(&*context_, method, request, &queue);
    reader_->StartCall();
    reader_->Finish(&response_, &status_, this);
  }

  // The context of the last call is taken down, and that of the next one made.
  void Renew() {
    reader_.reset();
    response_.Clear();
    context_.emplace();
  }

  const grpc::ByteBuffer& response() const { return response_; }

  void CheckAnswer(size_t least_bytes) const {
    if (!status_.ok()) throw std::runtime_error("a call failed: " + status_.error_message());
    if (response_.Length() < least_bytes)
      throw std::runtime_error("an answer has " + std::to_string(response_.Length()) +
                               " bytes; expected more than " + std::to_string(least_bytes));
  }

 private:
  std::optional<grpc::ClientContext> context_ = std::make_optional<grpc::ClientContext>();
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
};

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  if (!buffer.DumpToSingleSlice(&slice).ok()) throw std::runtime_error("an answer cannot be unpacked");
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

// Whether each row of the answer has a mean of 0 and a variance of 1.
bool IsNormalized(const std::string& data, const Shape& shape) {
  std::vector<float> row(static_cast<size_t>(shape.hidden));
  for (int64_t r = 0; r < shape.rows; ++r) {
    memcpy(row.data(), data.data() + r * shape.hidden * 4, row.size() * sizeof(float));
    double sum = 0;
    double squares = 0;
    for (const float value : row) {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    const double n = static_cast<double>(shape.hidden);
    if (!(std::fabs(sum / n) < 1e-3 && std::fabs(squares / n - 1) < 1e-2)) return false;
  }
  return true;
}

bool IsRight(Answer kind, const std::string& answer, const v1::NormalizeRequest& request,
             const Shape& shape) {
  if (kind == Answer::kEcho) return answer == request.SerializeAsString();
  v1::NormalizeResponse response;
  if (!response.ParseFromString(answer) || response.data().size() != shape.bytes()) return false;
  return kind == Answer::kResponse ? response.data() == request.data() : IsNormalized(response.data(), shape);
}

class LeanClient : public Client {
 public:
  LeanClient(const std::string& address, Answer answer)
      : address_(address), answer_(answer), stub_(OpenChannel(address)) {}
  LeanClient(const LeanClient&) = delete;
  LeanClient& operator=(const LeanClient&) = delete;
  ~LeanClient() override { queue_.Shutdown(); }

  void Open(const Shape& shape) override {
    const v1::NormalizeRequest request = MakeRequest(shape);
    const grpc::Slice bytes(request.SerializeAsString());
    request_ = grpc::ByteBuffer(&bytes, 1);
    least_bytes_ = shape.bytes();
    Place place;
    place.Start(stub_, request_, queue_);
    Next();
    place.CheckAnswer(least_bytes_);
    if (!IsRight(answer_, BytesOf(place.response()), request, shape))
      throw std::runtime_error("a wrong answer to " + shape.Text() + " from " + address_);
  }

  std::vector<uint64_t> Latencies(int64_t calls) override {
    std::vector<uint64_t> latencies;
    latencies.reserve(static_cast<size_t>(calls));
    Place place;
    for (int64_t i = 0; i < calls; ++i) {
      const Clock::time_point start = Clock::now();
      place.Start(stub_, request_, queue_);
      Next();
      latencies.push_back(NanosecondsSince(start));
      place.CheckAnswer(least_bytes_);
      place.Renew();
    }
    return latencies;
  }

  uint64_t TimeInFlight(int64_t in_flight, int64_t calls) override {
    std::vector<Place> places(static_cast<size_t>(std::min(in_flight, calls)));
    const Clock::time_point start = Clock::now();
    int64_t started = 0;
    for (Place& place : places) {
      place.Start(stub_, request_, queue_);
      ++started;
    }
    for (int64_t done = 0; done < calls; ++done) {
      Place* const place = Next();
      place->CheckAnswer(least_bytes_);
      place->Renew();
      if (started++ < calls) place->Start(stub_, request_, queue_);
    }
    return NanosecondsSince(start);
  }

 private:
  Place* Next() {
    void* tag = nullptr;
    bool ok = false;
    queue_.Next(&tag, &ok);
    return static_cast<Place*>(tag);
  }

  std::string address_;
  Answer answer_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  grpc::ByteBuffer request_;
  size_t least_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Client> MakeLeanClient(const std::string& address, Answer answer) {
  return std::make_unique<LeanClient>(address, answer);
}

}  // namespace normd::bench
