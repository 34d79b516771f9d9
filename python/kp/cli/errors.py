# SPDX-License-Identifier: Apache-2.0
"""Errors of commands. Their messages are shown to the user as they are."""


class CommandError(Exception):
    """The command failed. The message says why and what to do. Exit code 1."""


class UsageError(Exception):
    """The command line is not valid. Exit code 2."""
