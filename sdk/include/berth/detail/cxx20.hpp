// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The C++ standard that the headers need. Not for plugin authors.

#if __cplusplus < 202002L
#error "Berth's plugin headers need C++20: compile with -std=c++20"
#endif
