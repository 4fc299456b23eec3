# SPDX-License-Identifier: Apache-2.0
"""Servers that are replaced one after the other, under load, without a call lost."""

import json
import signal
import threading
import unittest

import grpc
import numpy as np
from normd.v1 import normalizer_pb2_grpc
from service import UNBOUNDED, Server, request

# What normd::Client asks for.
SERVICE_CONFIG = {
    "loadBalancingConfig": [{"round_robin": {}}],
    "healthCheckConfig": {"serviceName": ""},
    "methodConfig": [
        {
            "name": [{"service": "normd.v1.Normalizer"}],
            "retryPolicy": {
                "maxAttempts": 5,
                "initialBackoff": "0.05s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ],
}


class Load:
    """Calls without pause on a few threads, one in ten of 512 x 768, until it is stopped."""

    def __init__(self, addresses):
        options = [
            *UNBOUNDED,
            ("grpc.service_config", json.dumps(SERVICE_CONFIG)),
            ("grpc.per_rpc_retry_buffer_size", 128 << 20),
        ]
        channel = grpc.insecure_channel("ipv4:" + ",".join(addresses), options=options)
        self.stub = normalizer_pb2_grpc.NormalizerStub(channel)
        self.stopping = threading.Event()
        self.answered = 0
        self.failures = []
        self.threads = [threading.Thread(target=self.run) for _ in range(4)]
        for thread in self.threads:
            thread.start()

    def run(self):
        messages = [request(np.ones((rows, 768), np.float32)) for rows in [1] * 9 + [512]]
        while not self.stopping.is_set():
            for message in messages:
                try:
                    self.stub.Normalize(message, timeout=60, wait_for_ready=True)
                    self.answered += 1
                except grpc.RpcError as error:
                    self.failures.append(f"{error.code()}: {error.details()}")

    def await_calls(self, count):
        """Until so many more were answered."""
        due = self.answered + count
        while self.answered < due and not self.failures:
            self.stopping.wait(0.01)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


class Rollout(unittest.TestCase):
    def test_three_servers_are_replaced_one_after_the_other(self):
        servers = [Server() for _ in range(3)]
        load = Load([server.tcp for server in servers])
        try:
            load.await_calls(200)
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(60), 0)
                server.start_again()
                load.await_calls(200)
        finally:
            load.stop()
            for server in servers:
                server.close()
        self.assertEqual(load.failures, [])
        self.assertGreater(load.answered, 800)


if __name__ == "__main__":
    unittest.main()
