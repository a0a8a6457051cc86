#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are cut by checkpoints end like runs that are not: in chains, on other machines, after kill -9.

Usage: tests/checkpoint/runs.py WARPREF SOURCE CASE
  CASE: chain, same, library, full, hostile, machines, killed, refused, damaged, disk, often, two
Random cases print their seed and take it back from WARPREF_SEED; with WARPREF_LONG in the environment there are more.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WARPREF, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SMALL = ["--set", "sms=4"]
LONG = "WARPREF_LONG" in os.environ
checks = 0


def want(holds, text):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAIL {text}")


def call(*arguments, **how):
    return subprocess.run([WARPREF, *map(str, arguments)], capture_output=True, text=True, **how)


def figures(run, what):
    """The JSON of a run that ended well."""
    want(run.returncode == 0, f"{what}: status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def whole(launch, *options):
    """A run without checkpoints: cycles, hashes, what it printed."""
    run = call("run", *launch, *options, "--json")
    result = figures(run, "the run without checkpoints")
    want(result["pass"] and result["buffer_hashes"], "the run without checkpoints passes")
    return result["cycles"], result["buffer_hashes"], sorted(run.stderr.splitlines())


def ends_alike(run, base, what):
    result = figures(run, what)
    want(result["status"] == "done" and result["pass"], f"{what}: {result['status']}, pass {result['pass']}")
    want(result["buffer_hashes"] == base[1], f"{what}: other buffers: {result['buffer_hashes']}, not {base[1]}")
    return result


def chained(launch, options, base, draw, links=10):
    """A chain of checkpoints at random cycles, each in a process of its own; the last one goes on to the end."""
    cycles, _, printed = base
    at, saved, texts, resume = 0, 0, [], []
    for _ in range(links):
        at += draw.randint(1, max(2, 2 * cycles // links))
        run = call("run", *launch, *options, *resume, "--checkpoint-at", at, "--checkpoint", "chain.ckpt", "--json")
        texts += run.stderr.splitlines()
        result = figures(run, f"part up to {at}")
        if result["status"] == "done":
            want(texts.pop() == f"warpref run: it ended in front of --checkpoint-at {at}, so there is no checkpoint",
                 f"the end in front of {at} is told")
            break
        want(result["status"] == "saved" and not result["checks"], f"part up to {at}: {result['status']}")
        at, saved, resume = result["cycles"], saved + 1, ["--resume", "chain.ckpt"]
    else:
        run = call("run", *launch, *options, *resume, "--json")
        texts += run.stderr.splitlines()
    want(saved >= 1, f"no part of {launch} was saved")
    result = ends_alike(run, base, f"chain of {launch}")
    want(result["cycles"] > at - cycles, "cycles go on counting")
    for row in result["launches"]:  # its last round arrives in cycle 143,000 of the whole run
        want(row["kernel"] != "tick" or 143000 <= row["ended"] < 185000, f"{launch}: {row}")
    want(sorted(texts) == printed, f"{launch}: printed {len(texts)} lines, not {len(printed)}, or others")
    return saved


def chain(draw):
    launch = ["here/mix.yaml"]
    base = whole(launch, *SMALL)
    want(len(base[2]) > 100, "the kernels print")
    chains = 3 if LONG else 1
    saved = sum(chained(launch, SMALL, base, draw) for _ in range(chains))
    text = pathlib.Path("here/mix.yaml").read_text().replace("interval: 20", "interval: 20, address_size: 64")
    text = text.replace("ptr, type: u32, count: 1024", "ptr, type: u32, count: 2048")
    pathlib.Path("here/wide.yaml").write_text(text)
    chained(["here/wide.yaml"], SMALL, whole(["here/wide.yaml"], *SMALL), draw)
    want(saved >= 6 * chains, f"only {saved} checkpoints in {chains} chains")


def same(draw):
    """The same input gives the same file, to the byte, with any number of threads."""
    for launch in (["here/mix.yaml", *SMALL], [SOURCE / "kernels/scan.yaml"]):
        cycles = whole(launch)[0]
        at = draw.randint(1, cycles - 1)
        files = []
        for number, more in enumerate(([], [], ["--threads", 2], ["--threads", 4])):
            run = call("run", *launch, *more, "--checkpoint-at", at, "--checkpoint", f"{number}.ckpt", "--json")
            want(figures(run, "first part")["status"] == "saved", "it is saved")
            files.append(pathlib.Path(f"{number}.ckpt").read_bytes())
        want(all(f == files[0] for f in files), f"{launch} at {at}: files differ")


def library(draw):
    kernels = ["scan", "bitonic_sort", "bfs_kernel1", "histo", "hotspot"]
    launches = [[SOURCE / "kernels" / f"{name}.yaml"] for name in kernels]
    launches.append([SOURCE / "tests/library/together.yaml"])
    launches.append([SOURCE / "kernels/scan.yaml", "--with", SOURCE / "kernels/histo.yaml"])
    launches.append([SOURCE / "kernels/scan.yaml", "--with", SOURCE / "kernels/histo.yaml", "--arrive", 8000,
                     "--priority", 1])
    systems = [["swl:warps=8", "monitor"], ["drain"], ["miss_limit"], ["run_ahead"]]
    for names in systems:
        launches.append([SOURCE / "kernels/scan.yaml", *(word for name in names for word in ("--system", name))])
    for launch in launches if LONG else launches[1::3]:
        chained(launch, [], whole(launch), draw, 4)


def full(_):
    """Many TBs to come: none is placed while others stop, so it takes no longer than that."""
    launch = ["run", SOURCE / "kernels/backprop_layerforward.yaml"]
    run = call(*launch, "--checkpoint-at", 30000, "--checkpoint", "f.ckpt", "--json")
    want(30000 < figures(run, "first part")["cycles"] < 35000, "all SMs stop soon")
    grid, = figures(call("checkpoint", "f.ckpt", "--json"), "what is in it")["in_flight"]
    want(min(grid["done"], grid["saved"], grid["to_come"]) > 0, f"TBs of each kind: {grid}")
    want(0 < grid["compressed_bytes"] < grid["live_bytes"] < grid["occupied_bytes"], "bytes of registers")
    want(figures(call(*launch, "--resume", "f.ckpt", "--set", "sms=5", "--json"), "the rest")["pass"], "the rest")


def hostile(draw):
    """Parts that were changed and have right checksums: whatever they say, no crash."""
    spoil = pathlib.Path(WARPREF).parent.parent / "tests/checkpoint_spoil"
    mix = ["run", "here/mix.yaml", *SMALL, "--max-cycles", 300000]
    want(call(*mix, "--checkpoint-at", 20000, "--checkpoint", "c.ckpt").returncode == 0, "saved")
    ends = {0: 0, 1: 0, 2: 0}
    for _ in range(30 if LONG else 12):
        seed = draw.randrange(1 << 31)
        subprocess.run([spoil, "c.ckpt", "wrong.ckpt", str(seed)], check=True)
        for words in (["checkpoint", "wrong.ckpt"], [*mix, "--resume", "wrong.ckpt", "--json"]):
            run = call(*words)
            what = f"checkpoint_spoil {seed}, {words[0]}"
            want(run.returncode in ends, f"{what}: status {run.returncode}: {run.stderr[-2000:]}")
            ends[run.returncode] += 1
    print(f"  ended with status 0, 1, 2: {list(ends.values())}")
    want(ends[2] > (5 if LONG else 2), f"few were refused: {ends}")


def machines(draw):
    launch = ["here/mix.yaml"]
    base = whole(launch, *SMALL)
    for _ in range(3 if LONG else 1):
        run = call("run", *launch, *SMALL, "--checkpoint-at", draw.randint(1, base[0] - 1), "--checkpoint", "m.ckpt",
                   "--json")
        want(figures(run, "first part")["status"] == "saved", "first part is saved")
        for other in (["sms=1"], ["sms=3"], ["sms=15"], ["sms=64"], ["sms=2", "sm.max_tbs=1"],
                      ["sms=9", "sm.max_tbs=16"]):
            changes = [word for change in other for word in ("--set", change)]
            ends_alike(call("run", *launch, *changes, "--resume", "m.ckpt", "--json"), base, f"on {other}")
        for more in (["--threads", "2"], ["--config", "gtx980"]):
            ends_alike(call("run", *launch, *more, "--resume", "m.ckpt", "--json"), base, f"with {more}")
        # Larger, smaller and larger again: contexts move, and what is saved then comes back.
        ends = call("run", *launch, "--set", "sms=16", "--resume", "m.ckpt", "--checkpoint-every", 3000, "--checkpoint",
                    "n.ckpt", "--json")
        ends_alike(ends, base, "on more SMs, with checkpoints")
        for sms in (2, 30):
            ends_alike(call("run", *launch, "--set", f"sms={sms}", "--resume", "n.ckpt.1", "--json"), base,
                       f"the last but one on {sms} SMs")
    shown = call("checkpoint", "m.ckpt", "--json")
    content = figures(shown, "what is in it")
    want(content["version"] == 1 and content["config"] == "gtx480" and len(content["parts"]) == 5, "what is in it")
    want(all(g["done"] + g["saved"] + g["to_come"] == g["tbs"] for g in content["in_flight"]), "TBs add up")
    want(call("checkpoint", "m.ckpt").stdout.count("\n") > 10, "as text")


def killed(draw):
    launch = ["here/mix.yaml"]
    base = whole(launch, *SMALL)
    tiles = pathlib.Path("here/tiles.bin").read_bytes()
    os.remove("here/tiles.bin")
    printed = call("run", *launch, *SMALL, "--printf", "whole.txt")
    want(printed.returncode == 0, "it prints into a file")
    whole_text = sorted(pathlib.Path("whole.txt").read_text().splitlines())
    kills = 0
    while kills < (10 if LONG else 4):
        for name in ("k.ckpt", "k.ckpt.1", "k.txt"):
            pathlib.Path(name).unlink(missing_ok=True)
        words = [WARPREF, "run", *launch, *SMALL, "--checkpoint-every", "1500", "--checkpoint", "k.ckpt", "--printf",
                 "k.txt"]
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while run.poll() is None and not os.path.exists("k.ckpt"):
            time.sleep(0.001)
        time.sleep(draw.random() * 0.3)
        run.send_signal(signal.SIGKILL)
        if run.wait() == 0:
            continue  # it had ended
        kills += 1
        pathlib.Path("here/tiles.bin").unlink(missing_ok=True)
        shown = call("checkpoint", "k.ckpt")
        want(shown.returncode == 0, f"kill {kills}: {shown.stderr}")
        run = call("run", *launch, *SMALL, "--resume", "k.ckpt", "--printf", "k.txt", "--json")
        ends_alike(run, base, f"kill {kills}")
        want(pathlib.Path("here/tiles.bin").read_bytes() == tiles, f"kill {kills}: outputs")
        text = sorted(pathlib.Path("k.txt").read_text().splitlines())
        want(text == whole_text, f"kill {kills}: printed {len(text)} lines, not {len(whole_text)}")


def refuses(what, part, *arguments):
    """Status 2, one line that says this, and no file changed."""
    before = {p: p.read_bytes() for p in sorted(pathlib.Path(".").rglob("*")) if p.is_file()}
    run = call(*arguments)
    want(run.returncode == 2, f"{what}: status {run.returncode}: {run.stdout[-200:]}{run.stderr[-300:]}")
    want(run.stderr.count("\n") == 1 and part in run.stderr and not run.stdout, f"{what}: {run.stderr!r}")
    after = {p: p.read_bytes() for p in sorted(pathlib.Path(".").rglob("*")) if p.is_file()}
    want(after == before, f"{what}: files changed")


def refused(_):
    mix = ["run", "here/mix.yaml", *SMALL]
    run = call(*mix, "--checkpoint-at", 20000, "--checkpoint", "c.ckpt", "--json")
    want(figures(run, "first part")["status"] == "saved", "saved")
    want(not os.path.exists("here/tiles.bin"), "a run that is saved writes no outputs")
    data = pathlib.Path("c.ckpt").read_bytes()
    shutil.copytree("here", "other")
    text = pathlib.Path("other/mix.yaml").read_text()
    pathlib.Path("other/mix.yaml").write_text(text.replace("value: 24}]", "value: 25}]", 1))
    shutil.copytree("here", "code")
    source = pathlib.Path("code/mix.cu").read_text()
    pathlib.Path("code/mix.cu").write_text(source.replace("next * 5 + 1", "next * 5 + 3"))
    pathlib.Path("new.ckpt").write_bytes(data[:8] + (2).to_bytes(4, "little") + data[12:])
    pathlib.Path("text.ckpt").write_text("a text\n")
    pathlib.Path("empty.ckpt").write_bytes(b"")
    pathlib.Path("s.json").write_text("mine")
    pathlib.Path("p.txt").write_text("")
    whole_file = ["--resume", "c.ckpt", "--stats", "s.json"]
    cases = [
        ("another launch file", "another launch file", ["run", "other/mix.yaml", *SMALL, *whole_file]),
        ("another program", "another program", ["run", "code/mix.yaml", *SMALL, *whole_file]),
        ("another stack", "another program", [*mix, "--stack", 8192, *whole_file]),
        ("fewer files", "launch files", [*mix, "--with", "here/mix.yaml", *whole_file]),
        ("another kernel", "another", ["run", SOURCE / "kernels/vecadd.yaml", *SMALL, *whole_file]),
        ("a newer version", "format version 2", [*mix, "--resume", "new.ckpt"]),
        ("a text", "no checkpoint", [*mix, "--resume", "text.ckpt"]),
        ("an empty file", "no checkpoint", [*mix, "--resume", "empty.ckpt"]),
        ("no file", "No such file", [*mix, "--resume", "none.ckpt"]),
        ("a folder", "no regular file", [*mix, "--resume", "here"]),
        ("a device", "no regular file", [*mix, "--resume", "/dev/zero"]),
        ("a cycle before it", "lies before it", [*mix, *whole_file, "--checkpoint-at", 100, "--checkpoint", "d.ckpt"]),
        ("a folder that is not there", "No such file", [*mix, "--checkpoint-at", 9, "--checkpoint", "no/d.ckpt"]),
        ("onto a device", "no regular file", [*mix, "--checkpoint-at", 9, "--checkpoint", "/dev/full"]),
        ("show a text", "no checkpoint", ["checkpoint", "text.ckpt"]),
        ("show a newer one", "format version 2", ["checkpoint", "new.ckpt"]),
    ]
    for what, part, arguments in cases:
        refuses(what, part, *arguments)
    usage = [
        ["--checkpoint", "d.ckpt"], ["--checkpoint-at", 9], ["--checkpoint-every", 9], ["--checkpoint-at", 0],
        ["--resume", ""], ["--resume", "c.ckpt", "--for", 1000], ["--resume", "c.ckpt", "--no-points"],
        ["--resume", "c.ckpt", "--system", "preemption"], ["--resume", "c.ckpt", "--system", "warp_swap"],
        ["--resume", "c.ckpt", "--system", "virtual_thread"],
        ["--resume", "c.ckpt", "--system", "duet"],
    ]
    for words in usage:
        run = call(*mix, *words)
        want(run.returncode == 2 and "Try `warpref run --help'" in run.stderr, f"{words}: {run.stderr}")
    # A checkpoint behind the end of the run is none, and the run ends as ever.
    run = call(*mix, "--checkpoint-at", 10**9, "--checkpoint", "late.ckpt", "--json")
    want(figures(run, "late")["status"] == "done" and not os.path.exists("late.ckpt"), "a late checkpoint")
    # The limit of cycles is of the whole run.
    run = call(*mix, "--resume", "c.ckpt", "--max-cycles", 30000)
    want(run.returncode == 1 and "has not ended after 30000 cycles" in run.stderr, f"limit: {run.stderr}")
    # What was printed behind the checkpoint is dropped; a file that lacks what came before is refused.
    run = call(*mix, "--checkpoint-at", 40000, "--checkpoint", "p.ckpt", "--printf", "p.txt")
    want(run.returncode == 0 and os.path.getsize("p.txt") > 10, "it has printed")
    pathlib.Path("short.txt").write_text("1")
    refuses("text that is too short", "comes behind the first", *mix, "--resume", "p.ckpt", "--printf", "short.txt")


def damaged(draw):
    """Single bytes of a small checkpoint, all of the header's and a sample of the rest, and cuts; the reader alone has
    all of them in test_checkpoint_file."""
    mix = ["run", "here/mix.yaml", *SMALL]
    want(call(*mix, "--checkpoint-at", 3000, "--checkpoint", "c.ckpt").returncode == 0, "saved")
    data = pathlib.Path("c.ckpt").read_bytes()
    header = 24 + 5 * 32 + 8
    for at in list(range(header)) + [draw.randrange(header, len(data)) for _ in range(200)]:
        wrong = bytearray(data)
        wrong[at] ^= 1 << draw.randrange(8)
        pathlib.Path("wrong.ckpt").write_bytes(wrong)
        run = call("checkpoint", "wrong.ckpt")
        want(run.returncode == 2 and run.stderr.count("\n") == 1, f"byte {at}: status {run.returncode}: {run.stderr}")
    for size in [0, 1, 8, 12, 24, header - 1, header, len(data) - 1] + [draw.randrange(len(data)) for _ in range(40)]:
        pathlib.Path("wrong.ckpt").write_bytes(data[:size])
        run = call("checkpoint", "wrong.ckpt")
        one = run.stderr.count("\n") == 1
        want(run.returncode == 2 and one, f"cut at {size}: status {run.returncode}: {run.stderr}")
    pathlib.Path("wrong.ckpt").write_bytes(data + b"\0")
    refuses("a byte more", "damaged", "checkpoint", "wrong.ckpt")
    for _ in range(10):
        wrong = bytearray(data)
        wrong[draw.randrange(len(data))] ^= 0x10
        pathlib.Path("wrong.ckpt").write_bytes(wrong)
        refuses("going on from a damaged one", "", *mix, "--resume", "wrong.ckpt", "--stats", "s.json")


def disk(_):
    """A disk that is full, by a limit on the size of a file: the old checkpoint stays, the run goes on."""
    text = pathlib.Path("here/mix.yaml").read_text()
    pathlib.Path("here/mix.yaml").write_text(text[:text.index("outputs:")])  # these are under the limit too
    launch = ["here/mix.yaml"]
    base = whole(launch, *SMALL)
    want(call("run", *launch, *SMALL, "--checkpoint-at", 20000, "--checkpoint", "c.ckpt").returncode == 0, "saved")
    data = pathlib.Path("c.ckpt").read_bytes()
    limited = f"trap '' XFSZ; ulimit -f {len(data) // 2048}; exec \"$0\" \"$@\""
    words = ["run", *map(str, launch), *SMALL, "--resume", "c.ckpt", "--checkpoint-every", "20000", "--checkpoint",
             "c.ckpt", "--printf", "/dev/null", "--json"]
    run = subprocess.run(["bash", "-c", limited, WARPREF, *words], capture_output=True, text=True)
    want(run.returncode == 1 and "c.ckpt: cannot be written: File too large" in run.stderr, f"full: {run.stderr}")
    result = json.loads(run.stdout)
    want(result["status"] == "done" and not result["pass"] and result["buffer_hashes"] == base[1], "the run goes on")
    want(pathlib.Path("c.ckpt").read_bytes() == data and not list(pathlib.Path(".").glob("*.new")), "the old one stays")
    last = ["run", *map(str, launch), *SMALL, "--checkpoint-at", "20000", "--checkpoint", "d.ckpt", "--json"]
    run = subprocess.run(["bash", "-c", limited, WARPREF, *last], capture_output=True, text=True)
    want(run.returncode == 1 and json.loads(run.stdout)["status"] == "done", f"full at the end: {run.returncode}")
    want(not list(pathlib.Path(".").glob("d.ckpt*")), "nothing is left of it")


def often(_):
    """Checkpoints that come before a warp has left the point where the last one stopped it: the run goes on."""
    runs = [([SOURCE / "kernels/histo.yaml"], [], 1)]
    if LONG:
        runs += [(["here/mix.yaml"], SMALL, 1), ([SOURCE / "kernels/bitonic_sort.yaml"], ["--threads", 2], 50)]
    for launch, options, every in runs:
        base = whole(launch, *options)
        run = call("run", *launch, *options, "--checkpoint-every", every, "--checkpoint", "o.ckpt", "--json")
        result = ends_alike(run, base, f"{launch}, a checkpoint every {every} cycles")
        want(result["cycles"] > 2 * base[0], "there were many")


def two(_):
    """Two runs that write to one name: each file is whole, and a run goes on from it."""
    launch = ["here/mix.yaml"]
    base = whole(launch, *SMALL)
    text = pathlib.Path("here/mix.yaml").read_text()
    pathlib.Path("here/mix.yaml").write_text(text[:text.index("outputs:")])  # they would be one file of two runs
    words = [WARPREF, "run", *launch, *SMALL, "--checkpoint-every", "1500", "--checkpoint", "t.ckpt"]
    runs = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    seen = 0
    while any(run.poll() is None for run in runs):
        if os.path.exists("t.ckpt"):
            shown = call("checkpoint", "t.ckpt")
            want(shown.returncode == 0, f"while both write: {shown.stderr}")
            seen += 1
    ends = [run.communicate()[1] for run in runs]
    want(all(run.returncode == 0 for run in runs), f"both runs end well: {ends}")
    want(seen > 0, "it was read meanwhile")
    left = sorted(p.name for p in pathlib.Path(".").iterdir() if p.name != "here")
    want(left == ["t.ckpt", "t.ckpt.1"], f"what is left: {left}")
    ends_alike(call("run", *launch, *SMALL, "--resume", "t.ckpt", "--json"), base, "going on from it")


def main():
    seed = int(os.environ.get("WARPREF_SEED", random.randrange(1 << 31)))
    print(f"seed {seed}", flush=True)
    cases = (chain, same, library, full, hostile, machines, killed, refused, damaged, disk, often, two)
    case = {f.__name__: f for f in cases}[sys.argv[3]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("here")
        for name in ("tests/checkpoint/mix.cu", "tests/checkpoint/mix.yaml", "kernels/cuda.h"):
            shutil.copy(SOURCE / name, "here")
        shutil.copytree(SOURCE / "kernels/cuda", "here/cuda")
        case(random.Random(seed))
        os.chdir("/")
    print(f"PASS {checks} checks")


main()
