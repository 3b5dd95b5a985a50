// SPDX-License-Identifier: Apache-2.0
#include "env/extender.h"

namespace berth::env {

bool Extender::interested(const model::Object &pod) const {
    const auto &managed = traits_.managed_resources;
    if (managed.empty()) return true;
    auto spec = pod.tree ? pod.tree->value()["spec"] : model::Value{};
    for (const auto *kind : {"containers", "initContainers"}) {
        auto containers = spec[kind];
        for (std::size_t i = 0; i < containers.size(); ++i)
            for (const auto *amounts : {"requests", "limits"}) {
                auto list = containers.at(i)["resources"][amounts];
                for (std::size_t k = 0; k < list.size(); ++k)
                    if (managed.contains(list.key(k))) return true;
            }
    }
    return false;
}

}  // namespace berth::env
