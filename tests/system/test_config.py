# SPDX-License-Identifier: Apache-2.0
"""Options on the command line, in the environment and in a file."""

import os
import tempfile
import unittest

from service import NORMD, run


def normd(*arguments, **environment):
    return run("/usr/bin/env", *[f"{name}={value}" for name, value in environment.items()], NORMD, *arguments)


class Config(unittest.TestCase):
    def file(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
            file.write(text)
        self.addCleanup(os.remove, file.name)
        return file.name

    def printed(self, *arguments, **environment):
        """The options, by name, as --print-config shows them."""
        code, out, err = normd(*arguments, "--print-config", **environment)
        self.assertEqual(code, 0, err)
        lines = [line for line in out.splitlines() if line and not line.startswith(("#", "["))]
        return dict(line.split("=", 1) for line in lines)

    def test_what_is_printed_is_read_again(self):
        arguments = ("--listen", "127.0.0.1:1", "--listen", "unix:/run/x.sock", "--max-message-bytes", "5000")
        code, out, err = normd(*arguments, "--drain-delay", "3", "--accept-compression", "--print-config")
        self.assertEqual(code, 0, err)
        again = self.printed("--config", self.file(out))
        self.assertEqual(again["max-message-bytes"], "5000")
        self.assertEqual(again["drain-delay"], "3")
        self.assertEqual(again["accept-compression"], "true")
        self.assertIn("unix:/run/x.sock", again["listen"])

    def test_command_line_then_environment_then_file(self):
        file = self.file("drain-grace = 7\ndrain-delay = 7\nthreads = 7\n")
        options = self.printed(
            "--config", file, "--drain-grace", "5", NORMD_DRAIN_GRACE="6", NORMD_DRAIN_DELAY="6"
        )
        self.assertEqual([options[name] for name in ("drain-grace", "drain-delay", "threads")], ["5", "6", "7"])

    def test_file_named_by_the_environment(self):
        self.assertEqual(self.printed(NORMD_CONFIG=self.file("spin = 50\n"))["spin"], "50")

    def test_mistakes_are_errors(self):
        for text, named in (
            ("no-such-option = 1\n", "no-such-option"),
            ("threads = 0\n", "threads"),
            ("threads = many\n", "threads"),
            ("[server]\nthreads = 1\n", "server"),
        ):
            code, out, err = normd("--config", self.file(text), "--print-config")
            self.assertNotEqual(code, 0, text)
            self.assertIn(named, out + err, text)
        for code, out, err in (
            normd("--config", "/no/such/file.toml"),
            normd("--print-config", NORMD_CONFIG="/no/such/file.toml"),
        ):
            self.assertNotEqual(code, 0)
            self.assertIn("/no/such/file.toml", out + err)


if __name__ == "__main__":
    unittest.main()
