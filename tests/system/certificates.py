# SPDX-License-Identifier: Apache-2.0
"""Certificates for tests, made by the openssl command."""

import pathlib
import subprocess

CONFIGURATION = """
[ca]
default_ca = authority
[authority]
database = {folder}/index.txt
new_certs_dir = {folder}
default_md = sha256
rand_serial = yes
unique_subject = no
email_in_dn = no
policy = policy
[policy]
commonName = supplied
[root]
basicConstraints = critical, CA:true
[leaf]
basicConstraints = CA:false
subjectAltName = DNS:localhost, DNS:{{name}}, IP:127.0.0.1
"""
# What `openssl ca` calls these times.
PAST, FUTURE, FAR = "20200101000000Z", "20990101000000Z", "20990201000000Z"


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments}: {done.stderr}")
    return done.stdout


class Pair:
    """The files of a certificate and its key."""

    def __init__(self, folder, name):
        self.certificate = folder / f"{name}.crt"
        self.key = folder / f"{name}.key"

    @property
    def serial(self):
        return int(openssl("x509", "-in", self.certificate, "-noout", "-serial").split("=")[1], 16)


class Authority:
    def __init__(self, folder, name="authority"):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        (self.folder / "index.txt").touch()
        self.pair = self._make(name, "root", PAST, FAR, "-selfsign")

    @property
    def certificate(self):
        return self.pair.certificate

    def issue(self, name, start=PAST, end=FAR):
        """A certificate for localhost, 127.0.0.1 and `name`."""
        return self._make(name, "leaf", start, end, "-cert", self.pair.certificate)

    def _make(self, name, extensions, start, end, *how):
        pair = Pair(self.folder, name)
        signer = pair if extensions == "root" else self.pair
        request, configuration = self.folder / f"{name}.csr", self.folder / f"{name}.cnf"
        configuration.write_text(CONFIGURATION.format(folder=self.folder).format(name=name))
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", pair.key)
        openssl("req", "-new", "-key", pair.key, "-subj", f"/CN={name}", "-out", request)
        openssl(
            *("ca", "-batch", "-notext", "-config", configuration, "-extensions", extensions, *how),
            *("-keyfile", signer.key, "-in", request, "-startdate", start, "-enddate", end),
            *("-out", pair.certificate),
        )
        return pair
