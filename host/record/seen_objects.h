// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of a recording so far, the bases of encoded differences. The writer and the reader both keep them: an
/// object is encoded as the difference from its previous version or from a similar object.

#include "model/any_object.h"
#include "model/keyed_hash.h"

#include <memory>
#include <string>
#include <string_view>

namespace berth::record {

using ObjectPtr = std::shared_ptr<const model::Object>;

/// Of one kind.
class SeenObjects {
    static constexpr std::size_t most_alike = 256;
    model::KeyedTable<ObjectPtr> all_;  ///< by uid
    model::KeyedTable<model::TreePtr> alike_;

    static std::string_view owner(model::Value tree) {
        return tree["metadata"]["ownerReferences"].at(0)["uid"].string();
    }

public:
    /// Its last version; null if there is none.
    ObjectPtr find(std::string_view uid) const {
        const auto at = all_.find(uid);
        return at == all_.end() ? nullptr : at->second;
    }
    /// The tree that a new one is compared with: the last of the same owner. Null: there is none.
    model::TreePtr like(std::string_view owner) const {
        const auto at = alike_.find(owner);
        return at == alike_.end() ? nullptr : at->second;
    }
    static std::string_view owner_of(const model::TreePtr &tree) {
        return tree ? owner(tree->value()) : std::string_view{};
    }

    void added(std::string_view uid, const ObjectPtr &object) {
        if (alike_.size() >= most_alike) alike_.clear();
        alike_[std::string(owner_of(object->tree))] = object->tree;
        all_.insert_or_assign(std::string(uid), object);
    }
    void updated(std::string_view before, std::string_view uid, const ObjectPtr &object) {
        if (const auto at = all_.find(uid); before == uid && at != all_.end()) at->second = object;
        else {
            if (before != uid) deleted(before);
            all_.insert_or_assign(std::string(uid), object);
        }
    }
    void deleted(std::string_view uid) {
        if (const auto at = all_.find(uid); at != all_.end()) all_.erase(at);
    }
    void clear() { *this = {}; }
};

}  // namespace berth::record
