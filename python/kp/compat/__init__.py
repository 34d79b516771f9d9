# SPDX-License-Identifier: Apache-2.0
"""Names for programs of other projects, built on the package's own. Imported last.

- `early` and `early_sequences`: the API of Kompute's releases before 0.7.
- `hysop`: HySoP's names of launchers, which are in kp.launcher.
- `pyshader`: the decorator and the types of pyshader, which are in kp.pyshader.
- `vkdispatch`: vkdispatch's functions that create buffers.
"""
