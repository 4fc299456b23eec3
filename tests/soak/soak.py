# SPDX-License-Identifier: Apache-2.0
"""A server under everything at once for a while: ./dev soak.

Says at each tenth of the time what was answered, the server's memory and the latency at batch size 1. Ends with 0 if
nothing failed that should not, memory has reached a plateau and the server stops cleanly.
"""

import argparse
import collections
import http.client
import json
import random
import subprocess
import sys
import threading
import time

import grpc
import health_pb2
import numpy as np
from normd.v1 import normalizer_pb2 as pb
from service import NORMCTL, Server, answer_rows, code_of, exact, free_port, random_rows, request

MIB = 1 << 20
TENTHS = 10
# Tenths that memory is compared from: by then each pool has been as full as it gets.
SETTLED = 3
GROWTH = 1.1
OK, INVALID = grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT
CANCELLED, LATE = grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED
ENOUGH = grpc.StatusCode.RESOURCE_EXHAUSTED


class Load:
    """One kind of load on a thread of its own, with a pause between its steps so that the machine is not full."""

    pause = 0.01

    def __init__(self, server):
        self.server = server
        self.random = random.Random(type(self).__name__)
        self.done = 0
        self.failures = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stopping.wait(self.pause):
            try:
                self.step()
            except Exception as error:  # pylint: disable=broad-exception-caught
                self.failures.append(f"{type(self).__name__}: {error!r}"[:500])

    def expect(self, got, *allowed):
        self.done += 1
        if got not in allowed:
            self.failures.append(f"{type(self).__name__}: {got}; expected {', '.join(map(str, allowed))}")

    def stop(self):
        self.stopping.set()
        self.thread.join()


class Large(Load):
    """Ragged batches of 1 to 8 MB, whose answers are right at first and have the same bits ever after."""

    def __init__(self, server):
        super().__init__(server)
        self.stub = server.stub()
        self.known = []
        for seed in range(8):
            rows = random_rows((seed + 1) * MIB // (4 * 1024), 1024, seed)
            counts = [1, rows.shape[0] // 3, 0, rows.shape[0] - 1 - rows.shape[0] // 3]
            message = request(rows, token_counts=counts)
            answer = self.stub.Normalize(message, timeout=60)
            y, bound = exact(rows[:16])
            if not (np.abs(answer_rows(answer)[:16] - y) <= bound).all():
                raise AssertionError("an answer is outside the contract")
            self.known.append((message, answer.data))

    def step(self):
        message, known = self.random.choice(self.known)
        self.expect(self.stub.Normalize(message, timeout=60).data == known, True)


class Streams(Load):
    """Streams of mixed messages, answered in order, the malformed among them too."""

    def step(self):
        rows = [random_rows(self.random.choice((1, 3, 200)), 768, 1) for _ in range(self.random.randint(1, 20))]
        messages = [request(some, request_id=str(i)) for i, some in enumerate(rows)]
        messages[0].hidden = 767
        answers = list(self.server.kept_stub.NormalizeStream(iter(messages), timeout=60))
        order = [answer.error.request_id or answer.result.request_id for answer in answers]
        self.expect(order, [message.request_id for message in messages])
        self.expect(answers[0].error.code, INVALID.value[0])


class Cancellations(Load):
    """Calls that their clients leave, or that are late."""

    def step(self):
        message = request(np.ones((self.random.choice((1, 512, 2048)), 768), np.float32))
        send = self.server.kept_stub.Normalize.future
        calls = [send(message, timeout=self.random.choice((0.0005, 0.005, 60))) for _ in range(4)]
        for call in calls:
            self.stopping.wait(self.random.random() * 0.005)
            call.cancel()
        for call in calls:
            self.expect(CANCELLED if call.cancelled() else code_of(call.result), OK, CANCELLED, LATE)


class Mistakes(Load):
    """Requests that are refused, each with its own code."""

    pause = 0.05
    steps = 0

    def step(self):
        send = self.server.kept_stub.Normalize
        data = bytes(16)
        for message, code in (
            (pb.NormalizeRequest(layer="layer_norm", hidden=3, data=data), INVALID),
            (pb.NormalizeRequest(layer="layer_norm", hidden=1 << 62, data=data), INVALID),
            (pb.NormalizeRequest(layer="layer_norm", hidden=4, token_counts=[2], data=data), INVALID),
            (pb.NormalizeRequest(layer="none", hidden=4, data=data), grpc.StatusCode.NOT_FOUND),
        ):
            self.expect(code_of(lambda sent=message: send(sent, timeout=60)), code)
        raw = self.server.kept_channel.unary_unary("/normd.v1.Normalizer/Normalize")
        self.expect(code_of(lambda: raw(b"\x12\xff\xff\xff", timeout=60)), INVALID)
        self.steps += 1
        if self.steps % 100 == 1:
            long = pb.NormalizeRequest(layer="layer_norm", hidden=1024, data=bytes(65 * MIB))
            self.expect(code_of(lambda: send(long, timeout=60)), ENOUGH)


class Connections(Load):
    """Connections that come and go, some without a word, with a health check watched on each."""

    pause = 0.1

    def step(self):
        with self.server.new_channel() as channel:
            watch = channel.unary_stream(
                "/grpc.health.v1.Health/Watch",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )(health_pb2.HealthCheckRequest(), timeout=60)
            self.expect(next(watch).status, health_pb2.HealthCheckResponse.SERVING)


class Scrapes(Load):
    """What Prometheus and a person with a browser ask."""

    pause = 0.5

    def step(self):
        for path in ("/metrics", "/", "/readyz", "/livez"):
            connection = http.client.HTTPConnection(self.server.http, timeout=60)
            connection.request("GET", path)
            self.expect(connection.getresponse().status, 200)
            connection.close()


class SoakedServer(Server):
    def __init__(self):
        self.http = f"127.0.0.1:{free_port()}"
        super().__init__("--http", self.http)
        self.kept_channel = self.channel()
        self.kept_stub = self.stub()

    def new_channel(self):
        """For the caller to close."""
        return grpc.insecure_channel(self.tcp, options=[("grpc.use_local_subchannel_pool", 1)])


Tenth = collections.namedtuple("Tenth", "answered resident p50 p99")


def bench(server, seconds):
    """1 x 768 at 200 a second for so long, and normctl's report on it."""
    done = subprocess.run(
        (NORMCTL, "bench", server.unix, "-z", f"{seconds}s", "--interval", "5ms", "--warmup", "20", "-O", "json"),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def run_tenth(server, loads, seconds):
    before = sum(load.done for load in loads)
    code, report = bench(server, seconds)
    if code != 0:
        raise AssertionError(f"normctl bench ended with {code}: {report}")
    percentiles = report["latency_ns"]["percentiles"]
    p50, p99 = (percentiles[name] / 1000 if percentiles[name] else float("nan") for name in ("50", "99"))
    return Tenth(sum(load.done for load in loads) - before + report["ok"], server.resident_bytes(), p50, p99)


def judge(tenths, loads):
    """What is wrong."""
    wrong = [failure for load in loads for failure in load.failures[:5]]
    wrong += [f"{type(load).__name__}: nothing was done" for load in loads if load.done == 0]
    most, settled = max(t.resident for t in tenths[SETTLED:]), max(t.resident for t in tenths[:SETTLED])
    if most > GROWTH * settled:
        grown = f"{settled / MIB:.0f} to {most / MIB:.0f} MiB"
        wrong.append(f"memory grew from {grown}; expected a factor of {GROWTH} at most")
    return wrong


def mean(values):
    return sum(values) / len(values)


def soak(seconds):
    with SoakedServer() as server:
        loads = [kind(server) for kind in (Large, Large, Streams, Cancellations, Mistakes, Connections, Scrapes)]
        for load in loads:
            load.thread.start()
        tenths = []
        print(f"{'tenth':>5} {'answered':>9} {'MiB':>6} {'p50 us':>8} {'p99 us':>8}", flush=True)
        try:
            for i in range(TENTHS):
                tenths.append(run_tenth(server, loads, max(1, seconds // TENTHS)))
                t = tenths[-1]
                print(f"{i + 1:5} {t.answered:9} {t.resident / MIB:6.0f} {t.p50:8.0f} {t.p99:8.0f}", flush=True)
        finally:
            for load in loads:
                load.stop()
        for load in loads:
            print(f"{type(load).__name__:14} {load.done:8} done, {len(load.failures)} wrong")
        ratio = mean([t.p50 for t in tenths[7:]]) / mean([t.p50 for t in tenths[1:4]])
        print(f"p50 of tenths 8 to 10 over that of 2 to 4: {ratio:.2f}", flush=True)
        server.terminate()
        code = server.wait()
        return judge(tenths, loads) + ([f"the server ended with {code}"] if code != 0 else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=int, nargs="?", default=600)
    wrong = soak(parser.parse_args().seconds)
    for text in wrong:
        print("wrong:", text, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
