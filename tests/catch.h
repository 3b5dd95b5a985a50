// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The one way to include Catch2: the tests keep to what its versions 2 and 3 share.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
