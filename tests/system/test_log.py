# SPDX-License-Identifier: Apache-2.0
"""The log: its two formats, and what it says of requests."""

import json
import unittest

import grpc
import health_pb2
from service import PATIENCE, Server, random_rows, request

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def fail(stub, metadata=(), **fields):
    """A call that cannot succeed; the status' text."""
    try:
        stub.Normalize(request(random_rows(1, 8, seed=1), layer="none", **fields), metadata=metadata, timeout=PATIENCE)
    except grpc.RpcError as error:
        return error.details()
    raise AssertionError("a layer that is not there was found")


def events(server):
    """Every line of the log, which has to be a JSON object, after the server's end."""
    server.terminate()
    assert server.wait() == 0, server.output()
    lines = [json.loads(line) for line in server.output().splitlines()]
    assert all({"time", "level", "message"} <= line.keys() for line in lines), lines
    return lines


class Log(unittest.TestCase):
    def test_failed_requests_are_events(self):
        with Server("--log-format", "json") as server:
            stub = server.stub()
            stub.Normalize(request(random_rows(1, 8, seed=1)), timeout=PATIENCE)
            error = fail(stub, [("traceparent", TRACEPARENT)], request_id='a"\nb')
            fail(stub, [("traceparent", "00-nonsense"), ("x-request-id", "from metadata")])
            answers = list(stub.NormalizeStream(iter([request(random_rows(1, 8, seed=1), layer="none", request_id="7")])))
            self.assertEqual(answers[0].error.code, grpc.StatusCode.NOT_FOUND.value[0])
            first, second, streamed = (event for event in events(server) if event["message"] == "request failed")
            self.assertEqual(first["method"], "normd.v1.Normalizer/Normalize")
            self.assertEqual((first["level"], first["code"], first["error"]), ("warning", "NotFound", error))
            self.assertEqual((first["request_id"], first["traceparent"]), ('a"\\x0ab', TRACEPARENT))
            self.assertTrue(first["peer"].startswith("ipv4:127.0.0.1:"), first)
            self.assertGreater(first["seconds"], 0)
            self.assertEqual(second["request_id"], "from metadata")
            self.assertNotIn("traceparent", second)
            self.assertEqual((streamed["method"], streamed["request_id"]), ("normd.v1.Normalizer/NormalizeStream", "7"))

    def test_a_flood_of_failures_is_cut_and_counted(self):
        calls = 500
        with Server("--log-format", "json") as server:
            stub = server.stub()
            for future in [stub.Normalize.future(request(random_rows(1, 8, seed=1), layer="none")) for _ in range(calls)]:
                self.assertEqual(future.exception(timeout=PATIENCE).code(), grpc.StatusCode.NOT_FOUND)
            log = events(server)
            logged = sum(event["message"] == "request failed" for event in log)
            left_out = sum(event["count"] for event in log if event["message"] == "failed requests that were not logged")
            self.assertGreaterEqual(logged, 10)
            self.assertEqual(logged + left_out, calls)
            # Ten a second: this fails only where 500 calls take ten seconds and more.
            self.assertLess(logged, 100)

    def test_at_level_debug_every_request_is_an_event(self):
        with Server("--log-format", "json", "--log-level", "debug") as server:
            server.stub().Normalize(request(random_rows(1, 8, seed=1), request_id="mine"), timeout=PATIENCE)
            server.health().Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            requests = [event for event in events(server) if event["message"] == "request"]
            self.assertIn(("normd.v1.Normalizer/Normalize", "OK", "mine"),
                          [(event["method"], event["code"], event.get("request_id")) for event in requests])
            self.assertIn("grpc.health.v1.Health/Check", [event["method"] for event in requests])

    def test_at_level_error_requests_are_silent(self):
        with Server("--log-level", "error") as server:
            fail(server.stub())
            server.terminate()
            self.assertEqual(server.wait(), 0)
            self.assertEqual(server.output(), "")

    def test_a_text_line_stays_a_line(self):
        with Server() as server:
            fail(server.stub(), request_id="x\n2026-01-01T00:00:00.000Z error forged\x1b[2J")
            server.terminate()
            self.assertEqual(server.wait(), 0)
            lines = server.output().splitlines()
            self.assertEqual([line for line in lines if " error forged" in line and "request_id=" not in line], [])
            self.assertNotIn("\x1b", server.output())


if __name__ == "__main__":
    unittest.main()
