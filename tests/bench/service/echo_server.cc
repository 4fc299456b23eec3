// SPDX-License-Identifier: Apache-2.0
//
// bench_echo_server ADDRESS...: the least that a gRPC server in C++ can do for a call of Normalize, tuned as
// normd is: one completion queue and one thread, raw bytes, linked statically. What normd takes longer is its
// own work.
#include <grpcpp/grpcpp.h>

#include <csignal>
#include <iostream>
#include <optional>

#include "absl/synchronization/mutex.h"
#include "normd/v1/normalizer.grpc.pb.h"

namespace normd::bench {
namespace {

using Service = v1::Normalizer::WithRawMethod_Normalize<v1::Normalizer::Service>;

constexpr int kPlaces = 32;  // as in normd

// Asks for a call, sends its bytes back, and asks again.
class EchoCall {
 public:
  EchoCall(Service* service, grpc::ServerCompletionQueue* queue) : service_(service), queue_(queue) { Ask(); }

  void Complete(bool ok) {
    if (waiting_ && ok) {
      waiting_ = false;
      writer_->Finish(message_, grpc::Status::OK, this);
    } else {
      Ask();
    }
  }

 private:
  void Ask() {
    waiting_ = true;
    writer_.reset();
    context_.emplace();
    writer_.emplace(&*context_);
    service_->RequestNormalize(&*context_, &message_, &*writer_, queue_, queue_, this);
  }

  Service* service_;
  grpc::ServerCompletionQueue* queue_;
  bool waiting_ = false;
  std::optional<grpc::ServerContext> context_;
  std::optional<grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>> writer_;
  grpc::ByteBuffer message_;
};

// Until the process is ended by a signal.
int Main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  Service service;
  grpc::ServerBuilder builder;
  for (int i = 1; i < argc; ++i) builder.AddListeningPort(argv[i], grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  const auto queue = builder.AddCompletionQueue();
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  for (int i = 0; i < kPlaces; ++i) new EchoCall(&service, queue.get());
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) static_cast<EchoCall*>(tag)->Complete(ok);
  return 0;
}

}  // namespace
}  // namespace normd::bench

int main(int argc, char** argv) { return normd::bench::Main(argc, argv); }
