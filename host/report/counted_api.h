// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An interceptor of API writes that counts the pods which plugins evict.

#include "env/api.h"

#include <functional>
#include <utility>

namespace berth::report {

/// The API that plugins write through; counts the pods that they delete.
class CountedApi : public env::Api {
    env::Api *api_ = nullptr;
    std::function<void()> pod_evicted_;

public:
    /// `pod_evicted` is called for each.
    explicit CountedApi(std::function<void()> pod_evicted) : pod_evicted_(std::move(pod_evicted)) {}
    /// Before the first send().
    void forward_to(env::Api &api) { api_ = &api; }
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> on_answer) override {
        if (request.verb == env::Verb::Delete && request.resource == "pods") pod_evicted_();
        api_->send(std::move(request), std::move(on_answer));
    }
};

}  // namespace berth::report
