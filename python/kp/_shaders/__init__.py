# SPDX-License-Identifier: Apache-2.0
"""What Python does about shaders: reflection, constants by name, layouts of structs, and Slang's library."""
