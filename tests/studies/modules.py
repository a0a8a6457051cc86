#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/need.py, which sees to Python modules: nothing is installed unasked. A script that notes its calls stands in for
set-up, and a rule of the test for what Python has.

    modules.py
"""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import need  # noqa: E402


class Modules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.called = pathlib.Path(self.folder.name, "called")
        self.useless = False  # set-up installs nothing
        script = pathlib.Path(self.folder.name, "setup.sh")
        script.write_text(f'#!/bin/sh\necho "$@" >>{self.called}\n')
        script.chmod(0o755)
        self.addCleanup(setattr, need, "have", need.have)
        self.addCleanup(setattr, need, "SETUP", need.SETUP)
        self.addCleanup(setattr, need.os, "execv", need.os.execv)
        need.SETUP = script
        need.have = lambda python, names: "there" in names or (
            python == need.DEBIAN and self.called.exists() and not self.useless)
        need.os.execv = lambda *_: self.fail("goes on") if not self.called.exists() else None

    def test_there(self):
        need.modules("there", install=True)
        self.assertFalse(self.called.exists())

    def test_unasked(self):
        for install in (None, False):
            with self.assertRaises(need.Missing) as missing:
                need.modules("matplotlib", "pandas", install=install)
            self.assertIn("apt-get install python3-matplotlib python3-pandas", str(missing.exception))
            self.assertEqual("--install" in str(missing.exception), install is False)
            self.assertFalse(self.called.exists())

    def test_asked(self):
        need.modules("pandas", install=True)
        self.assertEqual(self.called.read_text(), "study\n")

    def test_in_vain(self):
        self.useless = True
        with self.assertRaisesRegex(need.Missing, "Python lacks pandas: `apt-get install python3-pandas`$"):
            need.modules("pandas", install=True)


if __name__ == "__main__":
    unittest.main()
