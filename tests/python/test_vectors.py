# SPDX-License-Identifier: Apache-2.0
"""Every block in every named configuration: what its model gives through Python is what vectors say."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import replay
import warpref

ROOT = Path(__file__).resolve().parents[2]


class Vectors(unittest.TestCase):
    def test_golden(self):
        checks = 0
        for name, block in warpref.blocks().items():
            for config in block.configs:
                with self.subTest(block=name, config=config):
                    text = (ROOT / f"vectors/golden/{name}.{config}.hex").read_text()
                    head, _ = replay.head_and_rows(text)
                    named = {key: int(value) for key, value in (w.split("=") for w in head["parameters"].split())}
                    self.assertEqual(warpref.block(name, config).values, named)
                    some, differences = replay.replay(text)
                    self.assertEqual(differences[:5], [])
                    self.assertGreater(some, 0)
                    checks += some
        print(f"\ngolden vectors: {checks} checks")

    def test_fresh(self):
        """Random traffic of another seed, which no file holds."""
        for name in warpref.blocks():
            with self.subTest(block=name), tempfile.NamedTemporaryFile(suffix=".hex") as file:
                subprocess.run([os.environ["WARPREF_PROGRAM"], "vectors", name, "--config", "odd", "--cycles", "300",
                                "--seed", "77", "-o", file.name], stdout=subprocess.DEVNULL, check=True)
                some, differences = replay.replay(Path(file.name).read_text())
                self.assertEqual(differences[:5], [])
                self.assertGreaterEqual(some, 300)

    def test_planted(self):
        """A recorded output with one bit changed is noticed, at its cycle and pin."""
        text = (ROOT / "vectors/golden/reg_compressor.tiny.hex").read_text()
        lines = text.splitlines()
        first = next(i for i, line in enumerate(lines) if not line.startswith("//"))
        lines[first + 9] = f"{int(lines[first + 9], 16) ^ 1 << 266:0{len(lines[first])}x}"
        _, differences = replay.replay("\n".join(lines))
        self.assertEqual(len(differences), 1)
        self.assertIn("reg_compressor cycle 9 ready_o", differences[0])


if __name__ == "__main__":
    unittest.main()
