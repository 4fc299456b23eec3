# SPDX-License-Identifier: Apache-2.0
"""A running normd, and what the tests say to it. The client is Debian's python3-grpcio with generated stubs."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import grpc
import health_pb2
import health_pb2_grpc
import numpy as np
from normd.v1 import normalizer_pb2 as pb
from normd.v1 import normalizer_pb2_grpc

NORMD = os.environ["NORMD_BINARY"]
NORMCTL = os.environ["NORMCTL_BINARY"]
MINILM = pathlib.Path(os.environ["NORMD_MINILM_DATA"])
SANITIZED = os.environ["NORMD_SANITIZED"] == "1"
# How long to wait for what must happen before a test is failed: no measure of speed.
PATIENCE = 60
UNBOUNDED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A normd that listens on TCP and on a Unix socket. Use it in a `with`."""

    def __init__(self, *arguments, target=None):
        self.folder = tempfile.mkdtemp(prefix="normd")
        self.tcp = f"127.0.0.1:{free_port()}"
        self.unix = f"unix:{self.folder}/normd.sock"
        self.log = open(f"{self.folder}/log", "w+b")  # pylint: disable=consider-using-with
        self.command = [NORMD, "--listen", self.tcp, "--listen", self.unix, *arguments]
        self.environment = dict(os.environ, **({"NORMD_TARGET": target} if target else {}))
        self.channels = []
        self.start()
        try:
            self.wait_until_serving()
        except BaseException:
            self.close()
            raise

    def start(self):
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=self.log, stderr=subprocess.STDOUT
        )

    def start_again(self):
        """After its process has ended: at the same addresses."""
        self.start()
        self.wait_until_serving()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def channel(self, address=None):
        """A connection of its own: channels of equal options share one otherwise."""
        options = [*UNBOUNDED, ("grpc.use_local_subchannel_pool", 1)]
        self.channels.append(grpc.insecure_channel(address or self.tcp, options=options))
        return self.channels[-1]

    def stub(self, address=None):
        return normalizer_pb2_grpc.NormalizerStub(self.channel(address))

    def health(self, address=None):
        return health_pb2_grpc.HealthStub(self.channel(address))

    def wait_until_serving(self):
        health = self.health(self.unix)  # which is plain also where TCP is not
        due = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < due:
            try:
                answer = health.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True, timeout=1)
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    return
            except grpc.RpcError:
                pass
            time.sleep(0.01)
        raise RuntimeError(f"normd does not serve; exit code {self.process.poll()}; it says:\n{self.output()}")

    def output(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def resident_bytes(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """The exit code."""
        return self.process.wait(timeout=PATIENCE)

    def close(self):
        for channel in self.channels:
            channel.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def memory(server, field="VmRSS"):
    """Bytes that are resident, or with VmHWM the most that ever were."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise AssertionError(f"{field} is not in /proc/PID/status")


def run(*command, **environment):
    """A program that is to end by itself: exit code, standard output, standard error."""
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def code_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def random_rows(rows, hidden, seed):
    return np.random.default_rng(seed).normal(1, 3, (rows, hidden)).astype("<f4")


def request(rows, layer="layer_norm", **fields):
    """A request with the rows as bytes."""
    return pb.NormalizeRequest(layer=layer, hidden=rows.shape[1], data=rows.tobytes(), **fields)


def answer_rows(response):
    return np.frombuffer(response.data, "<f4").reshape(-1, response.hidden)


def exact(rows, gamma=None, beta=None, epsilon=1e-5):
    """The answer and, beside it, how far off the contract of normd/norm.h allows each element to be."""
    x = rows.astype(np.longdouble)
    deviation = x - x.mean(axis=1, keepdims=True)
    xhat = deviation / np.sqrt((deviation**2).mean(axis=1, keepdims=True) + np.longdouble(np.float32(epsilon)))
    scale = np.ones(rows.shape[1]) if gamma is None else gamma.astype(np.longdouble)
    y = xhat * scale + (0 if beta is None else beta.astype(np.longdouble))
    unit = np.abs(scale) * np.abs(xhat).max(axis=1, keepdims=True) * np.longdouble(2) ** -23
    return y, 8 * unit + np.spacing(np.abs(y).astype("f4")) + np.longdouble(2) ** -149
