# SPDX-License-Identifier: Apache-2.0
"""The bearer token: on every method of every listener, and nowhere in what is said."""

import os
import pathlib
import tempfile
import time
import unittest

import grpc
import health_pb2
import reflection_pb2
from normd.v1 import normalizer_pb2 as pb
from service import NORMCTL, NORMD, PATIENCE, Server, free_port, random_rows, request, run

TOKEN = "a-token-of-32-printable-bytes-ok"
RIGHT = ("authorization", f"Bearer {TOKEN}")
WRONG = (
    (),
    (("authorization", ""),),
    (("authorization", TOKEN),),
    (("authorization", "Bearer "),),
    (("authorization", f"Bearer {TOKEN[:-1]}"),),
    (("authorization", f"Bearer {TOKEN}x"),),
    (("authorization", f"Bearer {TOKEN[:-1]}x"),),
    (("authorization", f"Bearer  {TOKEN}"),),
    (("authorization", f"Basic {TOKEN}"),),
    (("authorization", f"Bearer {TOKEN.upper()}"),),
    (RIGHT, RIGHT),
    (RIGHT, ("authorization", "Bearer another")),
    (("x-authorization", f"Bearer {TOKEN}"),),
)


def token_file(text=TOKEN + "\n"):
    with tempfile.NamedTemporaryFile("w", prefix="normd_token", delete=False) as file:
        file.write(text)
    return pathlib.Path(file.name)


def methods():
    """Each method of our API, also those that are still to come: path, and whether both sides stream."""
    service = pb.DESCRIPTOR.services_by_name["Normalizer"]
    for method in service.methods:
        yield f"/{service.full_name}/{method.name}", method.name.endswith("Stream")


def call(channel, path, streams, metadata=()):
    """The status of one call with the bytes of an empty message, which is enough to be let in."""
    options = {"metadata": metadata, "timeout": PATIENCE}
    try:
        if streams:
            list(channel.stream_stream(path)(iter([b""]), **options))
        else:
            channel.unary_unary(path)(b"", **options)
    except grpc.RpcError as error:
        return error.code(), error.details()
    return grpc.StatusCode.OK, ""


class Token(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = token_file()
        cls.server = Server("--token-file", str(cls.file))
        cls.addresses = (cls.server.tcp, cls.server.unix)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        os.remove(cls.file)

    def test_each_method_of_each_listener_wants_it(self):
        self.assertEqual(len(list(methods())), 4)
        for address in self.addresses:
            channel = self.server.channel(address)
            for path, streams in methods():
                for metadata in WRONG:
                    code, text = call(channel, path, streams, metadata)
                    self.assertEqual(code, grpc.StatusCode.UNAUTHENTICATED, (address, path, metadata))
                    self.assertIn("token", text.lower())
                    self.assertNotIn(TOKEN[:8], text)
                code, _ = call(channel, path, streams, (RIGHT,))
                self.assertNotEqual(code, grpc.StatusCode.UNAUTHENTICATED, (address, path))

    def test_with_it_work_is_done(self):
        for address in self.addresses:
            stub, rows = self.server.stub(address), random_rows(2, 8, seed=1)
            self.assertEqual(stub.Normalize(request(rows), metadata=(RIGHT,)).hidden, 8)
            answers = list(stub.NormalizeStream(iter([request(rows)] * 3), metadata=(RIGHT,)))
            self.assertEqual([answer.result.hidden for answer in answers], [8, 8, 8])

    def test_the_scheme_has_no_case(self):
        metadata = (("authorization", f"bearer {TOKEN}"),)
        self.assertTrue(self.server.stub().ListLayers(pb.ListLayersRequest(), metadata=metadata).layers)

    def test_a_stream_ends_before_its_messages_are_read(self):
        stream = self.server.stub().NormalizeStream(iter(lambda: request(random_rows(1, 8, seed=1)), None))
        with self.assertRaises(grpc.RpcError) as caught:
            next(stream)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)

    def test_health_is_everyone_s(self):
        for address in self.addresses:
            health = self.server.health(address)
            answer = health.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
            watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVING)
            watch.cancel()

    def test_reflection_is_off(self):
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        for address in self.addresses:
            reflect = self.server.channel(address).stream_stream(
                "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            )
            for metadata in ((), (RIGHT,)):
                with self.assertRaises(grpc.RpcError) as caught:
                    list(reflect(iter([asked]), timeout=PATIENCE, metadata=metadata))
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)

    def test_refusals_are_logged_and_the_token_is_not(self):
        call(self.server.channel(), "/normd.v1.Normalizer/NormalizeStream", True)
        time.sleep(1.1)  # so that this second has lines left
        call(self.server.channel(), "/normd.v1.Normalizer/NormalizeStream", True)
        self.assertIn("method=normd.v1.Normalizer/NormalizeStream code=Unauthenticated", self.server.output())
        self.assertNotIn(TOKEN[:8], self.server.output())


class Replaced(unittest.TestCase):
    def test_within_a_second_or_so(self):
        file = token_file()
        self.addCleanup(os.remove, file)
        new = "another-token-that-is-long-enough"
        new_metadata = (("authorization", f"Bearer {new}"),)
        with Server("--token-file", str(file)) as server:
            listed = lambda metadata: call(  # noqa: E731  pylint: disable=unnecessary-lambda-assignment
                server.channel(), "/normd.v1.Normalizer/ListLayers", False, metadata
            )[0]
            self.assertEqual(listed((RIGHT,)), grpc.StatusCode.OK)
            self.assertEqual(listed(new_metadata), grpc.StatusCode.UNAUTHENTICATED)
            file.write_text("short")  # a mistake locks nobody out
            time.sleep(1.1)
            self.assertEqual(listed((RIGHT,)), grpc.StatusCode.OK)
            self.assertIn("has 5 bytes; expected 16 to 4096", server.output())
            file.write_text(new)
            time.sleep(1.1)
            self.assertEqual(listed(new_metadata), grpc.StatusCode.OK)
            self.assertEqual(listed((RIGHT,)), grpc.StatusCode.UNAUTHENTICATED)


class Normctl(unittest.TestCase):
    def test_it_carries_the_token(self):
        file = token_file()
        self.addCleanup(os.remove, file)
        with Server("--token-file", str(file)) as server:
            for address in (server.tcp, server.unix):
                code, _, err = run(NORMCTL, "info", address)
                self.assertEqual(code, 4, err)
                self.assertIn("UNAUTHENTICATED", err)
                self.assertIn("a token is given with --token-file", err)
                for command in (("layers",), ("health",), ("bench", "-n", "3", "--warmup", "1"), ("normalize",)):
                    values = ("--values", "1,2,3") if command == ("normalize",) else ()
                    arguments = (command[0], address, *command[1:], *values, "--token-file", str(file))
                    code, out, err = run(NORMCTL, *arguments)
                    self.assertEqual(code, 0, (arguments, out, err))
                self.assertEqual(run(NORMCTL, "layers", address, NORMCTL_TOKEN_FILE=str(file))[0], 0)

    def test_a_file_that_is_none(self):
        file = token_file("short")
        self.addCleanup(os.remove, file)
        code, _, err = run(NORMCTL, "info", "127.0.0.1:1", "--token-file", str(file))
        self.assertEqual(code, 1)
        self.assertIn("has 5 bytes; expected 16 to 4096", err)


class Start(unittest.TestCase):
    def fails(self, file, *texts):
        code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", "--token-file", str(file))
        self.assertEqual(code, 1, out + err)
        for text in (str(file), *texts):
            self.assertIn(text, out + err)
        return out + err

    def test_what_is_no_token(self):
        for text, why in (
            ("", "has 0 bytes; expected 16 to 4096"),
            ("fifteen-bytes-x\n", "has 15 bytes; expected 16 to 4096"),
            ("x" * 4098, "has 4098 bytes; expected 16 to 4096"),
            ("x" * 5000, "it has 5000 bytes; expected at most 4098"),
            ("a secret with spaces", "printable ASCII without spaces"),
            ("two-lines-of-a\nsecret-of-mine", "printable ASCII without spaces"),
            ("secret-with-an-ümlaut", "printable ASCII without spaces"),
        ):
            file = token_file(text)
            self.addCleanup(os.remove, file)
            self.assertNotIn("secret", self.fails(file, why))

    def test_no_file(self):
        self.fails("/no/such/token", "No such file")


if __name__ == "__main__":
    unittest.main()
