# SPDX-License-Identifier: Apache-2.0
"""How the process starts and ends."""

import queue
import re
import time
import unittest
import urllib.request

import grpc
import health_pb2
from normd.v1 import normalizer_pb2 as pb
from service import NORMD, PATIENCE, Server, free_port, random_rows, request, run

# Enough for an answer to be under way for a while.
LARGEST_BATCH = 32 << 20


def at_work(metrics):
    """Whether the server has the whole of a request and not yet its answer."""
    with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=PATIENCE) as page:
        text = page.read().decode()
    return re.search(r'normd_calls_in_flight\{[^}]*method="Normalize"\} [1-9]', text) is not None


class Life(unittest.TestCase):
    def terminate_during_a_call(self):
        """Whether the call was still under way when the signal went out; what it came to is checked in both cases."""
        metrics = f"127.0.0.1:{free_port()}"
        with Server("--http", metrics) as server:
            stub = server.stub()
            limits = stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE).limits
            hidden = 1024
            rows = random_rows(min(LARGEST_BATCH, limits.max_message_bytes // 2) // (4 * hidden), hidden, seed=1)
            call = stub.Normalize.future(request(rows), timeout=PATIENCE)
            while not at_work(metrics) and not call.done():
                time.sleep(0)
            server.terminate()
            under_way = not call.done()
            try:
                self.assertEqual(len(call.result().data), rows.nbytes)
            except grpc.RpcError as error:
                # A request that had not arrived whole is given up.
                self.assertIn(error.code(), (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE))
                under_way = False
            self.assertEqual(server.wait(), 0, server.output())
            return under_way

    def test_sigterm_lets_a_call_finish(self):
        self.assertTrue(any(self.terminate_during_a_call() for _ in range(20)), "no call was caught under way")

    def test_sigterm_does_not_wait_for_idle_streams(self):
        # The time for calls to finish is longer than the test's patience: only a server that does not wait passes.
        with Server("--drain-grace", "600") as server:
            watch = server.health().Watch(health_pb2.HealthCheckRequest())
            self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVING)
            questions = queue.Queue()
            questions.put(request(random_rows(1, 8, seed=2)))
            stream = server.stub().NormalizeStream(iter(questions.get, None))
            self.assertTrue(next(stream).HasField("result"))
            server.terminate()
            self.assertEqual(server.wait(), 0, server.output())
            questions.put(None)

    def test_sigint_ends_it_as_well(self):
        with Server() as server:
            server.process.send_signal(2)
            self.assertEqual(server.wait(), 0, server.output())

    def test_after_the_end_nobody_answers(self):
        with Server() as server:
            stub = server.stub()
            server.terminate()
            self.assertEqual(server.wait(), 0)
            with self.assertRaises(grpc.RpcError) as raised:
                stub.ListLayers(pb.ListLayersRequest(), timeout=PATIENCE)
            self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)

    def test_a_second_server_on_a_port_says_so(self):
        with Server() as server:
            code, out, err = run(NORMD, "--listen", server.tcp)
            self.assertGreater(code, 0)
            self.assertIn(server.tcp, out + err)

    def test_a_target_this_cpu_lacks_is_an_error_that_lists_the_others(self):
        with Server() as server:
            targets = server.stub().GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE).targets
        code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", NORMD_TARGET="sse9")
        self.assertGreater(code, 0)
        self.assertEqual([name for name in ("sse9", *targets) if name not in out + err], [], out + err)
        code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", "--target", "sse9")
        self.assertGreater(code, 0)
        self.assertIn("sse9", out + err)

    def test_bad_arguments_are_errors(self):
        for arguments in (["--listen", "nowhere"], ["--listen", "127.0.0.1:99999"], ["--listen", "127.0.0.1:"], ["--nonsense"]):
            code, out, err = run(NORMD, *arguments)
            self.assertGreater(code, 0, arguments)
            self.assertNotEqual(out + err, "", arguments)

    def test_help(self):
        code, out, _ = run(NORMD, "--help")
        self.assertEqual(code, 0)
        self.assertEqual([flag for flag in ("--listen", "--checkpoint", "--target") if flag not in out], [])


if __name__ == "__main__":
    unittest.main()
