# SPDX-License-Identifier: Apache-2.0
"""The command-line client against a running server."""

import json
import tempfile
import unittest

import numpy as np
from service import MINILM, NORMCTL, SANITIZED, Server, answer_rows, free_port, random_rows, request, run

LAYER = "minilm/embeddings.LayerNorm"
EXAMPLE = ("--values", "3.2,-1.8,0.5,2.1")
ANSWER = ["1.17011", "-1.48923", "-0.26593", "0.58506"]


class Normctl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--checkpoint", f"minilm={MINILM / 'model.safetensors'}")
        cls.addClassCleanup(cls.server.close)

    def normctl(self, *arguments):
        """What it prints, where it succeeds."""
        code, out, err = run(NORMCTL, *map(str, arguments))
        self.assertEqual(code, 0, err)
        return out

    def fails(self, *arguments):
        code, out, err = run(NORMCTL, *map(str, arguments))
        self.assertGreater(code, 0, out)
        self.assertNotEqual(err, "")
        return err

    def test_worked_example(self):
        for where in (["--local"], [self.server.tcp], [self.server.unix]):
            out = self.normctl("normalize", *where, *EXAMPLE)
            self.assertEqual([number for number in ANSWER if number not in out], [], out)

    def test_health(self):
        for address in (self.server.tcp, self.server.unix):
            self.normctl("health", address)
        nowhere = f"127.0.0.1:{free_port()}"
        self.assertIn(nowhere, self.fails("health", nowhere))

    def test_layers(self):
        out = self.normctl("layers", self.server.tcp)
        self.assertIn("layer_norm", out)
        self.assertIn(LAYER, out)

    def test_files_get_the_bits_that_other_clients_get(self):
        rows = random_rows(6, 384, seed=1)
        expected = answer_rows(self.server.stub().Normalize(request(rows, layer=LAYER)))
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/in.npy", rows)
            for address in (self.server.tcp, self.server.unix):
                self.normctl("normalize", address, f"{folder}/in.npy", f"{folder}/out.npy", "--layer", LAYER)
                got = np.load(f"{folder}/out.npy")
                self.assertEqual((got.shape, got.dtype), (rows.shape, np.dtype("<f4")))
                self.assertEqual(got.tobytes(), expected.tobytes())

    def test_float16_files_with_a_residual(self):
        rows, residual = (random_rows(6, 33, seed=seed).astype("<f2") for seed in (2, 3))
        total = (rows + residual).astype("f8")
        expected = total / np.sqrt((total**2).mean(axis=1, keepdims=True) + 1e-5)
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/in.npy", f"{folder}/out.npy"]
            extra = ["--residual", f"{folder}/residual.npy", "--residual-sum", f"{folder}/sum.npy"]
            np.save(files[0], rows)
            np.save(extra[1], residual)
            answers = set()
            for where in (["--local"], [self.server.tcp], [self.server.unix]):
                self.normctl("normalize", *where, *files, "--kind", "rms_norm", *extra)
                got = np.load(files[1])
                self.assertEqual((got.shape, got.dtype), (rows.shape, np.dtype("<f2")))
                np.testing.assert_allclose(got, expected, rtol=2**-10, atol=2**-14)
                self.assertEqual(np.load(extra[3]).tobytes(), (rows + residual).tobytes())
                answers.add(got.tobytes())
            self.assertEqual(len(answers), 1)

    @unittest.skipIf(SANITIZED, "takes minutes under a sanitizer, where the kernels' own tests do the same")
    def test_verify_says_what_this_machine_runs_and_that_it_is_right(self):
        report = json.loads(self.normctl("verify", "--json"))
        self.assertTrue(report["ok"])
        names = [target["target"] for target in report["targets"]]
        self.assertIn(report["active_target"], names)
        self.assertEqual(names[-1], "scalar")
        for target in report["targets"]:
            self.assertEqual(target["hashes_equal"], target["hashes"])
            self.assertEqual([speed["rows"] for speed in target["speed"]], [1, 512])
        text = self.normctl("verify", "--target", "scalar")
        self.assertIn("right", text.splitlines()[-1])
        self.assertIn("scalar", self.fails("verify", "--target", "sse9"))

    def test_bench_reports_its_calls(self):
        for address in (self.server.tcp, self.server.unix):
            report = json.loads(self.normctl("bench", address, "--total", 50, "--warmup", 5, "--format", "json"))
            self.assertIn("50", json.dumps(report))
        code, _, err = run(NORMCTL, "bench", self.server.tcp, "--total", "5", "--warmup", "1", "--layer", "nobody")
        self.assertGreater(code, 0, err)

    def test_errors_of_the_server_are_shown(self):
        self.assertIn("nobody", self.fails("normalize", self.server.tcp, *EXAMPLE, "--layer", "nobody"))
        self.assertIn("384", self.fails("normalize", self.server.tcp, *EXAMPLE, "--layer", LAYER))


if __name__ == "__main__":
    unittest.main()
