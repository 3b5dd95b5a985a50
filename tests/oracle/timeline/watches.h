// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the scheduler knows of the API server's objects: read and told as by the watches of `berth run`.

#include "kube/watch_events.h"
#include "pipe.h"
#include "plugin/profile.h"

#include <map>

namespace timeline_play {

/// Begins what lines call a pod group.
inline constexpr const char *group_entity = "podgroup/";

class Watches {
    struct One {
        berth::kube::Collection collection;
        std::map<std::string, berth::kube::ObjectPtr> known;  ///< by key
    };
    std::map<std::string, One> all_;  ///< by resource, of nodes and pods and what plugins watch
    struct Names {
        std::string pod, group;
    };
    std::map<std::string, Names> pods_;  ///< by UID

public:
    Watches(berth::env::Observer &observer, const std::vector<berth::plugin::Watched> &kinds,
            berth::model::Accounting accounting);
    /// A change of a kind that is not watched is passed over.
    void tell(const News &news);
    /// The key of a pod that was ever known.
    std::string pod(std::string_view uid) const;
    /// The key of that pod's group; "" if it has none.
    std::string group(std::string_view uid) const;
};

}  // namespace timeline_play
