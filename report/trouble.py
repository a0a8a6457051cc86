# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a file of results: it is named and left out, and the page is made of the others."""


class Damaged(Exception):
    """A message for the user, behind the name of the file."""
