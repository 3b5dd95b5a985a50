// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The values that one plugin instance has prepared from objects (berth.prepare/1), by version.

#include "model/pod.h"

#include <berth/berth.h>

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::plugin {

/// Loop only.
class PreparedObjects {
    struct Entry {
        std::weak_ptr<const model::Tree> version;  ///< copies of a pod share it
        void *data;
        std::size_t bytes;  ///< of the version: what is prepared of a larger one is larger
    };
    const berth_plugin_prepare *table_ = nullptr;
    void *self_ = nullptr;
    std::unordered_map<const model::Tree *, Entry> entries_;
    std::size_t sweep_at_ = 0;                    ///< entries
    std::size_t bytes_ = 0, sweep_at_bytes_ = 0;  ///< of the versions of entries, gone ones too

    std::vector<std::string> texts_;
    std::vector<berth_str> views_;

    void fail(std::vector<std::string> texts);
    void drop(void *data);
    void sweep();

public:
    /// The instance has been made; NULL if it prepares nothing.
    void begin(const berth_plugin_prepare *table, void *self);
    std::int32_t get(const model::Object &object, void **out);
    /// Why the last `get` failed. Lives until the next one.
    std::span<const berth_str> texts() const { return views_; }
    void failed(std::string text) { fail({std::move(text)}); }
    /// Drops everything. Before the instance ends.
    void end();
    std::size_t size() const { return entries_.size(); }
};

}  // namespace berth::plugin
