# SPDX-License-Identifier: Apache-2.0
"""What a client in another language gets: health, reflection, and normalized rows with the right bits."""

import unittest

import grpc
import health_pb2
import numpy as np
import reflection_pb2
import reflection_pb2_grpc
from normd.v1 import normalizer_pb2 as pb
from service import PATIENCE, Server, answer_rows, exact, random_rows, request


class Api(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        cls.stub = cls.server.stub()

    def normalize(self, *arguments, **fields):
        return self.stub.Normalize(request(*arguments, **fields), timeout=PATIENCE)

    def assert_within_contract(self, got, rows, **parameters):
        expected, bound = exact(rows, **parameters)
        self.assertEqual(got.shape, expected.shape)
        self.assertTrue((np.abs(got - expected) <= bound).all(), np.abs(got - expected).max())

    def test_health(self):
        for address in (self.server.tcp, self.server.unix):
            health = self.server.health(address)
            for service in ("", "normd.v1.Normalizer"):
                answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE)
                self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, (address, service))
            with self.assertRaises(grpc.RpcError) as raised:
                health.Check(health_pb2.HealthCheckRequest(service="nobody"), timeout=PATIENCE)
            self.assertEqual(raised.exception.code(), grpc.StatusCode.NOT_FOUND)

    def reflect(self, **question):
        stub = reflection_pb2_grpc.ServerReflectionStub(self.server.channel())
        message = reflection_pb2.ServerReflectionRequest(**question)
        return next(stub.ServerReflectionInfo(iter([message]), timeout=PATIENCE))

    def test_reflection_lists_the_services(self):
        services = {service.name for service in self.reflect(list_services="*").list_services_response.service}
        self.assertLessEqual({"normd.v1.Normalizer", "grpc.health.v1.Health"}, services)

    def test_reflection_has_the_description(self):
        answer = self.reflect(file_containing_symbol="normd.v1.Normalizer")
        files = answer.file_descriptor_response.file_descriptor_proto
        self.assertTrue(any(b"NormalizeStream" in file for file in files))

    def test_worked_example_as_values(self):
        for address in (self.server.tcp, self.server.unix):
            question = pb.NormalizeRequest(layer="layer_norm", hidden=4, values=[3.2, -1.8, 0.5, 2.1])
            answer = self.server.stub(address).Normalize(question, timeout=PATIENCE)
            self.assertEqual([round(value, 5) for value in answer.values], [1.17011, -1.48923, -0.26593, 0.58506])
            self.assertEqual(list(answer.token_counts), [1])
            self.assertFalse(answer.HasField("data"))

    def test_ragged_batch_as_bytes(self):
        rows = random_rows(7, 33, seed=1)
        for address in (self.server.tcp, self.server.unix):
            question = request(rows, token_counts=[3, 0, 4], request_id="é-1")
            answer = self.server.stub(address).Normalize(question, timeout=PATIENCE)
            self.assert_within_contract(answer_rows(answer), rows)
            self.assertEqual((list(answer.token_counts), answer.request_id, answer.hidden), ([3, 0, 4], "é-1", 33))
            self.assertEqual(len(answer.values), 0)

    def test_inline_parameters_and_statistics(self):
        rows, gamma, beta = random_rows(5, 20, seed=2), random_rows(1, 20, seed=3)[0], random_rows(1, 20, seed=4)[0]
        parameters = pb.Parameters(kind=pb.LAYER_NORM, epsilon=0.5, gamma=gamma, beta=beta)
        outputs = [pb.NORMALIZED, pb.MEAN, pb.RSTD]
        answer = self.normalize(rows, layer="", parameters=parameters, outputs=outputs)
        self.assert_within_contract(answer_rows(answer), rows, gamma=gamma, beta=beta, epsilon=0.5)
        wide = rows.astype("f8")
        np.testing.assert_allclose(answer.mean, wide.mean(axis=1), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(answer.rstd, 1 / np.sqrt(wide.var(axis=1) + 0.5), rtol=1e-6)

    def test_no_rows(self):
        answer = self.stub.Normalize(pb.NormalizeRequest(layer="layer_norm", hidden=8, data=b""), timeout=PATIENCE)
        self.assertEqual((answer.data, list(answer.token_counts)), (b"", [0]))

    def test_same_bits_alone_and_among_a_thousand_sequences(self):
        counts = np.random.default_rng(5).integers(0, 5, 1000)
        rows = random_rows(int(counts.sum()), 100, seed=6)
        together = answer_rows(self.normalize(rows, token_counts=counts.tolist()))
        self.assert_within_contract(together, rows)
        for index in range(0, len(rows), 97):
            alone = self.normalize(rows[index : index + 1])
            self.assertEqual(alone.data, together[index].tobytes(), index)

    def test_same_bits_at_every_offset_inside_the_message(self):
        # The longer of the two comes in many slices, so that rows lie across their borders.
        for count in (3, 300):
            rows = random_rows(count, 384, seed=7)
            expected = self.normalize(rows).data
            offsets = set()
            for padding in range(1, 17):
                question = request(rows, request_id="x" * padding)
                offsets.add(question.SerializeToString().index(rows.tobytes()) % 16)
                self.assertEqual(self.stub.Normalize(question, timeout=PATIENCE).data, expected, padding)
            self.assertEqual(offsets, set(range(16)))

    def test_same_bits_as_values_and_as_bytes(self):
        rows = random_rows(9, 31, seed=8)
        question = pb.NormalizeRequest(layer="layer_norm", hidden=31, values=rows.ravel())
        answer = self.stub.Normalize(question, timeout=PATIENCE)
        self.assertEqual(np.array(answer.values, "<f4").tobytes(), self.normalize(rows).data)

    def test_every_target_gives_the_same_bits(self):
        rows = random_rows(40, 387, seed=9)
        expected = self.normalize(rows).data
        info = self.stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE)
        self.assertEqual(info.targets[-1], "scalar")
        self.assertEqual(info.active_target, info.targets[0])
        for target in info.targets:
            with Server(target=target) as other:
                stub = other.stub(other.unix)
                here = stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE)
                self.assertEqual((here.active_target, here.numerics_revision), (target, info.numerics_revision))
                self.assertEqual(stub.Normalize(request(rows), timeout=PATIENCE).data, expected, target)

    def test_lists_the_built_in_layers(self):
        layers = self.stub.ListLayers(pb.ListLayersRequest(), timeout=PATIENCE).layers
        listed = [(layer.name, layer.kind, layer.hidden) for layer in layers]
        self.assertEqual(listed, [("layer_norm", pb.LAYER_NORM, 0), ("rms_norm", pb.RMS_NORM, 0)])

    def test_rms_norm(self):
        rows, gamma = random_rows(5, 20, seed=11), random_rows(1, 20, seed=12)[0]
        wide = rows.astype("f8")
        expected = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5)
        got = answer_rows(self.normalize(rows, layer="rms_norm"))
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        parameters = pb.Parameters(kind=pb.RMS_NORM, gamma=gamma, gamma_offset=1)
        answer = self.normalize(rows, layer="", parameters=parameters, outputs=[pb.NORMALIZED, pb.RSTD])
        np.testing.assert_allclose(answer_rows(answer), expected * (1 + gamma.astype("f8")), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(answer.rstd, 1 / np.sqrt((wide**2).mean(axis=1) + 1e-5), rtol=1e-6)

    def test_batch_norm(self):
        rows, mean = random_rows(5, 20, seed=13), random_rows(1, 20, seed=14)[0]
        var = np.linspace(0.5, 3, 20, dtype="<f4")
        parameters = pb.Parameters(kind=pb.BATCH_NORM, running_mean=mean, running_var=var, epsilon=0)
        got = answer_rows(self.normalize(rows, layer="", parameters=parameters))
        np.testing.assert_allclose(got, (rows.astype("f8") - mean) / np.sqrt(var.astype("f8")), rtol=1e-5, atol=1e-5)

    def test_float16_with_a_residual(self):
        rows, residual = (random_rows(6, 33, seed=seed).astype("<f2") for seed in (15, 16))
        question = pb.NormalizeRequest(
            layer="layer_norm",
            data_type=pb.FLOAT16,
            hidden=33,
            token_counts=[2, 4],
            data=rows.tobytes(),
            residual=residual.tobytes(),
            outputs=[pb.NORMALIZED, pb.RESIDUAL_SUM],
        )
        answer = self.stub.Normalize(question, timeout=PATIENCE)
        total = rows + residual  # NumPy rounds it to float16, as the service does
        self.assertEqual((answer.data_type, answer.residual_sum), (pb.FLOAT16, total.tobytes()))
        wide = total.astype("f8")
        expected = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
        got = np.frombuffer(answer.data, "<f2").reshape(total.shape)
        np.testing.assert_allclose(got, expected, rtol=2**-10, atol=2**-14)

    def test_values_are_rounded_to_the_data_type(self):
        values, residual = random_rows(3, 7, seed=17), random_rows(3, 7, seed=18)
        question = pb.NormalizeRequest(
            layer="rms_norm",
            data_type=pb.FLOAT16,
            hidden=7,
            values=values.ravel(),
            residual_values=residual.ravel(),
            outputs=[pb.NORMALIZED, pb.RESIDUAL_SUM],
        )
        answer = self.stub.Normalize(question, timeout=PATIENCE)
        total = values.astype("<f2") + residual.astype("<f2")
        self.assertEqual(list(answer.residual_sum_values), total.ravel().astype("f8").tolist())
        self.assertEqual(len(answer.values), 21)
        self.assertFalse(answer.HasField("data") or answer.HasField("residual_sum"))

    def test_a_stream_answers_in_order_and_goes_on_after_an_error(self):
        rows = random_rows(4, 12, seed=10)
        questions = [
            request(rows, request_id="first"),
            request(rows, layer="nobody", request_id="second"),
            request(rows[:1], request_id="third"),
        ]
        first, second, third = self.stub.NormalizeStream(iter(questions), timeout=PATIENCE)
        self.assertEqual((first.result.request_id, third.result.request_id), ("first", "third"))
        self.assertEqual(third.result.data, first.result.data[: 12 * 4])
        self.assertEqual((second.error.code, second.error.request_id), (grpc.StatusCode.NOT_FOUND.value[0], "second"))
        self.assertIn("nobody", second.error.message)


if __name__ == "__main__":
    unittest.main()
