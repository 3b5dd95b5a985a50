// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about the cluster, below /apis/berth/v1alpha1: nodes, waiting pods, memory (docs/explain.md).

#include "api/explainer.h"

#include <string>

namespace berth::api {

/// Loop only but for add_to().
class Overview {
public:
    explicit Overview(Explainer::World world) : world_(std::move(world)) {}
    Overview(const Overview &) = delete;
    Overview &operator=(const Overview &) = delete;

    /// Before the server starts.
    void add_to(kube::Routes &routes, Explainer::Post work);

    static constexpr std::size_t usual_waiting = 500, most_waiting = 5000, most_resources = 8;

private:
    void cluster(const kube::Answering &done);
    void node(const std::string &name, const kube::Answering &done);
    void waiting(std::size_t most, const kube::Answering &done);
    void memory(const kube::Answering &done);
    template <class T>
    void write(const kube::Answering &done, T what);

    Explainer::World world_;
    Explainer::Post work_;
};

}  // namespace berth::api
