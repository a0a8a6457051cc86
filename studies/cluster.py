# SPDX-License-Identifier: Apache-2.0
"""Runs on a cluster, by Slurm: those that are missing as a job array, and behind it a job that gathers them.

The folder of results is one that all nodes see. slurm.json in it names the jobs, so that whoever started them may
go: the same command waits for them again, and when they are gone starts what is still missing. sbatch has its
own settings in the environment (SBATCH_PARTITION, SBATCH_TIMELIMIT, ...).
"""
import os
import pathlib
import shlex
import subprocess
import sys
import time

import one
import progress
import replace
from commands import ROOT
from trouble import Trouble

MOST = 1000   # tasks of an array; a Slurm takes 1,001 unless it is set otherwise
POLL = 2      # seconds


def slurm(*words):
    """What a program of Slurm prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SQUEUE_")}  # would hide jobs
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=env)
    except FileNotFoundError:
        raise Trouble(f"{words[0]} is not installed; --slurm wants a machine that submits jobs to Slurm "
                      "(Debian: slurm-client)") from None
    if done.returncode:
        raise Trouble(f"{words[0]}: {(done.stderr or done.stdout).strip() or 'failed'}", 1)
    return done.stdout.strip()


def queued(job):
    """Whether a job is waiting or running. Trouble where Slurm does not answer."""
    try:
        return bool(slurm("squeue", "--noheader", "--jobs", job, "--format", "%i"))
    except Trouble as trouble:
        if "Invalid job id" in str(trouble):
            return False  # ended some time ago
        raise


def jobs_of(folder):
    """The jobs that still work in this folder, of {"array": id, "gather": id}: a crash of the controller, or
    somebody, may take one of them."""
    known = one.read(folder / "slurm.json") or {}
    return {what: job for what, job in known.items() if queued(job)}


SBATCH = ("sbatch", "--parsable", f"--chdir={ROOT}", "--export=ALL")


def submit(runs, missing, at_once, gather):
    """Hands the missing runs to Slurm, and `gather`, words of `warpref study`, behind them."""
    runs.prepare()
    out, job = runs.out, {}
    listed = out / "slurm.runs"
    replace.text(listed, "".join(f"{runs.folders[w]}\n" for w in missing))
    tasks = min(len(missing), MOST)
    if missing:
        line = shlex.join([sys.executable, os.path.abspath(one.__file__), "--list", str(listed), "--task"])
        job["array"] = slurm(*SBATCH, "--job-name=warpref-study", f"--output={out}/slurm.%a.log",
                             f"--array=0-{tasks - 1}" + (f"%{at_once}" if at_once else ""),
                             "--wrap", f"exec {line} $SLURM_ARRAY_TASK_ID/{tasks}").split(";")[0]
    return gather_behind(out, job, gather)


def gather_behind(out, job, gather):
    """Submits the job that gathers, behind the array if there is one."""
    (out / "gather.status").unlink(missing_ok=True)
    line = shlex.join(gather)
    status = shlex.quote(str(out / "gather.status"))
    after = [f"--dependency=afterany:{job['array']}"] if "array" in job else []
    job["gather"] = slurm(*SBATCH, *after, "--job-name=warpref-gather", f"--output={out}/gather.log", "--wrap",
                          f"{line}; echo $? >{status}.part; mv {status}.part {status}").split(";")[0]
    one.write(out / "slurm.json", job)
    return job


def ended(folder):
    """Whether a run of this submission has ended, by its files alone."""
    asked = (folder / "command.json").stat().st_mtime_ns
    for name in ("result.json", "failure.json"):
        try:
            if (folder / name).stat().st_mtime_ns >= asked:
                return True
        except OSError:
            pass
    return False


def wait(runs, job, missing):
    """Until the job that gathers has ended. Its exit status, with what it said."""
    seconds = runs.seconds()
    shown = progress.Progress({w: seconds.get(w) for w in missing}, len(runs.wanted) - len(missing))
    open_, status, lost = set(missing), runs.out / "gather.status", 0
    try:
        while not status.exists():
            time.sleep(POLL)
            for words in [w for w in open_ if ended(runs.folders[w])]:
                open_.remove(words)
                shown.end(words, *runs.ended(words))
            shown.show(f"jobs {' and '.join(job.values())}")
            try:
                lost = 0 if queued(job["gather"]) or status.exists() else lost + 1
            except Trouble as trouble:  # a controller that starts again, or is busy
                shown.show(str(trouble))
            if lost > 5:
                raise Trouble(f"job {job['gather']}, which was to gather the results, is gone; "
                              f"log: {runs.out}/gather.log. The same command goes on", 1)
    except KeyboardInterrupt:
        print(f"\nwarpref study: the jobs go on; `scancel {' '.join(job.values())}` ends them, the same command "
              "waits for them", file=sys.stderr)
        raise
    finally:
        shown.finish()
    print(pathlib.Path(runs.out / "gather.log").read_text(), end="")
    return int(status.read_text())
