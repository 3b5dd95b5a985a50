// SPDX-License-Identifier: Apache-2.0
#include "report/what_if.h"

#include "report/answer_values.h"

#include <string_view>

namespace berth::report {

using model::ArrayBuilder;
using model::ObjectBuilder;

void add_comparison(model::Arena &arena, ObjectBuilder &to, const SimulationSummary &before,
                    const SimulationSummary &after, std::size_t most) {
    const auto differing = differences(before, after);
    ArrayBuilder list(arena);
    for (const auto &[pod, nodes] : differing) {
        if (most-- == 0) break;
        const auto slash = pod.find('/');
        ObjectBuilder one(arena), ref(arena);
        ref.add("namespace", std::string_view{pod}.substr(0, slash))
            .add("name", std::string_view{pod}.substr(slash + 1));
        one.add("pod", ref);
        add_text(one, "before", nodes.first);
        add_text(one, "after", nodes.second);
        list.add(one.value());
    }
    to.add("before", summary_value(arena, before)).add("after", summary_value(arena, after));
    to.add("differing", differing.size()).add("differences", list);
}

}  // namespace berth::report
