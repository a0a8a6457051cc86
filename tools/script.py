# SPDX-License-Identifier: Apache-2.0
"""Runs a Python program of `warpref` (tools/script.c starts this), and ends it as one of C ends: by Ctrl-C with
status 130; where the reader of its output goes away (`warpref state | head`) without a word, with 141. An option that
holds one value is given once, as in the programs in C.

SIGPIPE itself stays ignored: a solver that dies at the other end of a pipe is an error, and has its message."""
import argparse
import io
import os
import runpy
import signal
import sys

GONE, INTERRUPTED = 141, 130


class Output(io.FileIO):
    def write(self, data):
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # for what is still in the buffer
            raise SystemExit(GONE) from None
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            print(f"warpref: standard output could not be written: {error.strerror}", file=sys.stderr)
            raise SystemExit(1) from None


given = {}  # actions by the id of the namespace that they fill, which stays with them


def once(action):
    """An argparse action whose second call for one command is an error."""
    call = action.__call__

    def called(self, parser, namespace, values, option_string=None):
        _, before = given.setdefault(id(namespace), (namespace, []))
        if option_string is not None and any(self is other for other in before):
            parser.error(f"{'/'.join(self.option_strings)} is given twice")
        before.append(self)
        call(self, parser, namespace, values, option_string)

    action.__call__ = called


def filled(action):
    """An argparse action that takes no empty text: of a variable that a script has not set."""
    call = action.__call__

    def called(self, parser, namespace, values, option_string=None):
        if option_string is not None and values == "":
            parser.error(f"{'/'.join(self.option_strings)} takes a value, not ''")
        call(self, parser, namespace, values, option_string)

    action.__call__ = called


for kind in (argparse._StoreAction, argparse._StoreConstAction):
    once(kind)
for kind in (argparse._StoreAction, argparse._AppendAction):
    filled(kind)
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])
sys.stdout = io.TextIOWrapper(io.BufferedWriter(Output(1, "w", closefd=False)),
                              line_buffering=sys.stdout.line_buffering)
try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # script.c has blocked it
    runpy.run_path(sys.argv[0], run_name="__main__")
except KeyboardInterrupt:
    sys.exit(INTERRUPTED)
except RuntimeError as error:
    if not str(error).startswith("Symlink loop from"):  # what pathlib makes of ELOOP
        raise
    print(f"warpref: symbolic links lead back to themselves: {str(error).partition(' from ')[2]}", file=sys.stderr)
    sys.exit(2)
finally:
    sys.stdout.flush()
