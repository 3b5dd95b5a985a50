// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The what-if API: it simulates the cluster with another configuration, or with more or fewer nodes. Each simulation
/// is a `berth simulate` in a process of its own; under /apis/berth/v1alpha1 (docs/explain.md).

#include "api/added_nodes.h"
#include "api/present_cluster.h"
#include "config/configuration.h"
#include "config/feature_gates.h"
#include "env/nameless_file.h"
#include "kube/served.h"
#include "plugin/sources.h"
#include "report/simulation_summary.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace berth::api {

/// On the server's thread, except that a request is validated and simulated on a thread of its own: other requests do
/// not wait for it.
class WhatIf {
public:
    /// What is simulated. Any thread may have one.
    struct Subject {
        std::shared_ptr<const config::Configuration> configuration;  ///< as it is
        config::GateFlags gates;  ///< beside those of a scenario in the files, which are read with them
        FindNode node;
        std::vector<std::string> inputs, added;  ///< files, of a cluster given as such; and of nodes besides
        std::vector<std::string> removed;        ///< names of nodes of these that are gone
        std::shared_ptr<const report::SimulationSummary> before;  ///< of these, with the configuration as it is
        std::shared_ptr<const PresentCluster> cluster;            ///< or a live one, with which both are simulated
    };
    /// Gives the subject to `then`, from any thread, or says why there is none; once.
    using Take = std::function<void(std::function<void(Subject)> then, const kube::Answering &refused)>;
    struct World {
        plugin::PluginOptions plugins;
        std::uint64_t seed;
        bool live;
        Take take;
        bool skip_unknown = false;  ///< files of a cluster are read as they were the first time
    };
    static constexpr std::size_t most_differences = 2000;

    explicit WhatIf(World world) : world_(std::move(world)) {}
    ~WhatIf();  ///< ends what runs; after the server has stopped
    WhatIf(const WhatIf &) = delete;
    WhatIf &operator=(const WhatIf &) = delete;

    /// Before the server starts; `post` runs a function on its thread.
    void add_to(kube::Routes &routes, std::function<void(std::function<void()>)> post);

private:
    /// A valid request.
    struct Wanted {
        std::string changes;  ///< as in the request
        std::string configuration, nodes;
        std::vector<std::string> removed;  ///< names of nodes
        std::string shown;                 ///< the configuration without its private keys
        Placing placing = Placing::Pending;
    };
    struct Run;
    struct Nodes;

    void ask(const kube::ServedRequest &request, const kube::Answering &done);
    void begin(Subject subject, std::string changes, kube::Answering done);
    std::variant<Wanted, std::vector<kube::Cause>> judged(const Subject &subject, const std::string &changes) const;
    std::string answer(const char *state, const std::string &changes,
                       const std::function<void(model::Arena &, model::ObjectBuilder &)> &more = nullptr) const;
    std::string simulated(const Subject &subject, const Wanted &wanted) const;
    Run simulate(const Subject &subject, const Nodes &nodes, const env::NamelessFile &config) const;

    World world_;
    std::function<void(std::function<void()>)> post_;
    std::thread thread_;
    std::atomic<bool> stop_ = false;
    bool running_ = false;  ///< from the question to the end of its simulation
    std::string answer_;    ///< the last; a request during a simulation gets only its description
};

}  // namespace berth::api
