// SPDX-License-Identifier: Apache-2.0
// One library per case of a plugin that asks for the pending pods at the wrong time, or wrongly.
#include "case_name.h"

#include <berth/plugin.hpp>

#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr std::uint32_t waiting = BERTH_PENDING_ANY;

/// Lets the first pod wait and all others in.
class Strict {
    const berth::Host &host_;
    const berth_host_pending_pods *table_;
    std::string first_;  ///< the uid of the pod that waits

    /// Whether it was let.
    bool count(std::uint32_t places = waiting) const {
        try {
            return host_.count_pending(places).has_value();
        } catch (const std::exception &) {  // it was told
            return false;
        }
    }
    template <class Fn>
    void visit(Fn fn) const {
        try {
            host_.each_pending(waiting, fn);
        } catch (const std::exception &) {  // it was told
        }
    }
    static berth::Verdict missing(std::string_view what) { return berth::error(std::string(what)); }

    berth::Verdict look() const {
        std::uint64_t n = 0;
        visit([&](berth::PendingPod p) { n += p.pod().name() == "p0" && p.rejected_by("Tea") && p.group().empty(); });
        if (!host_.pending_version() || host_.pending_version() != host_.pending_version())
            return missing("the version changes");
        return n == 1 && host_.count_pending(waiting) == 1 ? berth::Verdict(berth::ok) : missing("p0 does not wait");
    }

public:
    explicit Strict(const berth::Host &host)
        : host_(host),
          table_(static_cast<const berth_host_pending_pods *>(
              host.raw()->get_service(host.raw(), berth::to_str(BERTH_HOST_PENDING_PODS_DRAFT1)))) {
        if (is("pending_at_create")) count();
    }
    ~Strict() {
        if (is("pending_at_destroy")) count();
    }
    Strict(const Strict &) = delete;
    Strict &operator=(const Strict &) = delete;

    berth::Verdict pre_enqueue(berth::Pod) const {
        if (is("pending_in_pre_enqueue")) count();
        return berth::ok;
    }
    berth::Verdict pre_filter(berth::Call call, berth::State, berth::Pod pod, berth::Nodes) {
        if (first_.empty()) first_ = pod.uid();
        if (pod.uid() == first_) return berth::unschedulable("it is the first");
        if (is("pending_sound")) return look();
        if (is("pending_places")) count(32);
        if (is("pending_without_number")) table_->count(host_.raw(), waiting, nullptr);
        if (is("pending_without_function")) table_->visit(host_.raw(), waiting, nullptr, nullptr);
        if (is("pending_without_version")) table_->version(host_.raw(), nullptr);
        if (is("pending_on_other_thread")) {
            bool let = false;
            std::thread([&] { let = count(); }).join();
            if (let) return missing("it was counted on another thread");
        }
        if (is("pending_activates")) visit([&](berth::PendingPod p) { host_.activate(p.pod().uid()); });
        std::string_view name, plugin;
        visit([&](berth::PendingPod p) {
            name = p.pod().name();
            if (!p.plugins().empty()) plugin = berth::view(p.plugins()[0]);
        });
        if (is("pending_keeps_pod")) call.reason(name);
        if (is("pending_keeps_plugin")) call.reason(plugin);
        return berth::ok;
    }
    berth::Verdict filter(berth::Pod, berth::Node) const {
        if (is("pending_in_filter")) count();
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
