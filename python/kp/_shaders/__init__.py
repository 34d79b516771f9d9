# SPDX-License-Identifier: Apache-2.0
"""Shaders in Python: reflection, constants by name, layouts of structs, and Slang's library."""
