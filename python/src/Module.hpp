// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bindings of every class of kp._kp.
#include "arrays/Array.hpp"
#include "arrays/Texts.hpp"
#include "base/Errors.hpp"
#include "base/Package.hpp"
#include "base/Process.hpp"
#include "base/Pybind.hpp"
#include "base/Signatures.hpp"
#include "core/Classes.hpp"
#include "group/GroupPrimitives.hpp"
#include "group/Groups.hpp"
#include "launch/Launcher.hpp"
#include "primitives/Primitives.hpp"
#include "program/Programs.hpp"
#include "shader/Shader.hpp"
#include "shader/ShaderLibrary.hpp"
#include "sparse/Csr.hpp"
#include "sparse/LinearMap.hpp"
#include "sparse/Solvers.hpp"
#include "tune/Tuning.hpp"
