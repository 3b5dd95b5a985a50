// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The simulated API server: the objects of a cluster in memory, served through the interfaces of env/.
///
/// It stores what the scheduler writes (a Binding gives a pod its node, a patch changes its status, a pod that is
/// deleted goes when its grace period is over) and tells the observer what changed, as a watch would. A request that it
/// does not simulate is answered with 501 and a text that says so; it is never ignored. Loop only.

#include "env/api.h"
#include "env/clock.h"
#include "sim/input.h"

#include <string>
#include <unordered_map>

namespace berth::sim {

class World : public env::Api {
    env::Clock &clock_;
    env::Observer *observer_ = nullptr;
    std::unordered_map<std::string, model::PodPtr> pods_;  ///< by "namespace/name"
    std::uint64_t bindings_ = 0;

public:
    /// `clock` outlives the world; answers are given through it, after the call that asked has returned.
    explicit World(env::Clock &clock) : clock_(clock) {}

    /// Tells `observer` of every object, then of every node, then of every pod, in the input's order; afterwards of
    /// every change.
    void start(const Input &input, env::Observer &observer);

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;

    /// The pod as the API server has it, or nullptr.
    model::PodPtr pod(const std::string &key) const;
    const std::unordered_map<std::string, model::PodPtr> &pods() const { return pods_; }
    /// How many pods were given their node so far.
    std::uint64_t bindings() const { return bindings_; }

private:
    env::ApiAnswer answer(const env::ApiRequest &request);
    env::ApiAnswer bind(const env::ApiRequest &request);
    env::ApiAnswer patch_status(const env::ApiRequest &request);
    env::ApiAnswer remove(const env::ApiRequest &request);
    void replace(const model::PodPtr &before, const model::PodPtr &after);
    void gone(const std::string &key, std::string_view uid);
};

}  // namespace berth::sim
