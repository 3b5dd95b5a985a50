// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A LIST of an API server without a cluster: selection, pages, the object with `items`. Not for plugin authors.

#include <berth/detail/selectors.hpp>
#include <berth/value.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace berth::detail {

/// One object, by the names that its metadata has.
struct Listed {
    std::string_view name_space, name;
    Value object;
    std::string key() const { return std::string(name_space) + "/" + std::string(name); }
};

/// What a LIST asks for.
struct ListQuery {
    std::string_view name_space;  ///< "" for all
    std::string_view label_selector{}, field_selector{};
    std::string_view after{};  ///< `metadata.continue` of the page before
    std::uint64_t limit = 0;   ///< 0: all
};

/// The answer. The objects outlive it.
class Listing {
    std::string refusal_;
    std::deque<std::string> texts_;
    std::vector<berth_value> items_;
    std::vector<berth_kv> metadata_, members_;
    berth_value root_{};

    berth_value text(std::string s) {
        const auto &kept = texts_.emplace_back(std::move(s));
        return {BERTH_VALUE_STRING, 0, {static_cast<std::int64_t>(kept.size())}, {kept.data()}};
    }
    static berth_value object(const std::vector<berth_kv> &members) {
        berth_value out{BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(members.size())}, {}};
        out.ptr.members = members.data();
        return out;
    }
    void finish(std::string_view api_version, std::string_view kind, std::string_view version) {
        metadata_.push_back({to_str("resourceVersion"), text(std::string(version))});
        berth_value items{BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(items_.size())}, {}};
        items.ptr.items = items_.data();
        members_.push_back({to_str("kind"), text(std::string(kind) + "List")});
        members_.push_back({to_str("apiVersion"), text(std::string(api_version))});
        members_.push_back({to_str("metadata"), object(metadata_)});
        members_.push_back({to_str("items"), items});
        root_ = object(members_);
    }
    /// The fields that every kind has; an API server knows more of some kinds.
    bool has_fields(const Selectors &selectors) {
        for (const auto &one : selectors.fields())
            if (one.key != "metadata.name" && one.key != "metadata.namespace") {
                refusal_ = "field label not supported: " + one.key +
                           "; without a cluster there are metadata.name and metadata.namespace";
                return false;
            }
        return true;
    }

public:
    /// Of the kind with that name; `objects` in any order.
    Listing(std::string_view api_version, std::string_view kind, std::string_view version, std::vector<Listed> objects,
            const ListQuery &query) {
        const auto selectors = Selectors::read(query.label_selector, query.field_selector, refusal_);
        if (!selectors || !has_fields(*selectors)) return;
        std::erase_if(objects, [&](const Listed &one) {
            return (!query.name_space.empty() && one.name_space != query.name_space) ||
                   (!query.after.empty() && one.key() <= query.after) ||
                   !selectors->select(one.name_space, one.name, one.object);
        });
        std::sort(objects.begin(), objects.end(), [](const Listed &a, const Listed &b) { return a.key() < b.key(); });
        const auto n = query.limit == 0
                           ? objects.size()
                           : static_cast<std::size_t>(std::min<std::uint64_t>(query.limit, objects.size()));
        for (std::size_t i = 0; i < n; ++i) items_.push_back(*objects[i].object.raw());
        if (n < objects.size()) {
            metadata_.push_back({to_str("continue"), text(objects[n - 1].key())});
            const berth_value rest{BERTH_VALUE_INT, 0, {static_cast<std::int64_t>(objects.size() - n)}, {}};
            if (query.label_selector.empty() && query.field_selector.empty())
                metadata_.push_back({to_str("remainingItemCount"), rest});
        }
        finish(api_version, kind, version);
    }
    Listing(const Listing &) = delete;
    Listing &operator=(const Listing &) = delete;

    /// Why a server answers 400, or "".
    const std::string &refusal() const { return refusal_; }
    /// If it is not refused; lives as long as this and the objects.
    Value value() const { return Value{&root_}; }
};

}  // namespace berth::detail
