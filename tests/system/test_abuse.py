# SPDX-License-Identifier: Apache-2.0
"""What must not hurt the server: bombs, lies about sizes, floods. Memory is read from /proc while it happens."""

import concurrent.futures
import unittest

import grpc
import numpy as np
from normd.v1 import normalizer_pb2 as pb
from service import SANITIZED, Server, code_of, memory, request

MIB = 1 << 20


class AbuseBase(unittest.TestCase):
    arguments = ()

    def setUp(self):
        self.server = Server(*self.arguments)
        self.addCleanup(self.server.close)
        self.stub = self.server.stub()

    def assert_alive(self):
        self.stub.Normalize(request(np.ones((1, 4), np.float32)), timeout=60)


    def assert_below(self, resident, most):
        """Under a sanitizer, whose shadows are resident as well, nothing can be said."""
        if not SANITIZED:
            self.assertLess(resident, most)


class Abuse(AbuseBase):
    def test_zero_bomb_in_gzip_is_refused_and_takes_no_memory(self):
        self.assert_alive()
        before = memory(self.server, "VmHWM")
        message = pb.NormalizeRequest(layer="layer_norm", hidden=1024, data=bytes(200 * MIB))
        self.assertEqual(
            code_of(lambda: self.stub.Normalize(message, compression=grpc.Compression.Gzip, timeout=60)),
            grpc.StatusCode.UNIMPLEMENTED,
        )
        self.assert_below(memory(self.server, "VmHWM") - before, 10 * MIB)
        self.assert_alive()

    def test_sizes_that_are_not_there(self):
        self.assert_alive()
        before = memory(self.server, "VmHWM")
        tokens = np.ones((1, 4), np.float32).tobytes()
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        for message, code in (
            (pb.NormalizeRequest(layer="layer_norm", hidden=1 << 62, data=tokens), invalid),
            (pb.NormalizeRequest(layer="layer_norm", hidden=4, token_counts=[1 << 62, 1 << 62], data=tokens), invalid),
            (pb.NormalizeRequest(layer="layer_norm", hidden=4, token_counts=[0] * 1_000_000, data=tokens), invalid),
            (pb.NormalizeRequest(layer="layer_norm", hidden=4, outputs=[1] * 1_000_000, data=tokens), invalid),
        ):
            self.assertEqual(code_of(lambda sent=message: self.stub.Normalize(sent, timeout=60)), code)
        self.assert_below(memory(self.server, "VmHWM") - before, 20 * MIB)
        self.assert_alive()

    def test_longer_than_the_longest_message(self):
        message = pb.NormalizeRequest(layer="layer_norm", hidden=1024, data=bytes(65 * MIB))
        self.assertEqual(
            code_of(lambda: self.stub.Normalize(message, timeout=60)), grpc.StatusCode.RESOURCE_EXHAUSTED
        )
        self.assert_alive()

    def test_cancellation_storm(self):
        message = request(np.ones((2048, 512), np.float32))
        calls = [self.stub.Normalize.future(message) for _ in range(200)]
        for call in calls:
            call.cancel()
        self.assert_alive()


class Flood(AbuseBase):
    arguments = ("--max-bytes-in-flight", str(256 * MIB), "--memory-quota", str(256 * MIB))
    # A server that is slower than its clients meets gRPC's quota as well, which takes a connection from one of them.
    allowed = {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE}
    required = {grpc.StatusCode.OK}
    most = 400 * MIB

    def test_64_calls_of_32_mib(self):
        message = pb.NormalizeRequest(layer="layer_norm", hidden=4096, data=bytes(32 * MIB)).SerializeToString()
        raw = [self.server.channel().unary_unary("/normd.v1.Normalizer/Normalize", None, None) for _ in range(8)]
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            codes = list(pool.map(lambda i: code_of(lambda: raw[i % 8](message, timeout=120)), range(64)))
        self.assertEqual(set(codes) - self.allowed, set(), codes)
        self.assertLessEqual(self.required, set(codes))
        self.assert_below(memory(self.server, "VmHWM"), self.most)
        self.assert_alive()


class FloodPastTheQuota(Flood):
    """gRPC then takes calls, and connections, from clients as it needs their memory."""

    arguments = ("--memory-quota", str(64 * MIB))
    required = frozenset()


if __name__ == "__main__":
    unittest.main()
