// SPDX-License-Identifier: Apache-2.0
// One library per case about background work: case_name says what it does in its task, or to begin it.
#include "case_name.h"

#include <berth/plugin.hpp>

#include <thread>

namespace {

class Strict {
    const berth::Host &host_;
    berth::Kind services_;

    static berth::Verdict verdict(const berth::TaskResult<int> &result) {
        if (result.cancelled()) return berth::error("cancelled");
        if (!result) return berth::error(result.error());
        return *result == 42 ? berth::ok : berth::error("not 42");
    }
    int misuse(const berth_call *call) const {
        if (is("task_throws")) throw std::runtime_error("no tea");
        try {
            if (is("task_declares")) host_.column(BERTH_COLUMN_NODE_LABEL, "tea");
            if (is("task_sends")) host_.send(berth::Request{}, [](int, std::string_view) {});
        } catch (const std::exception &) {  // refused, as it should be
        }
        if (is("task_lists")) host_.each(services_, {}, [](berth::Object) {});
        if (is("task_uses_call")) berth::Call{call, &host_}.reason("tea");
        if (is("task_in_task")) host_.task([] {}, [](const berth::TaskResult<std::monostate> &) {});
        (void)host_.now_ns();
        return 42;
    }
    bool begin_other() const {
        return host_.task([] {}, [](const berth::TaskResult<std::monostate> &) {});
    }

public:
    explicit Strict(const berth::Host &host) : host_(host), services_(host.kind("", "v1", "services")) {
        if (is("task_in_create") && begin_other()) throw std::logic_error("a task at create");
    }
    void declare(berth::Declare declare) const { declare.watch("", "v1", "services"); }
    static constexpr const char *watches[] = {"v1/services"};

    berth::Verdict filter(berth::Pod, berth::Node) const {
        if (is("task_in_filter")) begin_other();
        if (is("task_on_other_thread")) std::thread([&] { begin_other(); }).join();
        return berth::ok;
    }
    berth::Verdict pre_bind(berth::Call call, berth::State, berth::Pod, std::string_view, berth::Done done) {
        const bool begun = host_.task([this, raw = call.raw()](berth::Cancel) { return misuse(raw); },
                                      [done](const berth::TaskResult<int> &result) { done(verdict(result)); });
        return begun ? berth::in_progress() : berth::error("no task");
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
