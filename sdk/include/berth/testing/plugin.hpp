// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin instance in a test, with its extension points as functions. It is made as a host makes it: from the
/// library, by the arguments in YAML, which its default_args has seen.

#include <berth/args.hpp>
#include <berth/testing/services.hpp>

#include <dlfcn.h>

namespace berth::testing {

class Plugin {
    /// A call that may be answered later.
    const berth_plugin &plugin_;
    void *self_ = nullptr;
    std::map<std::string, std::unique_ptr<State>, std::less<>> states_;
    std::vector<std::shared_ptr<LateSlot>> kept_;
    std::vector<std::unique_ptr<Cluster>> hinted_;  ///< of the objects in hints
    std::uint64_t cycles_ = 0;

public:
    Cluster &cluster;
    Host host;

    /// The library's plugin of that name, or its only one for "". Throws what is wrong with the arguments.
    Plugin(Cluster &c, const berth_library &library, std::string_view name = {}, std::string_view args_yaml = "{}")
        : plugin_(find(library, name)), cluster(c), host(c) {
        create(args_yaml);
    }
    /// The same of a library's file.
    Plugin(Cluster &c, const char *file, std::string_view name = {}, std::string_view args_yaml = "{}")
        : Plugin(c, open(file), name, args_yaml) {}
    ~Plugin() {
        host.end();
        states_.clear();
        host.drop_prepared();
        if (self_) plugin_.destroy(self_);
    }
    Plugin(const Plugin &) = delete;
    Plugin &operator=(const Plugin &) = delete;

    static const berth_library &open(const char *file) {
        void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!handle) throw std::runtime_error(dlerror());
        auto entry = reinterpret_cast<berth_entry_fn>(dlsym(handle, BERTH_ENTRY_SYMBOL));
        if (!entry) throw std::runtime_error(std::string(file) + " exports no " BERTH_ENTRY_SYMBOL);
        return *entry();
    }

    std::string_view name() const { return view(plugin_.name); }
    bool has(std::string_view id) const { return plugin_.get_interface(to_str(id)) != nullptr; }
    /// The table of an interface, for calls that this class does not have.
    template <class Table>
    const Table &table(std::string_view id) const {
        const auto *found = static_cast<const Table *>(plugin_.get_interface(to_str(id)));
        if (!found) throw std::runtime_error("the plugin has no " + std::string(id));
        return *found;
    }
    void *self() const { return self_; }

    Answer pre_enqueue(std::string_view pod) {
        const ChangesQueue changing(host);
        const berth_pod queued = host.queued_pod(pod);
        return answered("", [&](auto &call, auto *status) {
            table<berth_plugin_pre_enqueue>(BERTH_PLUGIN_PRE_ENQUEUE_V1)
                .pre_enqueue(self_, call.raw(), &queued, status);
        });
    }
    /// With the times and attempts that `host.pending` has of them.
    bool less(std::string_view a, std::string_view b) {
        const ChangesQueue changing(host);
        const berth_pod first = host.queued_pod(a), second = host.queued_pod(b);
        return table<berth_plugin_queue_sort>(BERTH_PLUGIN_QUEUE_SORT_V1).less(self_, &first, &second) > 0;
    }
    /// Begins the pod's state anew.
    Answer pre_filter(std::string_view pod) {
        states_.erase(std::string(pod));
        Narrowed narrowed{cluster.nodes()};
        auto out = answered(pod, [&](auto &call, auto *status) {
            table<berth_plugin_pre_filter>(BERTH_PLUGIN_PRE_FILTER_V1)
                .pre_filter(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), narrowed.handle(),
                            status);
        });
        out.nodes = std::move(narrowed.nodes);
        return out;
    }
    /// `other` is on the node now, or was taken from it: the cluster shows that already.
    Answer add_pod(std::string_view pod, std::string_view other, std::string_view node) {
        return answered(pod, [&](auto &call, auto *status) {
            table<berth_plugin_pre_filter_ext>(BERTH_PLUGIN_PRE_FILTER_EXT_V1)
                .add_pod(self_, call.raw(), state(pod), cluster.pod(pod), cluster.pod(other), cluster.nodes(),
                         cluster.slot(node), status);
        });
    }
    Answer remove_pod(std::string_view pod, std::string_view other, std::string_view node) {
        return answered(pod, [&](auto &call, auto *status) {
            table<berth_plugin_pre_filter_ext>(BERTH_PLUGIN_PRE_FILTER_EXT_V1)
                .remove_pod(self_, call.raw(), state(pod), cluster.pod(pod), cluster.pod(other), cluster.nodes(),
                            cluster.slot(node), status);
        });
    }
    Answer filter(std::string_view pod, std::string_view node) {
        const Tries tries(host, pod);
        CallSlot call(++cycles_);
        const std::uint32_t slot = cluster.slot(node);
        std::int32_t code = BERTH_STATUS_NOT_EVALUATED;
        std::uint32_t reasons = BERTH_NO_REASONS;
        table<berth_plugin_filter>(BERTH_PLUGIN_FILTER_V1)
            .filter(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), &slot, 1, &code, &reasons);
        if (code == BERTH_STATUS_NOT_EVALUATED) throw std::runtime_error("filter left the node without a verdict");
        Answer out;
        out.data_->code = code;
        if (code != BERTH_STATUS_SUCCESS) out.data_->texts = call.reasons(reasons);
        return out;
    }
    /// The remedies of a node that filter rejects, alternatives in their order; none if the plugin fails.
    std::vector<Remedy> remedies(std::string_view pod, std::string_view node);
    /// Every node was rejected, with that code.
    Answer post_filter(std::string_view pod, std::int32_t code = BERTH_STATUS_UNSCHEDULABLE);
    Answer pre_score(std::string_view pod) {
        return answered(pod, [&](auto &call, auto *status) {
            const auto *nodes = cluster.nodes();
            table<berth_plugin_pre_score>(BERTH_PLUGIN_PRE_SCORE_V1)
                .pre_score(self_, call.raw(), state(pod), cluster.pod(pod), nodes, nodes->order, nodes->count, status);
        });
    }
    /// Before normalization. Throws the text of an error.
    std::int64_t score(std::string_view pod, std::string_view node) { return raw_scores(pod, {cluster.slot(node)})[0]; }
    /// Of all nodes by name, as they count: normalized. Throws if one is not in 0 to 100.
    std::map<std::string, std::int64_t> scores(std::string_view pod);

    Answer reserve(std::string_view pod, std::string_view node) {
        return answered(pod, [&](auto &call, auto *status) {
            table<berth_plugin_reserve>(BERTH_PLUGIN_RESERVE_V1)
                .reserve(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), cluster.slot(node),
                         to_str(node), status);
        });
    }
    void unreserve(std::string_view pod, std::string_view node) {
        const Tries tries(host, pod);
        CallSlot call(++cycles_);
        table<berth_plugin_reserve>(BERTH_PLUGIN_RESERVE_V1)
            .unreserve(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node));
    }
    Answer permit(std::string_view pod, std::string_view node) {
        std::int64_t timeout_ns = 0;
        auto out = answered(pod, [&](auto &call, auto *status) {
            table<berth_plugin_permit>(BERTH_PLUGIN_PERMIT_V1)
                .permit(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), cluster.slot(node),
                        to_str(node), &timeout_ns, status);
        });
        if (out.code() == BERTH_STATUS_WAIT)
            out.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(timeout_ns));
        return out;
    }
    /// Of a group that the test sets (`host.pod_groups`), or one that nothing is known of.
    Answer placement_feasible(std::string_view name_space, std::string_view name, std::uint64_t remaining,
                              std::uint64_t scheduled) {
        auto group = host.pod_group(name_space, name);
        return answered("", [&](auto &call, auto *status) {
            table<berth_plugin_placement_feasible>(BERTH_PLUGIN_PLACEMENT_FEASIBLE_DRAFT1)
                .placement_feasible(self_, call.raw(), &group, remaining, scheduled, status);
        });
    }
    Answer preflight(std::string_view pod, std::string_view node) {
        std::uint32_t parallel = 0;
        auto out = answered(pod, [&](auto &call, auto *status) {
            const auto &t = table<berth_plugin_pre_bind>(BERTH_PLUGIN_PRE_BIND_V1);
            if (t.preflight)
                t.preflight(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node), &parallel, status);
        });
        out.parallel = parallel != 0;
        return out;
    }
    Answer pre_bind(std::string_view pod, std::string_view node) {
        return answered_later(pod, [&](auto &call, auto *status, auto *done) {
            table<berth_plugin_pre_bind>(BERTH_PLUGIN_PRE_BIND_V1)
                .pre_bind(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node), status, done);
        });
    }
    Answer bind(std::string_view pod, std::string_view node) {
        return answered_later(pod, [&](auto &call, auto *status, auto *done) {
            table<berth_plugin_bind>(BERTH_PLUGIN_BIND_V1)
                .bind(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node), status, done);
        });
    }
    void post_bind(std::string_view pod, std::string_view node) {
        const Tries tries(host, pod);
        CallSlot call(++cycles_);
        table<berth_plugin_post_bind>(BERTH_PLUGIN_POST_BIND_V1)
            .post_bind(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node));
    }

    /// Cancels the calls that are not answered yet, as a host does with a PreBind whose pod is deleted or preempted.
    void cancel_calls() {
        for (const auto &late : kept_) {
            if (late->ended) continue;
            late->call.cancel();
            host.call_cancelled(late->call.raw());
        }
        host.run();
    }

    /// Which events wake its pods: "Node 0x1", and "hinted" behind it.
    std::vector<std::string> wakes() const;
    /// Its hint for a pod about an object that was `before` and is `after` now; "" where there is none. To a plugin
    /// that watches some objects of the kind, one that enters or leaves them is new or gone; about others it is not
    /// asked, which is SKIP.
    std::uint8_t hint(std::string_view pod, std::uint64_t action, std::string_view before_yaml,
                      std::string_view after_yaml);

private:
    static const berth_plugin &find(const berth_library &library, std::string_view name) {
        for (std::uint64_t i = 0; i < library.plugins_len; ++i)
            if (name.empty() ? library.plugins_len == 1 : view(library.plugins[i]->name) == name)
                return *library.plugins[i];
        throw std::runtime_error(name.empty() ? "the library has several plugins: name one"
                                              : "the library has no plugin " + std::string(name));
    }
    berth_state *state(std::string_view pod) {
        auto &held = states_[std::string(pod)];
        if (!held) held = std::make_unique<State>();
        return held->handle();
    }
    /// Of a call about that pod, or "".
    template <class Fn>
    Answer answered(std::string_view pod, Fn &&fn) {
        Answer out;
        const Tries tries(host, pod);
        CallSlot call(++cycles_);
        StatusSlot status(out);
        fn(call, status.raw());
        status.take();
        return out;
    }
    /// Runs what the host has to do until the answer is there, if that takes no time.
    template <class Fn>
    Answer answered_later(std::string_view pod, Fn &&fn) {
        Answer out;
        const Tries tries(host, pod);
        auto late =
            std::make_shared<LateSlot>(++cycles_, out, [this](const CallSlot &call) { host.call_ended(call.raw()); });
        host.call_began(late->call.raw());
        kept_.push_back(late);
        fn(late->call, late->status.raw(), &late->done);
        if (!late->ended) {
            late->status.take();
            if (out.code() != BERTH_STATUS_IN_PROGRESS) late->end();
        }
        host.run();
        return out;
    }
    std::vector<std::int64_t> raw_scores(std::string_view pod, const std::vector<std::uint32_t> &slots) {
        std::vector<std::int64_t> out(slots.size());
        auto answer = answered(pod, [&](auto &call, auto *status) {
            table<berth_plugin_score>(BERTH_PLUGIN_SCORE_V1)
                .score(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), slots.data(), slots.size(),
                       out.data(), status);
        });
        if (!answer.ok()) throw std::runtime_error("score: " + answer.text());
        return out;
    }
    std::string event_resource(std::string_view kind, const StoredObject &object) const;
    void create(std::string_view args_yaml);
};

}  // namespace berth::testing
