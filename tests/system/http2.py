# SPDX-License-Identifier: Apache-2.0
"""As much of HTTP/2 (RFC 9113) as it takes to send a gRPC call byte by byte, which no gRPC library does."""

import socket
import struct

from service import PATIENCE

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM, ACK, END_HEADERS = 1, 1, 4
NORMALIZE = "/normd.v1.Normalizer/Normalize"


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def literal(name, value):
    """A header field without index, Huffman code or memory."""
    return b"\0" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()


def message(payload, length=None):
    """A gRPC message; `length` is what its prefix says where that is not the truth."""
    return b"\0" + struct.pack(">I", len(payload) if length is None else length) + payload


class Connection:
    """One that is open to normd's TCP address. Use it in a `with`."""

    def __init__(self, address):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0))
        self.stream = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def begin(self, path=NORMALIZE):
        self.stream += 2
        fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "normd", "te": "trailers"}
        fields["content-type"] = "application/grpc"
        block = b"".join(literal(*field) for field in fields.items())
        self.socket.sendall(frame(HEADERS, END_HEADERS, self.stream, block))

    def send(self, chunk, last=False):
        self.socket.sendall(frame(DATA, END_STREAM if last else 0, self.stream, chunk))

    def call(self, chunks):
        """What came back of a call whose body comes in these chunks."""
        self.begin()
        for chunk in chunks:
            self.send(chunk)
        self.send(b"", last=True)
        return self.answer()

    def answer(self):
        """The DATA of the stream up to its end, whichever way it ends."""
        data = b""
        while True:
            kind, flags, stream, payload = self.read()
            if kind in (SETTINGS, PING) and not flags & ACK:
                self.socket.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
            if kind == GOAWAY:
                return data
            if stream != self.stream:
                continue
            if kind == DATA:
                data += payload
            if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
                return data

    def read(self):
        head = self.read_bytes(9)
        payload = self.read_bytes(int.from_bytes(head[:3], "big"))
        return head[3], head[4], int.from_bytes(head[5:], "big"), payload

    def read_bytes(self, size):
        got = b""
        while len(got) < size:
            more = self.socket.recv(size - len(got))
            if not more:
                raise ConnectionError("the server has closed the connection")
            got += more
        return got
