// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The Lease of leader election and its JSON, as client-go's resourcelock writes it.

#include "model/result.h"
#include "model/value.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::kube {

/// The record in the Lease, by which schedulers know the leader.
struct LeaseRecord {
    std::string holder;  ///< empty: no leader
    std::int64_t duration_s = 0, transitions = 0;
    std::string acquire_time, renew_time;
    bool operator==(const LeaseRecord &) const = default;
};

struct LeaseName {
    std::string name_space, name;
    std::string text() const { return name_space + "/" + name; }
    std::string collection_path() const;
    std::string path() const;
};

struct Lease {
    LeaseRecord record;
    model::TreePtr object;  ///< all that the server sent
};

model::Result<Lease> read_lease(const std::string &json);

/// The whole object with `record` for its spec: `object` otherwise as it is, or, if that is null, a new one.
std::string lease_json(const LeaseName &name, const LeaseRecord &record, const model::TreePtr &object);

/// The core/v1 Event about the lease `object` that says `message`; `source` is the component that writes it.
std::string leader_event_json(const LeaseName &name, const model::TreePtr &object, std::string_view message,
                              std::string_view source, std::int64_t now_ns);

}  // namespace berth::kube
