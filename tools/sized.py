# SPDX-License-Identifier: Apache-2.0
"""Files of a user's that are read whole are bounded, since one with holes has any size at no cost."""
import os

MOST_MIB = 64


def too_long(path):
    """What is wrong with the size of a file that is there, in words behind its name; None: nothing."""
    size = os.stat(path).st_size
    return f"{size} bytes, where {MOST_MIB} MiB are the most that is read of one file" if size > MOST_MIB << 20 else None
