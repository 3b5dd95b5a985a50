// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The case of a library that breaks the ABI: its source is compiled once for all of its cases.

#include <string_view>

extern "C" const char case_name[];  ///< case_name.c, which is compiled for each library

inline bool is(std::string_view name) { return name == case_name; }
