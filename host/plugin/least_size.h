// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The least size of an ABI struct, by its last field of minor version 0.

#include <cstddef>
#include <cstdint>

/// Where a field of a struct ends. Fields are only ever appended, so the end of the last field of minor 0 is the least
/// size of the struct for ever.
#define BERTH_END_OF(type, field) static_cast<std::uint32_t>(offsetof(type, field) + sizeof(type::field))
