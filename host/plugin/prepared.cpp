// SPDX-License-Identifier: Apache-2.0
#include "plugin/prepared.h"

#include "model/tree_bytes.h"
#include "plugin/call.h"
#include "plugin/thrown.h"
#include "plugin/violations.h"

#include <algorithm>

namespace berth::plugin {
namespace {

/// Below that many, and so many bytes of their versions, it is not worth looking for what is gone, each of which keeps
/// a version's memory.
constexpr std::size_t least_sweep = 64, least_sweep_bytes = 1 << 20;

}  // namespace

void PreparedObjects::begin(const berth_plugin_prepare *table, void *self) {
    table_ = table;
    self_ = self;
    sweep_at_ = least_sweep;
    sweep_at_bytes_ = least_sweep_bytes;
}

void PreparedObjects::fail(std::vector<std::string> texts) {
    texts_ = std::move(texts);
    views_.clear();
    for (const auto &text : texts_) views_.push_back(model::to_str(text));
}

void PreparedObjects::drop(void *data) {
    if (!data) return;
    // An exception during destruction fails no call.
    if (auto what = thrown_by([&] { table_->drop(self_, data); }))
        count_violation("a plugin threw " + *what + " when it dropped what it had prepared of an object");
}

void PreparedObjects::sweep() {
    bytes_ = 0;
    for (auto at = entries_.begin(); at != entries_.end();) {
        if (!at->second.version.expired()) {
            bytes_ += at++->second.bytes;
            continue;
        }
        drop(at->second.data);
        at = entries_.erase(at);
    }
    // At most half of what is kept is of versions that are gone: half of the entries, and half of the bytes.
    sweep_at_ = std::max(least_sweep, entries_.size() * 2);
    sweep_at_bytes_ = std::max(least_sweep_bytes, bytes_ * 2);
}

std::int32_t PreparedObjects::get(const model::Object &object, void **out) {
    *out = nullptr;
    if (!texts_.empty()) fail({});
    if (!table_) return BERTH_STATUS_UNSUPPORTED;
    const auto *version = object.tree.get();
    auto at = entries_.find(version);
    if (at != entries_.end() && !at->second.version.expired()) {
        *out = at->second.data;
        return BERTH_STATUS_SUCCESS;
    }
    void *made = nullptr;
    StatusSlot status;
    table_->prepare(self_, model::handle(&object), &made, status.raw());
    if (const auto code = status.raw()->code; code != BERTH_STATUS_SUCCESS) {
        fail(status.texts());
        return code;
    }
    at = entries_.find(version);  // another version had that place in memory
    if (at != entries_.end()) {
        bytes_ -= at->second.bytes;
        drop(at->second.data);
        entries_.erase(at);
    }
    const auto bytes = object.tree ? model::bytes_of(*object.tree) : 0;
    if (entries_.size() >= sweep_at_ || bytes_ + bytes > sweep_at_bytes_) sweep();
    bytes_ += bytes;
    entries_.emplace(version, Entry{object.tree, made, bytes});
    *out = made;
    return BERTH_STATUS_SUCCESS;
}

void PreparedObjects::end() {
    for (auto &[version, entry] : entries_) drop(entry.data);
    entries_.clear();
    bytes_ = 0;
    table_ = nullptr;
}

}  // namespace berth::plugin
