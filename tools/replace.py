# SPDX-License-Identifier: Apache-2.0
"""Files that take another's place when they are whole, as files/replace.h has it for programs in C: one grows as
FILE.ID.new in the same folder and is renamed at its end, so what fails or is ended leaves the older file as it was. Where
FILE is a symbolic link, the file that it leads to is replaced and the link stays. What is no regular file is written as it
comes, as is what standard output goes to, and a file in a folder that takes no new one.

A file that cannot be written ends the program with a message, with status 1 where there is no room, else 2. Files in a
scratch folder need none of this."""
import contextlib
import errno
import os
import pathlib
import stat
import sys
import threading

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
NO_NEW = (errno.EACCES, errno.EROFS)


def _is_output(there):
    """Standard output or error go there: another file in its place would be lost."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(there, os.fstat(number)):
                return True
    return False


def _mode(path):
    """Of the file that is to be replaced. 0: there is none; None: what is there is written in place."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return 0
    if not stat.S_ISREG(there.st_mode) or _is_output(there):
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return stat.S_IMODE(there.st_mode)


def _made(part, mode):
    """Whether the file is made; False: the folder takes none, but the file there may be written."""
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        return True
    except OSError as error:
        if mode and error.errno in NO_NEW:
            return False
        raise


@contextlib.contextmanager
def beside(path):
    """The path to write to instead; OSError is what the writer raises, and what stands in the way of the new file."""
    mode = _mode(path)
    whole = os.path.realpath(path)
    part = f"{whole}.{threading.get_native_id()}.new"
    if mode is None or not _made(part, mode):
        yield pathlib.Path(path)
        return
    try:
        yield pathlib.Path(part)
        if mode:
            os.chmod(part, mode)
        os.replace(part, whole)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def write(path, by):
    """by(PATH) writes the file; ends the program where it cannot."""
    try:
        with beside(path) as part:
            by(part)
    except OSError as error:
        print(f"warpref: {path}: cannot be written: {error.strerror or error}", file=sys.stderr)
        raise SystemExit(1 if error.errno in NO_ROOM else 2) from None


def text(path, what):
    write(path, lambda part: part.write_text(what, encoding="utf-8", newline="\n"))


def check(path):
    """Before long work: OSError where the file will not be writable. Changes nothing."""
    mode = _mode(path)
    if mode is None:
        with open(path, "ab", buffering=0) as out:
            out.write(b"")  # which fails on a device that is full
    elif not mode and not os.access(os.path.dirname(os.path.realpath(path)), os.W_OK | os.X_OK):
        folder = os.path.dirname(os.path.realpath(path))
        number = errno.EACCES if os.path.isdir(folder) else errno.ENOENT
        raise OSError(number, os.strerror(number))
