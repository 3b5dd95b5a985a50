// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about devices of ResourceSlices, below /apis/berth/v1alpha1 (docs/explain.md).

#include "api/explainer.h"
#include "report/device_answers.h"

#include <functional>
#include <string>

namespace berth::api {

/// The loop only copies pointers to ResourceSlices and ResourceClaims; the sums are made where answers are written. No
/// watch is added for them: without a plugin that watches ResourceSlices, an answer says so.
/// Loop only but for add_to().
class Devices {
public:
    explicit Devices(Explainer::World world) : world_(std::move(world)) {}
    Devices(const Devices &) = delete;
    Devices &operator=(const Devices &) = delete;

    /// Before the server starts.
    void add_to(kube::Routes &routes, Explainer::Post work);

    static constexpr std::size_t usual_rows = 500, most_rows = 5000;

private:
    using Text = std::function<std::string(const report::DeviceObjects &, std::size_t most)>;
    void answer(const kube::ServedRequest &request, const kube::Answering &done, Text text);
    report::DeviceObjects objects() const;

    Explainer::World world_;
    Explainer::Post work_;
};

}  // namespace berth::api
