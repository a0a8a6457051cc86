# SPDX-License-Identifier: Apache-2.0
"""The programs that `warpref properties` and `warpref mutate` start. Each has a session of its own with all that it
starts itself, so Ctrl-C in a terminal reaches us alone, and we end them: none takes that for a verdict, and none
stays behind."""
import concurrent.futures
import os
import re
import signal
import subprocess
import threading

RUNNING, LOCK, STOPPED = set(), threading.Lock(), threading.Event()
OVER = re.compile(r"terminated unexpectedly|BrokenPipeError|EOF (?:response )?from solver|^##.*timeout", re.M)


class Stopped(Exception):
    """The run is being ended: there is no result."""


def run(args, **options):
    """subprocess.run, without input."""
    with LOCK:
        if STOPPED.is_set():
            raise Stopped
        process = subprocess.Popen([str(a) for a in args], text=True, errors="replace", start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **options)
        RUNNING.add(process)
    out, err = process.communicate()
    with LOCK:
        RUNNING.discard(process)
    if STOPPED.is_set():
        raise Stopped
    return subprocess.CompletedProcess(args, process.returncode, out, err)


def call(args, cwd, limit=None):
    """Output and exit status of a program; status None where a process of it used up its processor time."""
    if limit is not None:
        args = ["prlimit", f"--cpu={max(1, round(limit))}", *args]
    done = run(args, cwd=cwd, stderr=subprocess.STDOUT)
    status = done.returncode
    over = status in (-signal.SIGXCPU, -signal.SIGKILL) or status and OVER.search(done.stdout)
    return done.stdout, None if over else status


def result(future):
    """What it came to. A signal that arrives just as the main thread goes to sleep does not wake it, so it never sleeps
    for long."""
    while True:
        if concurrent.futures.wait([future], timeout=0.1).done:
            return future.result()


def stop():
    """Ends what runs, with its children, and starts nothing any more."""
    with LOCK:
        STOPPED.set()
        for process in RUNNING:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def interrupted(number, _):
    """The first signal ends the run, and those behind it must not end that."""
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, lambda *_: None)
    raise KeyboardInterrupt(number)


def heed_signals():
    """A signal that ends the run is a KeyboardInterrupt with its number, in the main thread."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, interrupted)
