// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answer about the shadow, under /apis/berth/v1alpha1/shadow (docs/shadow.md).

#include "api/explainer.h"
#include "report/shadow.h"

#include <functional>
#include <string>

namespace berth::api {

/// The state of the shadow, with at most this many differences; loop only. Empty: there is none.
using AskShadow = std::function<report::ShadowState(std::size_t most)>;

/// Loop only but for add_to().
class ShadowApi {
public:
    ShadowApi(Explainer::World world, AskShadow state) : world_(std::move(world)), state_(std::move(state)) {}
    ShadowApi(const ShadowApi &) = delete;
    ShadowApi &operator=(const ShadowApi &) = delete;

    /// Before the server starts.
    void add_to(kube::Routes &routes, Explainer::Post work);

    static constexpr std::size_t usual_differences = 20, most_differences = 100;

private:
    void counts(const kube::ServedRequest &request, const kube::Answering &done);
    void pod(const kube::ServedRequest &request, const kube::Answering &done);
    void explain_pod(const std::string &name_space, const std::string &name, std::size_t nodes,
                     const kube::Answering &done);

    Explainer::World world_;
    AskShadow state_;
    Explainer::Post work_;
};

}  // namespace berth::api
