# SPDX-License-Identifier: Apache-2.0
"""What ends a study, or a part of one: a message that says what to do, and the exit status."""


class Trouble(Exception):
    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status
