// SPDX-License-Identifier: Apache-2.0
// One library per case of a plugin that asks at the wrong time, or wrongly, to be told of a cancellation.
#include "case_name.h"

#include <berth/berth.h>
#include <berth/plugin.hpp>

#include <thread>

namespace {

class Strict {
    const berth::Host &host_;
    const berth_call *earlier_ = nullptr;

    void ask(const berth_call *call) const {
        if (host_.after_cancellation(berth::Call{call, &host_}, [] {})) throw std::logic_error("it was taken");
    }

public:
    explicit Strict(const berth::Host &host) : host_(host) {}

    berth::Preflight preflight(berth::Call call, berth::State, berth::Pod, std::string_view) const {
        if (is("cancellation_in_preflight")) ask(call.raw());
        return {berth::ok};
    }
    berth::Verdict pre_bind(berth::Call call, berth::State, berth::Pod, std::string_view, berth::Done done) {
        const auto *raw = host_.raw();
        if (is("cancellation_without_function"))
            static_cast<const berth_host_cancellation *>(
                raw->get_service(raw, berth::to_str(BERTH_HOST_CANCELLATION_DRAFT1)))
                ->after(raw, call.raw(), nullptr, nullptr);
        const berth_call own{};
        if (is("cancellation_of_own_call")) ask(&own);
        if (is("cancellation_of_earlier_call") && earlier_) ask(earlier_);
        if (is("cancellation_on_other_thread")) std::thread([&] { ask(call.raw()); }).join();
        earlier_ = call.raw();
        if (is("cancellation_never_ends")) host_.after_cancellation(call, [] {});
        else done(berth::ok);
        return berth::in_progress();
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
