// SPDX-License-Identifier: Apache-2.0
//
// bench_plain server ADDRESS..., bench_plain client ADDRESS: what one writes first. The synchronous server
// and stub, protobuf's own messages, gRPC's shared libraries, its defaults but for the limit on a message's
// size.
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "normd/v1/normalizer.grpc.pb.h"
#include "plain_order.h"
#include "request.h"
#include "socket.h"

namespace normd::bench {
namespace {

class PlainService : public v1::Normalizer::Service {
 public:
  grpc::Status Normalize(grpc::ServerContext* /*context*/, const v1::NormalizeRequest* request,
                         v1::NormalizeResponse* response) override {
    response->set_hidden(request->hidden());
    response->set_data(request->data());
    return grpc::Status::OK;
  }
};

int Serve(const std::vector<std::string>& addresses) {
  PlainService service;
  grpc::ServerBuilder builder;
  for (const std::string& address : addresses)
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  builder.SetMaxReceiveMessageSize(-1);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  server->Wait();
  return 0;
}

using Clock = std::chrono::steady_clock;

uint64_t NanosecondsSince(Clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
}

uint64_t TimeOfCall(v1::Normalizer::Stub& stub, const v1::NormalizeRequest& request) {
  grpc::ClientContext context;
  v1::NormalizeResponse response;
  const Clock::time_point start = Clock::now();
  const grpc::Status status = stub.Normalize(&context, request, &response);
  const uint64_t taken = NanosecondsSince(start);
  if (!status.ok()) throw std::runtime_error(status.error_message());
  if (response.data().size() != request.data().size()) throw std::runtime_error("an answer of another size");
  return taken;
}

uint64_t TimeInFlight(v1::Normalizer::Stub& stub, const v1::NormalizeRequest& request,
                      const PlainOrder& order) {
  std::atomic<int64_t> left = order.calls;
  const Clock::time_point start = Clock::now();
  std::vector<std::jthread> threads;
  for (int64_t i = 0; i < order.in_flight; ++i) {
    threads.emplace_back([&] {
      while (left-- > 0) TimeOfCall(stub, request);
    });
  }
  threads.clear();
  return NanosecondsSince(start);
}

int Call(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  const auto stub = v1::Normalizer::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  PlainOrder order;
  Shape shape;
  v1::NormalizeRequest request = MakeRequest(shape);
  while (ReadAll(STDIN_FILENO, &order, sizeof(order))) {
    if (order.shape != shape) request = MakeRequest(shape = order.shape);
    std::vector<uint64_t> answer;
    if (order.in_flight > 0) {
      answer.push_back(TimeInFlight(*stub, request, order));
    } else {
      for (int64_t i = 0; i < order.calls; ++i) answer.push_back(TimeOfCall(*stub, request));
    }
    WriteAll(STDOUT_FILENO, answer.data(), answer.size() * sizeof(answer[0]));
  }
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() >= 2 && arguments[0] == "server")
    return Serve({arguments.begin() + 1, arguments.end()});
  if (arguments.size() == 2 && arguments[0] == "client") return Call(arguments[1]);
  std::cerr << "usage: bench_plain server ADDRESS... | bench_plain client ADDRESS\n";
  return 2;
}

}  // namespace
}  // namespace normd::bench

int main(int argc, char** argv) {
  try {
    return normd::bench::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "bench_plain: " << error.what() << "\n";
    return 1;
  }
}
