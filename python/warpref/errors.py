# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, each with a text that says what is wrong and what there is instead."""


class Error(Exception):
    """A block, parameter, pin or value that is not there, or a wrong use."""


class PinError(Error, AttributeError):
    """A pin or register that is not there."""


class PlaceError(Error, IndexError):
    """An element that an array pin does not have."""


class LibraryError(Error):
    """The library is not found, or is of another version than this module."""


class RunError(Error):
    """A run of the program that did not end well: its command, exit status and last words."""

    def __init__(self, command, status, words):
        super().__init__(f"{words}\n(exit status {status} of: {command})")
        self.command, self.status, self.words = command, status, words
