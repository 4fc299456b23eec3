# SPDX-License-Identifier: Apache-2.0
"""TLS on TCP: who is let in, what is refused at the start, and files that are replaced."""

import pathlib
import shutil
import socket
import ssl
import tempfile
import time
import unittest

import grpc
from certificates import FAR, FUTURE, PAST, Authority, openssl
from normd.v1 import normalizer_pb2 as pb
from normd.v1 import normalizer_pb2_grpc
from service import NORMCTL, NORMD, PATIENCE, Server, free_port, run


def setUpModule():
    global folder, authority, stranger, pair, client  # pylint: disable=global-variable-undefined
    folder = pathlib.Path(tempfile.mkdtemp(prefix="normd_tls"))
    authority, stranger = Authority(folder), Authority(folder, "stranger")
    pair, client = authority.issue("server"), authority.issue("client")


def tearDownModule():
    shutil.rmtree(folder)


def flags(of):
    return ("--tls-cert", str(of.certificate), "--tls-key", str(of.key))


def credentials(ca=None, own=None):
    read = lambda path: path.read_bytes()  # noqa: E731  pylint: disable=unnecessary-lambda-assignment
    return grpc.ssl_channel_credentials(
        read((ca or authority).certificate), read(own.key) if own else None, read(own.certificate) if own else None
    )


class Calls(unittest.TestCase):
    def info(self, channel):
        with channel:
            stub = normalizer_pb2_grpc.NormalizerStub(channel)
            return stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE)

    def secure(self, server, *of, options=(), **by_name):
        alone = ("grpc.use_local_subchannel_pool", 1)
        return grpc.secure_channel(server.tcp, credentials(*of, **by_name), options=[alone, *options])

    def refused(self, channel):
        with self.assertRaises(grpc.RpcError) as caught:
            self.info(channel)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)


class Tls(Calls):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(*flags(pair))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_with_its_authority(self):
        self.assertTrue(self.info(self.secure(self.server)).version)

    def test_without_tls(self):
        self.refused(grpc.insecure_channel(self.server.tcp))

    def test_with_another_authority(self):
        self.refused(self.secure(self.server, stranger))

    def test_as_another_name(self):
        self.refused(self.secure(self.server, options=[("grpc.ssl_target_name_override", "elsewhere")]))
        self.info(self.secure(self.server, options=[("grpc.ssl_target_name_override", "server")]))

    def test_old_versions_are_refused(self):
        context = ssl.create_default_context(cafile=authority.certificate)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
        host, port = self.server.tcp.split(":")
        with socket.create_connection((host, port)) as plain, self.assertRaises(ssl.SSLError):
            context.wrap_socket(plain, server_hostname=host)

    def test_unix_socket_is_plain(self):
        self.assertTrue(self.info(self.server.channel(self.server.unix)).version)

    def test_the_log_says_which_is_which(self):
        self.assertIn(f"listening on {self.server.tcp}, TLS\n", self.server.output())
        self.assertIn(f"listening on {self.server.unix}\n", self.server.output())


class MutualTls(Calls):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(*flags(pair), "--tls-client-ca", str(authority.certificate))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_with_a_certificate(self):
        self.assertTrue(self.info(self.secure(self.server, own=client)).version)

    def test_without_one(self):
        self.refused(self.secure(self.server))

    def test_with_a_stranger_s(self):
        self.refused(self.secure(self.server, own=stranger.issue("client")))

    def test_with_an_expired_one(self):
        self.refused(self.secure(self.server, own=authority.issue("late", PAST, "20200201000000Z")))

    def test_unix_socket_needs_none(self):
        self.assertTrue(self.info(self.server.channel(self.server.unix)).version)


class Start(unittest.TestCase):
    """What cannot be used is said at the start, and by which file."""

    def fails(self, certificate, key, *texts, more=()):
        files = ("--tls-cert", str(certificate), "--tls-key", str(key), *more)
        code, out, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", *files)
        self.assertEqual(code, 1, err)
        for text in texts:
            self.assertIn(str(text), out + err)

    def file(self, name, content):
        (folder / name).write_bytes(content)
        return folder / name

    def test_missing(self):
        self.fails(folder / "none.crt", pair.key, folder / "none.crt", "No such file")
        self.fails(pair.certificate, folder / "none.key", folder / "none.key", "No such file")
        more = ("--tls-client-ca", str(folder / "none.ca"))
        self.fails(pair.certificate, pair.key, folder / "none.ca", "No such file", more=more)

    def test_not_a_file(self):
        self.fails(folder, pair.key, folder, "no regular file")

    def test_malformed(self):
        cut = self.file("cut.crt", pair.certificate.read_bytes()[:-60])
        self.fails(cut, pair.key, cut, "certificate 1 is malformed")
        empty = self.file("empty.crt", b"")
        self.fails(empty, pair.key, empty, "expected a certificate in PEM, found none")
        self.fails(pair.certificate, pair.certificate, pair.certificate, "expected a private key in PEM")
        self.fails(pair.certificate, pair.key, empty, more=("--tls-client-ca", str(empty)))

    def test_too_long(self):
        long = self.file("long.crt", bytes(2 << 20))
        self.fails(long, pair.key, long, "2097152 bytes; expected at most 1048576")

    def test_encrypted_key(self):
        encrypted = folder / "encrypted.key"
        openssl("ec", "-in", pair.key, "-aes256", "-passout", "pass:secret", "-out", encrypted)
        self.fails(pair.certificate, encrypted, encrypted, "without a passphrase")

    def test_expired_or_not_yet_valid(self):
        late = authority.issue("expired", PAST, "20200201000000Z")
        self.fails(late.certificate, late.key, late.certificate, "/CN=expired expired on Feb  1 00:00:00 2020 GMT")
        early = authority.issue("early", FUTURE, FAR)
        self.fails(early.certificate, early.key, early.certificate, "is not valid before Jan  1 00:00:00 2099 GMT")

    def test_key_of_another(self):
        self.fails(pair.certificate, client.key, client.key, "not the private key of the certificate", pair.certificate)

    def test_too_weak(self):
        key, certificate = folder / "weak.key", folder / "weak.crt"
        openssl("req", "-x509", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=x", "-keyout", key, "-out", certificate)
        self.fails(certificate, key, certificate, "ee key too small")

    def test_half_of_what_is_needed(self):
        for some in (("--tls-cert", pair.certificate), ("--tls-key", pair.key), ("--tls-client-ca", pair.certificate)):
            code, out, err = run(NORMD, *map(str, some))
            self.assertEqual(code, 2, out + err)
            self.assertIn("--tls-", out + err)

    def test_from_the_environment(self):
        environment = {"NORMD_TLS_CERT": str(folder / "none.crt"), "NORMD_TLS_KEY": str(pair.key)}
        code, _, err = run(NORMD, "--listen", f"127.0.0.1:{free_port()}", **environment)
        self.assertEqual(code, 1, err)
        self.assertIn("none.crt", err)


class Replacement(Calls):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="normd_tls"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.served = authority.issue("first")
        self.certificate, self.key = self.folder / "tls.crt", self.folder / "tls.key"
        self.put(self.served)
        files = ("--tls-cert", str(self.certificate), "--tls-key", str(self.key))
        self.server = Server(*files, "--listen", f"127.0.0.1:{free_port()}")
        self.addCleanup(self.server.close)
        self.other_tcp = self.server.command[-1]

    def put(self, of):
        shutil.copyfile(of.certificate, self.certificate)
        shutil.copyfile(of.key, self.key)

    def serial(self, address=None):
        """Of the certificate that a new connection is shown."""
        context = ssl.create_default_context(cafile=authority.certificate)
        context.set_alpn_protocols(["h2"])
        host, port = (address or self.server.tcp).split(":")
        with socket.create_connection((host, port), timeout=PATIENCE) as plain:
            with context.wrap_socket(plain, server_hostname=host) as secure:
                return int(secure.getpeercert()["serialNumber"], 16)

    def test_new_connections_see_it_and_old_ones_go_on(self):
        self.assertEqual(self.serial(), self.served.serial)
        with self.secure(self.server) as old:
            stub = normalizer_pb2_grpc.NormalizerStub(old)
            stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE)
            renewed = authority.issue("second")
            self.put(renewed)
            self.assertNotEqual(renewed.serial, self.served.serial)
            self.assertEqual(self.serial(), renewed.serial)
            self.assertEqual(self.serial(self.other_tcp), renewed.serial)  # each listener
            stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE)
        self.assertTrue(self.info(self.secure(self.server)).version)

    def test_pair_that_does_not_match_meanwhile(self):
        renewed = authority.issue("second")
        shutil.copyfile(renewed.certificate, self.certificate)
        self.assertEqual(self.serial(), self.served.serial)
        self.assertEqual(self.serial(), self.served.serial)
        self.assertEqual(self.server.output().count("not the private key of the certificate"), 1)
        shutil.copyfile(renewed.key, self.key)
        self.assertEqual(self.serial(), renewed.serial)

    def test_files_that_cannot_be_used_meanwhile(self):
        for damage in (self.key.unlink, lambda: self.certificate.write_text("gone"), self.certificate.unlink):
            damage()
            self.assertEqual(self.serial(), self.served.serial)
        late = authority.issue("expired", PAST, "20200201000000Z")
        self.put(late)
        self.assertEqual(self.serial(), self.served.serial)
        self.assertIn("/CN=expired expired on", self.server.output())
        renewed = authority.issue("second")
        self.put(renewed)
        self.assertEqual(self.serial(), renewed.serial)


class ClientAuthority(Calls):
    def test_replaced(self):
        with tempfile.TemporaryDirectory(prefix="normd_tls") as name:
            file = pathlib.Path(name) / "ca.crt"
            shutil.copyfile(stranger.certificate, file)
            with Server(*flags(pair), "--tls-client-ca", str(file)) as server:
                self.refused(self.secure(server, own=client))
                shutil.copyfile(authority.certificate, file)
                self.assertTrue(self.info(self.secure(server, own=client)).version)


class Normctl(unittest.TestCase):
    """The C++ client, by its command."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*flags(pair), "--tls-client-ca", str(authority.certificate))
        cls.known = ("--tls-ca", str(authority.certificate))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def info(self, *arguments, address=None, **environment):
        return run(NORMCTL, "info", address or self.server.tcp, *map(str, arguments), **environment)

    def fails(self, text, *arguments, **others):
        code, _, err = self.info(*arguments, **others)
        self.assertEqual(code, 1, err)
        self.assertIn(text, err)

    def test_each_command(self):
        for command in (("info",), ("layers",), ("health",), ("bench", "-n", "3", "--warmup", "1"), ("normalize",)):
            values = ("--values", "1,2,3") if command == ("normalize",) else ()
            arguments = (command[0], self.server.tcp, *command[1:], *values, *self.known, *flags(client))
            code, out, err = run(NORMCTL, *arguments)
            self.assertEqual(code, 0, (arguments, out, err))

    def test_from_the_environment(self):
        environment = {
            "NORMCTL_TLS_CA": str(authority.certificate),
            "NORMCTL_TLS_CERT": str(client.certificate),
            "NORMCTL_TLS_KEY": str(client.key),
        }
        self.assertEqual(self.info(**environment)[0], 0)

    def test_server_name(self):
        self.fails("another name is given with --tls-server-name", *self.known, *flags(client), "--tls-server-name", "x")
        self.assertEqual(self.info(*self.known, *flags(client), "--tls-server-name", "server")[0], 0)

    def test_what_is_missing_is_said(self):
        self.fails("it may want TLS (--tls)")
        self.fails("or a certificate of yours (--tls-cert)", *self.known)
        self.fails("is given with --tls-ca", "--tls")
        self.fails("is given with --tls-ca", "--tls-ca", stranger.certificate, *flags(client))
        self.fails("--tls-key", "--tls-cert", client.certificate)

    def test_files_that_cannot_be_used(self):
        self.fails("No such file", "--tls-ca", folder / "none.ca")
        self.fails("not the private key", *self.known, "--tls-cert", client.certificate, "--tls-key", pair.key)

    def test_unix_socket(self):
        self.fails("a Unix socket, which is plain", *self.known, address=self.server.unix)
        self.assertEqual(self.info(address=self.server.unix)[0], 0)


class PlainWarning(unittest.TestCase):
    def said(self, *arguments):
        with Server("--listen", f"0.0.0.0:{free_port()}", *arguments) as server:
            due = time.monotonic() + PATIENCE
            while server.output().count("listening on") < 3 and time.monotonic() < due:
                time.sleep(0.01)
            return server.output()

    def test_said_of_plain_text_alone(self):
        self.assertIn("can be reached from other machines, in plain text", self.said())
        self.assertNotIn("can be reached", self.said(*flags(pair)))


if __name__ == "__main__":
    unittest.main()
