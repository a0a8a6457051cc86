# SPDX-License-Identifier: Apache-2.0
"""Finds and opens libwarpref, once, through cffi: no compiler is needed.

The library is $WARPREF_LIBRARY, else the nearest folder above this module that has it in lib/ (an
installed one) or in build/release/lib/ (a built tree). It must be of the module's own version: the
structures that are shared with it are those of that version.
"""

import functools
import os
from pathlib import Path

from .errors import LibraryError
from .gen.library import CDEF, VERSION

NAMES = ("libwarpref.so", f"libwarpref.so.{VERSION.split('.')[0]}")
HERE = Path(__file__).resolve().parent


def find():
    """Path of the library."""
    given = os.environ.get("WARPREF_LIBRARY")
    if given:
        if not Path(given).is_file():
            raise LibraryError(f"WARPREF_LIBRARY={given}: there is no such file")
        return Path(given).resolve()
    looked = [above / place for above in HERE.parents for place in ("lib", "build/release/lib")]
    for folder in looked:
        for name in NAMES:
            if (folder / name).is_file():
                return folder / name
    raise LibraryError(f"{NAMES[0]} is not found in {looked[2]}, {looked[3]} or folders above: build it "
                       "(cmake --build --preset release --target warpref_library), or set WARPREF_LIBRARY to its path")


@functools.cache
def library():
    """(ffi, lib) of the library."""
    try:
        import cffi
    except ImportError as error:
        raise LibraryError("Python has no cffi: install the package python3-cffi and use /usr/bin/python3") from error
    path, ffi = find(), cffi.FFI()
    ffi.cdef(CDEF)
    try:
        lib = ffi.dlopen(str(path))
    except OSError as error:
        raise LibraryError(f"{path}: cannot be loaded: {error}") from error
    try:
        version = ffi.string(lib.wr_version()).decode()
    except AttributeError:
        raise LibraryError(f"{path}: has no wr_version, so it is no library of warpref {VERSION}: build or install "
                           "that one, or set WARPREF_LIBRARY to it") from None
    if version != VERSION:
        raise LibraryError(f"{path}: is of warpref {version}, this module of {VERSION}: use both of one version, or set "
                           "WARPREF_LIBRARY to the right one")
    return ffi, lib
