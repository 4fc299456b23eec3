# SPDX-License-Identifier: Apache-2.0
"""A real model's layer through the wire, and checkpoints that do not load."""

import json
import struct
import tempfile
import unittest

import numpy as np
from normd.v1 import normalizer_pb2 as pb
from service import MINILM, NORMD, PATIENCE, Server, answer_rows, exact, free_port, request, run

LAYER = "minilm/embeddings.LayerNorm"


def tensor(name):
    """A float32 tensor of the model."""
    data = (MINILM / "model.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    begin, end = json.loads(data[8 : 8 + length])[name]["data_offsets"]
    return np.frombuffer(data[8 + length :][begin:end], "<f4")


class Checkpoint(unittest.TestCase):
    def test_real_tokens_get_the_exact_answer(self):
        rows, expected = np.load(MINILM / "activations.npy"), np.load(MINILM / "expected.npy")
        counts = np.load(MINILM / "token_counts.npy").tolist()
        gamma, beta = tensor("embeddings.LayerNorm.weight"), tensor("embeddings.LayerNorm.bias")
        _, bound = exact(rows, gamma, beta, epsilon=1e-12)
        with Server("--checkpoint", f"minilm={MINILM / 'model.safetensors'}") as server:
            stub = server.stub()
            answer = stub.Normalize(request(rows, layer=LAYER, token_counts=counts), timeout=PATIENCE)
            layers = stub.ListLayers(pb.ListLayersRequest(), timeout=PATIENCE).layers
        self.assertEqual(list(answer.token_counts), [6, 4, 11])
        self.assertTrue((np.abs(answer_rows(answer).astype("f8") - expected) <= bound).all())
        names = [layer.name for layer in layers]
        self.assertEqual(names, sorted(names))
        minilm = [layer for layer in layers if layer.checkpoint == "minilm"]
        self.assertEqual(len(minilm), 13)
        for layer in minilm:
            facts = (layer.kind, layer.hidden, layer.epsilon, layer.has_gamma, layer.has_beta, layer.parameter_type)
            self.assertEqual(facts, (pb.LAYER_NORM, 384, 1e-12, True, True, pb.FLOAT32), layer.name)

    def refused(self, checkpoint):
        code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", "--checkpoint", checkpoint)
        self.assertGreater(code, 0)
        return out + err

    def test_a_checkpoint_that_does_not_load_ends_the_start(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/cut.safetensors"
            with open(path, "wb") as file:
                file.write((MINILM / "model.safetensors").read_bytes()[:1000])
            self.assertIn(path, self.refused(f"minilm={path}"))
            self.assertIn("missing.safetensors", self.refused(f"minilm={folder}/missing.safetensors"))

    def test_a_checkpoint_needs_a_name(self):
        path = str(MINILM / "model.safetensors")
        for argument in (path, f"={path}", f"a b={path}"):
            self.assertNotEqual(self.refused(argument), "")


if __name__ == "__main__":
    unittest.main()
