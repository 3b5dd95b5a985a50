// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The simulated API server: a cluster's objects in memory, behind the interfaces of env/. A kubelet's part and that of
/// the controllers that scheduling waits for belong to it.
///
/// It stores what plugins write and notifies the observer of changes, as a watch would: bindings, deletions, and
/// updates, patches and creations of pods and of the kinds that plugins watch. A request that it does not simulate is
/// refused with a text that says so; it is never ignored. Reads are answered from the same objects. Loop only.

#include "sim/claim_controller.h"
#include "sim/store.h"
#include "sim/volume_controller.h"

namespace berth::sim {

class World : public env::Api {
    Store store_;
    VolumeController volumes_{store_};
    ClaimController claims_{store_};
    std::uint64_t bindings_ = 0;

public:
    /// `clock` outlives the world; answers are given through it, after the requesting call has returned.
    explicit World(env::Clock &clock) : store_(clock) {}

    /// Notifies `observer` of every object, then of every node, then of every pod, in the input's order; afterwards of
    /// every change.
    void start(const Input &input, env::Observer &observer);

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;

    /// The pod as the API server has it, or nullptr.
    model::PodPtr pod(const std::string &key) const { return store_.pod(key); }
    const std::unordered_map<std::string, model::PodPtr> &pods() const { return store_.pods(); }
    const Store &store() const { return store_; }
    Store &store() { return store_; }
    /// How many pods were given their node so far.
    std::uint64_t bindings() const { return bindings_; }

private:
    env::ApiAnswer serve(const env::ApiRequest &request);
    env::ApiAnswer bind(const env::ApiRequest &request);
};

}  // namespace berth::sim
