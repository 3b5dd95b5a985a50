// SPDX-License-Identifier: Apache-2.0
// Compiled once for each target, whose name is BERTH_FUZZ_TARGET.
#include "target.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    berth::fuzz::BERTH_FUZZ_TARGET({reinterpret_cast<const char *>(data), size});
    return 0;
}
