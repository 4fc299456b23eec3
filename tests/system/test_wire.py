# SPDX-License-Identifier: Apache-2.0
"""Messages as no gRPC library sends them: cut anywhere, malformed, cut short, and with lengths that are lies."""

import resource
import socket
import time
import unittest

import grpc
import http2
import numpy as np
from normd.v1 import normalizer_pb2 as pb
from service import PATIENCE, SANITIZED, Server, free_port, memory, random_rows, request
from test_http import ask

MIB = 1 << 20
VALID = request(random_rows(3, 4, seed=5), token_counts=[1, 2]).SerializeToString()
MALFORMED = (
    VALID[:-1],  # shorter than its last field says
    VALID + b"\x0a",  # a field without a value
    VALID + b"\x0a\xff\xff\xff\xff\x0f",  # longer than the message
    VALID + b"\x12" + b"\xff" * 11,  # a varint of eleven bytes
    VALID + b"\x0f\x00",  # a wire type that there is not
)


class Wire(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.http = f"127.0.0.1:{free_port()}"
        cls.server = Server("--http", cls.http)
        cls.stub = cls.server.stub()
        cls.raw = staticmethod(cls.server.channel().unary_unary(http2.NORMALIZE))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def tearDown(self):
        """The server is alive, and has forgotten nobody."""
        self.stub.Normalize(request(np.ones((1, 4), np.float32)), timeout=PATIENCE)
        due = time.monotonic() + PATIENCE
        while self.calls_in_flight() > 0 and time.monotonic() < due:
            time.sleep(0.01)
        self.assertEqual(self.calls_in_flight(), 0)

    def calls_in_flight(self):
        lines = ask(self.http, "/metrics")[1].splitlines()
        counts = [float(line.split()[-1]) for line in lines if line.startswith("normd_calls_in_flight")]
        self.assertTrue(counts)
        return sum(counts)

    def tokens(self, answer):
        """The rows in the answer's bytes, which has a time in it that is never the same."""
        self.assertGreater(len(answer), 5)
        return pb.NormalizeResponse.FromString(answer[5:]).data

    def tokens_of_valid(self):
        return self.tokens(http2.message(self.raw(VALID, timeout=PATIENCE)))

    def test_split_at_each_byte(self):
        expected = self.tokens_of_valid()
        self.assertEqual(len(expected), 48)
        whole = http2.message(VALID)
        with http2.Connection(self.server.tcp) as connection:
            for i in range(len(whole) + 1):
                self.assertEqual(self.tokens(connection.call([whole[:i], whole[i:]])), expected, i)
            self.assertEqual(self.tokens(connection.call([bytes((byte,)) for byte in whole])), expected)

    def test_malformed_and_split_at_each_byte(self):
        for payload in MALFORMED:
            with self.assertRaises(grpc.RpcError) as caught:
                self.raw(payload, timeout=PATIENCE)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT, payload)
            whole = http2.message(payload)
            with http2.Connection(self.server.tcp) as connection:
                for i in range(len(whole) + 1):
                    self.assertEqual(connection.call([whole[:i], whole[i:]]), b"", (payload, i))

    def test_length_that_is_a_lie(self):
        before = memory(self.server, "VmHWM")
        for length in (2**31 - 1, 2**31, 2**32 - 1):
            with http2.Connection(self.server.tcp) as connection:
                self.assertEqual(connection.call([http2.message(bytes(100), length)]), b"")
        if not SANITIZED:
            self.assertLess(memory(self.server, "VmHWM") - before, 10 * MIB)

    def test_connections_cut_at_each_byte(self):
        whole = http2.message(VALID)
        for i in range(len(whole)):
            with http2.Connection(self.server.tcp) as connection:
                connection.begin()
                connection.send(whole[:i])

    def test_more_connections_than_the_soft_limit_on_files(self):
        """Past that, gRPC would stop listening for good."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        try:
            server = Server()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        with server:
            connections = [http2.Connection(server.tcp) for _ in range(100)]
            self.assertEqual(self.tokens(connections[-1].call([http2.message(VALID)])), self.tokens_of_valid())
            for connection in connections:
                connection.socket.close()
            server.stub().Normalize(request(np.ones((1, 4), np.float32)), timeout=PATIENCE)

    def test_what_is_no_http2(self):
        host, port = self.server.tcp.split(":")
        for garbage in (b"", b"\0" * 100, b"GET / HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100):
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
                connection.sendall(garbage)
                connection.shutdown(socket.SHUT_WR)
                try:
                    while connection.recv(4096):
                        pass
                except ConnectionResetError:
                    pass


if __name__ == "__main__":
    unittest.main()
