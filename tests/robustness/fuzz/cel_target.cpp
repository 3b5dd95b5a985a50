// SPDX-License-Identifier: Apache-2.0
// An expression, as a selector of a device; what comes of it has a bounded cost and, if it failed, a text.
#include "target.h"

#include <cel/selector.h>

namespace berth::fuzz {

void cel(std::string_view bytes) {
    namespace selectors = kubernetes::cel;
    static const selectors::Input device{{"gpu.example.com",
                                          {{"model", std::string{"A100"}},
                                           {"count", std::int64_t{4}},
                                           {"ecc", true},
                                           {"v", selectors::VersionText{"1.2.3"}}},
                                          {{"memory", "80Gi"}, {"other.example.com/slots", "1.5"}},
                                          false}};
    const auto compiled = selectors::compile(bytes);
    promise((compiled.program == nullptr) == !compiled.error.empty(), "a refusal says why");
    if (!compiled.program) return;
    const auto result = selectors::evaluate(*compiled.program, device);
    const auto again = selectors::evaluate(*compiled.program, device);
    promise(result.matches == again.matches && result.error == again.error && result.cost == again.cost,
            "an evaluation changes nothing");
}

}  // namespace berth::fuzz
