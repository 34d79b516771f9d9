# SPDX-License-Identifier: Apache-2.0
"""What the commands raise for people to read."""


class CommandError(Exception):
    """The work cannot be done; the message says why and what to do. Exit code 1."""


class UsageError(Exception):
    """The command line makes no sense. Exit code 2."""
