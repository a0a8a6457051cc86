#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/replace.py by itself: what stays, what is replaced, what ends the program."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import replace

wrong = []


def check(what, holds):
    print(f"{'ok   ' if holds else 'FAIL '} {what}")
    wrong.extend([] if holds else [what])


def ends(path, by):
    """Exit status and message of a file that cannot be written."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            replace.write(path, by)
        except SystemExit as end:
            return end.code, said.getvalue()
    return 0, said.getvalue()


def half(part):
    part.write_text("half")
    raise OSError(28, os.strerror(28))


def main(folder):
    old = folder / "old"
    old.write_text("before")
    old.chmod(0o640)
    (folder / "link").symlink_to("old")
    (folder / "new").symlink_to("not/yet")
    (folder / "loop").symlink_to("loop")
    check("no room", ends(folder / "link", half) == (1, f"warpref: {folder}/link: cannot be written: No space left on device\n"))
    check("the older file stays, and nothing else", (old.read_text(), sorted(p.name for p in folder.iterdir()))
          == ("before", ["link", "loop", "new", "old"]))
    with contextlib.suppress(KeyboardInterrupt), replace.beside(old) as part:
        part.write_text("half")
        raise KeyboardInterrupt
    check("an interrupt", old.read_text() == "before" and len(list(folder.iterdir())) == 4)
    before = old.stat().st_ino
    with replace.beside(folder / "link") as part:
        part.write_text("now")
        check("while it grows", (part.parent, old.read_text()) == (folder, "before"))
    check("the link stays, its target is another file of the same mode", (folder / "link").is_symlink() and
          (old.read_text(), old.stat().st_mode & 0o777, old.stat().st_ino == before) == ("now", 0o640, False))
    check("a link to what is not there", ends(folder / "new", half)[0] == 2)
    (folder / "not").mkdir()
    replace.text(folder / "new", "made")
    check("a link to a new file", (folder / "not/yet").read_text() == "made" and (folder / "new").is_symlink())
    check("a link to itself", ends(folder / "loop", half)[0] == 2)
    check("a folder", ends(folder, half)[0] in (1, 2) and folder.is_dir())
    check("no folder", ends(folder / "none/x", half) == (2, f"warpref: {folder}/none/x: cannot be written: No such file or directory\n"))
    check("a full device", ends("/dev/full", lambda part: part.write_text("x")) ==
          (1, "warpref: /dev/full: cannot be written: No space left on device\n"))
    replace.text("/dev/null", "gone")
    check("a device stays", pathlib.Path("/dev/null").is_char_device())
    for path, fails in ((old, False), (folder / "next", False), (folder / "none/x", True), ("/dev/full", True), ("/dev/null", False)):
        try:
            replace.check(path)
            failed = False
        except OSError:
            failed = True
        check(f"check {path}", failed == fails)
    check("checks make no file", old.read_text() == "now" and not (folder / "next").exists())
    saved = os.dup(1)
    with open(old, "a", encoding="utf-8") as out:
        sys.stdout.flush()
        os.dup2(out.fileno(), 1)
        inode = old.stat().st_ino
        replace.text(old, "both")
        os.dup2(saved, 1)
    check("standard output's file is written in place", (old.stat().st_ino, old.read_text()) == (inode, "both"))
    print(f"{len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(pathlib.Path(scratch).resolve()))
