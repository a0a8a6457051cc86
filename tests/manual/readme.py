#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of README's table run, as they stand there, with files and blocks in place of the words in capitals.

    tests/manual/readme.py BUILD_DIR

Words in brackets are left out. Commands run in their order, so that one finds what another wrote. What is not run here
says why; a command that is neither run nor listed below is a failure. The last line is "N passed, N failed".
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMANDS = ("warpref ", "tools/", "python3 ", "cmake ", "PATH=", "source ", "WARPREF=", "import ")
# What a word in capitals is: the first of these that the command has. {t} is a scratch folder.
WORDS = [("FILE.yaml", "kernels/transpose.yaml"), ("A.yaml", "kernels/reduction.yaml"), ("B.yaml", "kernels/transpose.yaml"),
         ("FILE.ptx", "{t}/FILE.ptx"), ("--checkpoint FILE", "--checkpoint {t}/run.ckpt"), ("--resume FILE", "--resume {t}/run.ckpt"),
         ("checkpoint FILE", "checkpoint {t}/run.ckpt"), ("CYCLE", "2000"), ("F.fst", "{t}/F.fst"), ("T.svg", "{t}/T.svg"),
         ("F.txt", "{t}/F.txt"), ("S.json", "{t}/S.json"), ("./PROGRAM", "{t}/PROGRAM"), ("PROGRAM", "{t}/PROGRAM"),
         ("@TRACE", "@{t}/trace.txt"), ("--record DIR", "--record {t}/record"), ("DIR --out", "{t}/record --out"),
         ("replay DIR", "replay {t}/record"), ("report DIR", "report {t}/report"), ("--prefix DIR", "--prefix {t}/prefix"), ("FILE.csv", "{t}/table.csv"),
         ("replay BLOCK FILE", "replay hint_decoder vectors/golden/hint_decoder.tiny.hex"),
         ("BLOCK=FILE.sv", "liveness_decoder=rtl/context/liveness_decoder.sv"), ("NAME --blocks", "preemption:period=1000 --blocks"),
         ("--rtl FILE.sv --top NAME", "--rtl rtl/hints/hint_decoder.sv --top hint_decoder"), ("BLOCK", "hint_decoder")]
# Other commands in place of these: those that would run for long, or ask for a kernel of another kind.
INSTEAD = {"warpref cc FILE.cu -o PROGRAM": "warpref cc examples/cuda/saxpy.cu -o {t}/PROGRAM",
           "warpref compile FILE.cu --hints": "warpref compile kernels/spmv_csr.cu --hints",
           "warpref run FILE.yaml --system NAME --system NAME": "warpref run kernels/vecadd.yaml --system swl --system drain",
           "warpref run FILE.yaml --config hd7970 --no-points --system haws --wave F.fst":
               "warpref run kernels/reduction.yaml --config hd7970 --no-points --system haws --wave {t}/F.fst",
           "warpref run A.yaml --with B.yaml --for 2000000 --system spart": "warpref run kernels/vecadd.yaml --with kernels/transpose.yaml "
                                                                          "--for 20000 --system spart",
           "warpref area [BLOCK...] [--layout] [--fpga]": "warpref area hint_decoder -o {t}/area",
           "warpref properties [BLOCK] [--rtl FILE.sv]": "warpref properties hint_decoder --keep {t}/properties",
           "warpref prove BLOCK [--rtl FILE.sv --top NAME]": "warpref prove --list",
           "warpref fuzz BLOCK [--rtl FILE.sv --top NAME]": "warpref fuzz hint_decoder --runs 200 --out {t}/fuzz",
           "warpref coverage BLOCK [--rtl FILE.sv --top NAME]": "warpref coverage hint_decoder --out {t}/coverage",
           "warpref vectors BLOCK": "warpref vectors hint_decoder --out {t}/v.hex",
           "warpref study NAME... [--quick] [--slurm]": "warpref study --help",
           "source build/release/share/bash-completion/completions/warpref": "bash -c 'source {b}/share/bash-completion/completions/warpref'"}
NOT_RUN = {"import warpref": "tests/python", "PATH=$PWD/build/release/bin:$PATH man warpref-run": "tests/manual/manual.py",
           "cmake --install build/release --prefix DIR": "tests/install",
           "python3 dpi/generate.py --new GROUP/BLOCK": "it writes into the tree; tests/contract/new_block.sh has a copy",
           "warpref state [BLOCK]": "state/state.py --check"}


def examples():
    for line in (ROOT / "README.md").read_text().splitlines():
        if line.startswith("| ") and "`" in line:
            for text in re.findall(r"`([^`]+)`", line.strip("|").split(" | ")[-1]):
                if text.startswith(COMMANDS):
                    yield text


def concrete(text):
    """With all words in capitals replaced; None: one is left that nobody knows."""
    if text in INSTEAD:
        return INSTEAD[text]
    text = re.sub(r" ?\[[^]]*\]", "", text)
    for word, what in WORDS:
        text = re.sub(rf"(?<![\w/{{]){re.escape(word)}(?![\w.])", what, text)
    return None if re.search(r"\b[A-Z]{4,}\b", text.replace("WARPREF=", "").replace("PROGRAM", "").replace("FILE.ptx", "")) else text


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        t = pathlib.Path(scratch)
        (t / "trace.txt").write_text("".join(f"{3 * i} {'W' if i % 3 == 0 else 'R'} {64 * (i * 37 % 1000):#x}\n" for i in range(400)))
        (t / "table.csv").write_text("name,warps,registers,shared\na,4,20,1024\n")
        (t / "report").mkdir()
        environment = os.environ | {"PATH": f"{build}/bin:{os.environ['PATH']}"}
        subprocess.run(["warpref", "compile", "kernels/transpose.cu", f"--emit-ptx={t}/FILE.ptx"], cwd=ROOT, env=environment, check=True,
                       capture_output=True)
        subprocess.run(["warpref", "run", "kernels/vecadd.yaml", "--samples", t / "report/a.csv"], cwd=ROOT, env=environment, check=True,
                       capture_output=True)
        for text in examples():
            if text in NOT_RUN:
                continue
            command = concrete(text)
            if not command:
                failed += 1
                print(f"FAIL  {text}: which file or block is meant does not stand in {pathlib.Path(__file__).name}")
                continue
            command = command.replace("{t}", scratch).replace("{b}", str(build))
            done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
            good = done.returncode == 0
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAIL  {text}: {shlex.quote(command)}: exit status {done.returncode}: {(done.stdout + done.stderr)[-400:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
