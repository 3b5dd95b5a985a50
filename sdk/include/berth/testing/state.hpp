// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The CycleState of a pod in a test.

#include <berth/service/services.h>

#include <cstdint>
#include <map>

namespace berth::testing {

/// What a plugin keeps for a pod from PreFilter on.
class State {
    struct Datum {
        void *data;
        const berth_plugin_state_type *type;
    };
    std::map<std::uint32_t, Datum> data_;

public:
    State() = default;
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    ~State() {
        for (const auto &[key, datum] : data_) destroy(datum);
    }
    void put(std::uint32_t key, void *data, const berth_plugin_state_type *type) {
        if (auto old = data_.find(key); old != data_.end()) destroy(old->second);
        data_[key] = {data, type};
    }
    void *get(std::uint32_t key) const {
        auto found = data_.find(key);
        return found == data_.end() ? nullptr : found->second.data;
    }
    berth_state *handle() { return reinterpret_cast<berth_state *>(this); }
    static State &of(berth_state *s) { return *reinterpret_cast<State *>(s); }
    static const State &of(const berth_state *s) { return *reinterpret_cast<const State *>(s); }

private:
    static void destroy(const Datum &datum) {
        if (datum.data && datum.type && datum.type->destroy) datum.type->destroy(datum.type, datum.data);
    }
};

}  // namespace berth::testing
