# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a file of results: it is named and left out, and the page is made of the others."""


class Damaged(Exception):
    """A message for the user, behind the name of the file."""


def regular(path):
    """Refuses what is there and no regular file: reading a FIFO or a device may never end."""
    if path.exists() and not path.is_file():
        raise Damaged("is no regular file; it is not read")
