// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpCopy.hpp> // Kompute 0.9.0's name
