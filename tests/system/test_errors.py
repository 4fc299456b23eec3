# SPDX-License-Identifier: Apache-2.0
"""Bad input: the status code, and a text that names expected and got."""

import unittest

import grpc
import numpy as np
from grpc import StatusCode
from normd.v1 import normalizer_pb2 as pb
from service import MINILM, PATIENCE, Server, answer_rows, random_rows, request

ROWS = random_rows(4, 8, seed=1)
LARGEST = 2**63 - 1


def changed(**fields):
    """A good request of 4 rows of 8 values, with some fields set otherwise; None takes one away."""
    good = {"layer": "layer_norm", "hidden": 8, "data": ROWS.tobytes(), **fields}
    return pb.NormalizeRequest(**{name: value for name, value in good.items() if value is not None})


def inline(**parameters):
    return changed(layer=None, parameters=pb.Parameters(**parameters))


# What is wrong: the request, and what the text has to name.
INVALID = {
    "counts that do not add up": (changed(token_counts=[1, 2]), ["3 rows", "96", "128"]),
    "a count below 0": (changed(token_counts=[5, -1]), ["-1"]),
    "counts whose sum overflows": (changed(token_counts=[LARGEST, LARGEST]), ["token_counts"]),
    "a size that overflows": (changed(token_counts=[2**40], hidden=2**40), ["hidden"]),
    "data that is no whole row": (changed(data=ROWS.tobytes()[:-1]), ["127"]),
    "hidden below 1": (changed(hidden=-8), ["-8"]),
    "no hidden": (changed(hidden=None), ["hidden"]),
    "another hidden than the layer's": (changed(layer="minilm/embeddings.LayerNorm"), ["8", "384"]),
    "both payloads": (changed(values=[1.0] * 32), ["values", "data"]),
    "neither payload": (changed(data=None), ["values", "data"]),
    "values that are no whole row": (changed(data=None, values=[1.0] * 31), ["32", "124"]),
    "neither layer nor parameters": (changed(layer=None), ["layer", "parameters"]),
    "both layer and parameters": (changed(parameters=pb.Parameters()), ["layer", "parameters"]),
    "gamma of another length": (inline(gamma=[1.0] * 3), ["3", "8"]),
    "beta of another length": (inline(beta=[1.0] * 9), ["9", "8"]),
    "epsilon below 0": (inline(epsilon=-1.0), ["epsilon", "-1"]),
    "epsilon that is no number": (inline(epsilon=float("nan")), ["epsilon", "nan"]),
    "a long request_id": (changed(request_id="x" * 1025), ["1025", "1024"]),
    "an unknown data type": (changed(data_type=77), ["77"]),
    "an unknown kind": (inline(kind=77), ["77"]),
    "an unknown output": (changed(outputs=[77]), ["77"]),
    "float32 sent as float16": (changed(data_type=pb.FLOAT16, token_counts=[4]), ["64", "128"]),
    "beta of rms_norm": (inline(kind=pb.RMS_NORM, beta=[0.0] * 8), ["rms_norm", "beta"]),
    "batch_norm without its statistics": (inline(kind=pb.BATCH_NORM), ["running_mean", "running_var", "8"]),
    "statistics of layer_norm": (inline(running_mean=[0.0] * 8), ["running_mean", "batch_norm"]),
    "the mean of rms_norm": (changed(layer="rms_norm", outputs=[pb.MEAN]), ["MEAN", "layer_norm", "rms_norm"]),
    "a residual of another size": (changed(residual=ROWS.tobytes()[4:]), ["residual", "128", "124"]),
    "residual_values with data": (changed(residual_values=[1.0] * 32), ["residual_values"]),
    "a residual sum without a residual": (changed(outputs=[pb.RESIDUAL_SUM]), ["RESIDUAL_SUM", "residual"]),
}

MALFORMED = {
    "a field that is cut short": b"\x0a\x05ab",
    "a number that does not end": b"\x20" + b"\xff" * 11,
    "a group that is not begun": b"\x0c",
    "a name that is not UTF-8": b"\x0a\x01\xff",
    "a field of number 0": b"\x00\x00",
}


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--checkpoint", f"minilm={MINILM / 'model.safetensors'}")
        cls.addClassCleanup(cls.server.close)
        cls.stub = cls.server.stub()
        cls.raw = cls.server.channel().unary_unary("/normd.v1.Normalizer/Normalize")

    def refused(self, code, call, message):
        """The text of the refusal."""
        with self.assertRaises(grpc.RpcError) as raised:
            call(message, timeout=PATIENCE)
        text = raised.exception.details()
        self.assertEqual(raised.exception.code(), code, text)
        self.assertLessEqual(len(text.encode()), 1024)
        return text

    def test_invalid_argument(self):
        for name, (message, words) in INVALID.items():
            with self.subTest(name):
                text = self.refused(StatusCode.INVALID_ARGUMENT, self.stub.Normalize, message)
                self.assertEqual([word for word in words if word not in text], [], text)

    def test_malformed_bytes(self):
        for name, message in MALFORMED.items():
            with self.subTest(name):
                self.assertNotEqual(self.refused(StatusCode.INVALID_ARGUMENT, self.raw, message), "")

    def test_unknown_layer_is_escaped_and_cut(self):
        message = changed(layer="no\nbody" + "x" * 100_000)
        text = self.refused(StatusCode.NOT_FOUND, self.stub.Normalize, message)
        self.assertIn("body", text)
        self.assertNotIn("\n", text)

    def test_unknown_method(self):
        call = self.server.channel().unary_unary("/normd.v1.Normalizer/Nothing")
        self.refused(StatusCode.UNIMPLEMENTED, call, b"")

    def test_each_error_leaves_a_stream_open(self):
        questions = [message for message, _ in INVALID.values()] + [request(ROWS, request_id="last")]
        *errors, last = self.stub.NormalizeStream(iter(questions), timeout=PATIENCE)
        codes = [answer.error.code for answer in errors]
        self.assertEqual(codes, [StatusCode.INVALID_ARGUMENT.value[0]] * len(INVALID))
        self.assertEqual(last.result.request_id, "last")

    def test_a_row_with_nan_touches_no_other(self):
        rows = ROWS.copy()
        rows[1, 3], rows[2, 0] = np.nan, np.inf
        good = answer_rows(self.stub.Normalize(request(ROWS), timeout=PATIENCE))
        got = answer_rows(self.stub.Normalize(request(rows), timeout=PATIENCE))
        self.assertEqual(got[[0, 3]].tobytes(), good[[0, 3]].tobytes())
        self.assertEqual(got[[1, 2]].view("<u4").tolist(), [[0x7FC00000] * 8] * 2)


if __name__ == "__main__":
    unittest.main()
