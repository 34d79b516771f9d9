# SPDX-License-Identifier: Apache-2.0
"""Arrays on the devices of a group: how functions of arrays treat their rows."""
