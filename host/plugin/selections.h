// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of which some objects only are seen, and which ones.

#include "model/any_object.h"

#include <berth/detail/selection.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin {

/// A kind that it does not have is seen as a whole.
class Selections {
    struct Watched {
        model::Kind kind;
        std::string event_resource;  ///< the kind as events name it, without the version if it is Kubernetes' own
        std::string api_version;
        std::vector<detail::Selection> any;
        bool whole = false;  ///< all objects are seen, whatever was added
    };
    std::vector<Watched> kinds_;

    Watched &entry(const model::Kind &kind);

public:
    /// What is added for one kind adds up.
    void add(const model::Kind &kind, detail::Selection selection);
    /// All objects of the kind are seen, whatever was added.
    void see_all(const model::Kind &kind);
    void clear() { kinds_.clear(); }

    /// Whether only some objects are seen of a kind that events name so.
    bool restrict(std::string_view event_resource) const;
    /// What of the kind is seen; nullptr: all of it.
    const std::vector<detail::Selection> *of(const model::Kind &kind) const;
    /// Drops what is not seen of the versions of an object before and after its change.
    void reduce(const model::Kind &kind, model::AnyPtr &before, model::AnyPtr &after) const;
    /// The same of an event, which has one of them. What is seen of a kind in one version is seen of it in every other
    /// that was not added. Whether the event is about a kind of which only some objects are seen.
    bool reduce(std::string_view event_resource, model::AnyPtr &before, model::AnyPtr &after) const;
};

/// Does one of them have the object?
bool is_selected(const std::vector<detail::Selection> &any, const model::AnyObject &object);

}  // namespace berth::plugin
