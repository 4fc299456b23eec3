# SPDX-License-Identifier: Apache-2.0
"""The HTTP port: probes, metrics, status page."""

import http.client
import subprocess
import tempfile
import time
import unittest

import grpc
from normd.v1 import normalizer_pb2 as pb
from service import MINILM, NORMD, PATIENCE, Server, free_port, random_rows, request, run


def ask(address, path, method="GET", body=None):
    """Status, body and header fields."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.request(method, path, body=body)
        response = connection.getresponse()
        return response.status, response.read().decode(), response.headers
    finally:
        connection.close()


def await_answer(address, path, status, process):
    """The first answer of that status, and all that came before it."""
    before = []
    due = time.monotonic() + PATIENCE
    while time.monotonic() < due:
        try:
            answer = ask(address, path)
            if answer[0] == status:
                return answer[1], before
            before.append(answer[1])
        except OSError:
            if process.poll() is not None:
                break
    raise AssertionError(f"no answer {status} of {path}; exit code {process.poll()}; before: {set(before)}")


def samples(address):
    """Name with labels to value."""
    text = ask(address, "/metrics")[1]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in text.splitlines() if line[0] != "#")}


class HttpServer(Server):
    """A normd with an HTTP port."""

    def __init__(self, *arguments):
        self.http = f"127.0.0.1:{free_port()}"
        super().__init__("--http", self.http, *arguments)


class Http(unittest.TestCase):
    def test_probes_and_unknown_paths(self):
        with HttpServer() as server:
            self.assertEqual(await_answer(server.http, "/readyz", 200, server.process)[0], "ready\n")
            self.assertEqual(ask(server.http, "/livez")[0], 200)
            status, body, _ = ask(server.http, "/nothing?x=1")
            self.assertEqual(status, 404)
            self.assertEqual([path for path in ("/metrics", "/livez", "/readyz") if path not in body], [])
            self.assertEqual(ask(server.http, "/readyz", "HEAD")[:2], (200, ""))
            for method in ("POST", "PUT", "DELETE", "OPTIONS"):
                status, _, fields = ask(server.http, "/metrics", method, body="x" * 10000)
                self.assertEqual((status, fields["Allow"]), (405, "GET, HEAD"), method)

    def test_metrics_are_those_of_the_calls_made(self):
        with HttpServer() as server:
            stub = server.stub()
            before = samples(server.http)
            for _ in range(3):
                stub.Normalize(request(random_rows(5, 16, seed=1)), timeout=PATIENCE)
            with self.assertRaises(grpc.RpcError):
                stub.Normalize(request(random_rows(5, 16, seed=1), layer="none"), timeout=PATIENCE)
            requests = [request(random_rows(2, 16, seed=2)), request(random_rows(1, 16, seed=2), layer="none")]
            self.assertEqual(len(list(stub.NormalizeStream(iter(requests), timeout=PATIENCE))), 2)
            after = samples(server.http)
            unary = 'service="normd.v1.Normalizer",method="Normalize"'
            stream = 'service="normd.v1.Normalizer",method="NormalizeStream"'
            stock = 'grpc_type="unary",grpc_service="normd.v1.Normalizer",grpc_method="Normalize"'
            expected = {
                f'normd_requests_total{{{unary},code="OK"}}': 3,
                f'normd_requests_total{{{unary},code="NotFound"}}': 1,
                f'normd_requests_total{{{stream},code="OK"}}': 1,
                f'normd_requests_total{{{stream},code="NotFound"}}': 1,
                f"normd_rows_total{{{unary}}}": 15,
                f"normd_rows_total{{{stream}}}": 2,
                f"normd_request_seconds_count{{{unary}}}": 4,
                f'normd_request_seconds_bucket{{{unary},le="+Inf"}}': 4,
                f'grpc_server_handled_total{{{stock},grpc_code="OK"}}': 3,
                f'grpc_server_handled_total{{{stock},grpc_code="NotFound"}}': 1,
                f"grpc_server_started_total{{{stock}}}": 4,
                f"grpc_server_handling_seconds_count{{{stock}}}": 4,
                f"grpc_server_msg_received_total{{{stock}}}": 4,
                f"grpc_server_msg_sent_total{{{stock}}}": 3,
            }
            got = {name: after.get(name, 0) - before.get(name, 0) for name in expected}
            self.assertEqual(got, expected)
            self.assertGreater(after[f"normd_request_bytes_total{{{unary}}}"], 4 * 5 * 16 * 4)
            self.assertEqual(after["normd_serving"], 1)
            self.assertEqual(after["normd_layers"], len(stub.ListLayers(pb.ListLayersRequest(), timeout=PATIENCE).layers))
            # Give or take what changes between the two readings.
            self.assertLess(abs(after["process_resident_memory_bytes"] - server.resident_bytes()), 16 << 20)

    def test_deadlines_that_passed_are_counted(self):
        with HttpServer() as server:
            stub = server.stub()
            rejected = 'normd_rejections_total{reason="%s"}'
            due = time.monotonic() + PATIENCE
            # Whether a deadline passes on the client's side, on the way, or before the work, is up to the machine.
            while time.monotonic() < due:
                for _ in range(20):
                    try:
                        stub.Normalize(request(random_rows(2000, 768, seed=3)), timeout=0.001)
                    except grpc.RpcError as error:
                        self.assertEqual(error.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
                counts = samples(server.http)
                if counts[rejected % "deadline"] + counts[rejected % "cancelled"] > 0:
                    return
            self.fail("no deadline was counted")

    def test_status_page(self):
        with HttpServer("--checkpoint", f"minilm={MINILM}/model.safetensors") as server:
            status, page, fields = ask(server.http, "/")
            self.assertEqual((status, fields["Content-Type"]), (200, "text/html; charset=utf-8"))
            self.assertIn("default-src 'none'", fields["Content-Security-Policy"])
            self.assertIn("minilm/embeddings.LayerNorm", page)
            self.assertIn(server.http, page)
            self.assertNotIn("<script", page)

    def test_not_ready_while_checkpoints_are_loaded(self):
        address = f"127.0.0.1:{free_port()}"
        # So many that the port is open for a while before all are loaded.
        checkpoints = [f"--checkpoint=c{i}={MINILM}/model.safetensors" for i in range(1500)]
        command = [NORMD, "--listen", f"127.0.0.1:{free_port()}", "--http", address, *checkpoints]
        with tempfile.TemporaryFile() as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
            try:
                _, before = await_answer(address, "/readyz", 200, process)
                self.assertIn("not ready: loading checkpoints\n", before)
            finally:
                process.terminate()
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_not_ready_while_draining(self):
        with HttpServer("--drain-grace", "600") as server:
            # Answers that nobody reads fill the connection, and the stream cannot be ended before they are out.
            rows = random_rows(2000, 768, seed=4)
            stream = server.stub().NormalizeStream(request(rows) for _ in range(50))
            next(stream)
            server.terminate()
            body, before = await_answer(server.http, "/readyz", 503, server.process)
            self.assertEqual(body, "not ready: draining\n")
            self.assertEqual(set(before) - {"ready\n"}, set())
            self.assertEqual(ask(server.http, "/livez")[0], 200)
            self.assertEqual(samples(server.http)["normd_serving"], 0)
            stream.cancel()
            self.assertEqual(server.wait(), 0, server.output())

    def test_not_ready_before_draining_begins(self):
        with HttpServer("--drain-delay", "600") as server:
            server.terminate()
            await_answer(server.http, "/readyz", 503, server.process)
            answer = server.stub().Normalize(request(random_rows(3, 8, seed=5)), timeout=PATIENCE)
            self.assertEqual(len(answer.data), 3 * 8 * 4)
            server.terminate()
            self.assertEqual(server.wait(), 128 + 15)

    def test_addresses_that_cannot_be_had_are_errors(self):
        for address in ("nowhere", "127.0.0.1:99999", "127.0.0.1:", "unix:/tmp/x"):
            code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", "--http", address)
            self.assertGreater(code, 0, address)
            self.assertIn(f'--http: expected an address host:port, got "{address}"', out + err)
        with HttpServer() as server:
            code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", NORMD_HTTP=server.http)
            self.assertGreater(code, 0)
            self.assertIn(f"--http: cannot listen on {server.http}", out + err)

    def test_off_unless_asked_for_beside_listen(self):
        with Server() as server:
            self.assertNotIn("http://", server.output())
        with Server("--http", "off") as server:
            self.assertNotIn("http://", server.output())


if __name__ == "__main__":
    unittest.main()
