// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin instance in a test, and its extension points as functions. It is made as a host makes it: from the library,
/// by the arguments in YAML, which its default_args has seen.

#include <berth/args.hpp>
#include <berth/remedy.hpp>
#include <berth/testing/answer.hpp>

#include <dlfcn.h>

namespace berth::testing {

class Plugin {
    const berth_plugin &plugin_;
    void *self_ = nullptr;
    std::map<std::string, std::unique_ptr<State>, std::less<>> states_;
    std::vector<std::shared_ptr<void>> kept_;  ///< calls that may be answered later
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
        return answered([&](auto &call, auto *status) {
            table<berth_pre_enqueue>(BERTH_PRE_ENQUEUE_V1).pre_enqueue(self_, call.raw(), cluster.pod(pod), status);
        });
    }
    bool less(std::string_view a, std::string_view b) {
        return table<berth_queue_sort>(BERTH_QUEUE_SORT_V1).less(self_, cluster.pod(a), cluster.pod(b)) != 0;
    }
    /// Begins the pod's state anew.
    Answer pre_filter(std::string_view pod) {
        states_.erase(std::string(pod));
        std::optional<std::vector<std::string>> narrowed;
        auto out = answered([&](auto &call, auto *status) {
            struct Narrowed {
                std::optional<std::vector<std::string>> &nodes;
                const berth_nodes *of;
            } into{narrowed, cluster.nodes()};
            berth_restrict sink{sizeof sink, 0, &into,
                                [](void *ctx, const std::uint32_t *slots, std::uint64_t n) {
                                    auto &to = *static_cast<Narrowed *>(ctx);
                                    if (!to.nodes) to.nodes.emplace();
                                    for (std::uint64_t i = 0; i < n; ++i)
                                        to.nodes->emplace_back(view(to.of->name[slots[i]]));
                                },
                                [](void *ctx, const berth_str *names, std::uint64_t n) {
                                    auto &to = *static_cast<Narrowed *>(ctx);
                                    if (!to.nodes) to.nodes.emplace();
                                    for (std::uint64_t i = 0; i < n; ++i) to.nodes->emplace_back(view(names[i]));
                                }};
            table<berth_pre_filter>(BERTH_PRE_FILTER_V1)
                .pre_filter(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), &sink, status);
        });
        out.nodes = std::move(narrowed);
        return out;
    }
    /// `other` is on the node now, or was taken from it: the cluster shows that already.
    Answer add_pod(std::string_view pod, std::string_view other, std::string_view node) {
        return answered([&](auto &call, auto *status) {
            table<berth_pre_filter_ext>(BERTH_PRE_FILTER_EXT_V1)
                .add_pod(self_, call.raw(), state(pod), cluster.pod(pod), cluster.pod(other), cluster.nodes(),
                         cluster.slot(node), status);
        });
    }
    Answer remove_pod(std::string_view pod, std::string_view other, std::string_view node) {
        return answered([&](auto &call, auto *status) {
            table<berth_pre_filter_ext>(BERTH_PRE_FILTER_EXT_V1)
                .remove_pod(self_, call.raw(), state(pod), cluster.pod(pod), cluster.pod(other), cluster.nodes(),
                            cluster.slot(node), status);
        });
    }
    Answer filter(std::string_view pod, std::string_view node) {
        CallSlot call(++cycles_);
        const std::uint32_t slot = cluster.slot(node);
        std::int32_t code = BERTH_NOT_EVALUATED;
        std::uint32_t reasons = BERTH_NO_REASONS;
        table<berth_filter>(BERTH_FILTER_V1)
            .filter(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), &slot, 1, &code, &reasons);
        if (code == BERTH_NOT_EVALUATED) throw std::runtime_error("filter left the node without a verdict");
        Answer out;
        out.data_->code = code;
        if (code != BERTH_SUCCESS) out.data_->texts = call.reasons(reasons);
        return out;
    }
    /// The remedies of a node that filter rejects, alternatives in their order; none if the plugin fails.
    std::vector<Remedy> remedies(std::string_view pod, std::string_view node);
    /// Every node was rejected, with that code.
    Answer post_filter(std::string_view pod, std::int32_t code = BERTH_UNSCHEDULABLE);
    Answer pre_score(std::string_view pod) {
        return answered([&](auto &call, auto *status) {
            const auto *nodes = cluster.nodes();
            table<berth_pre_score>(BERTH_PRE_SCORE_V1)
                .pre_score(self_, call.raw(), state(pod), cluster.pod(pod), nodes, nodes->order, nodes->count, status);
        });
    }
    /// Before normalization. Throws the text of an error.
    std::int64_t score(std::string_view pod, std::string_view node) { return raw_scores(pod, {cluster.slot(node)})[0]; }
    /// Of all nodes by name, as they count: normalized. Throws if one is not in 0 to 100.
    std::map<std::string, std::int64_t> scores(std::string_view pod);

    Answer reserve(std::string_view pod, std::string_view node) {
        return answered([&](auto &call, auto *status) {
            table<berth_reserve>(BERTH_RESERVE_V1)
                .reserve(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), cluster.slot(node),
                         to_str(node), status);
        });
    }
    void unreserve(std::string_view pod, std::string_view node) {
        CallSlot call(++cycles_);
        table<berth_reserve>(BERTH_RESERVE_V1).unreserve(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node));
    }
    Answer permit(std::string_view pod, std::string_view node) {
        std::uint32_t timeout_ms = 0;
        auto out = answered([&](auto &call, auto *status) {
            table<berth_permit>(BERTH_PERMIT_V1)
                .permit(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), cluster.slot(node),
                        to_str(node), status, &timeout_ms);
        });
        if (out.code() == BERTH_WAIT) out.timeout = std::chrono::milliseconds(timeout_ms);
        return out;
    }
    Answer preflight(std::string_view pod, std::string_view node) {
        std::uint32_t parallel = 0;
        auto out = answered([&](auto &call, auto *status) {
            const auto &t = table<berth_pre_bind>(BERTH_PRE_BIND_V1);
            if (t.preflight)
                t.preflight(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node), status, &parallel);
        });
        out.parallel = parallel != 0;
        return out;
    }
    Answer pre_bind(std::string_view pod, std::string_view node) {
        return answered_later([&](auto &call, auto *status, auto *done) {
            table<berth_pre_bind>(BERTH_PRE_BIND_V1)
                .pre_bind(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node), status, done);
        });
    }
    Answer bind(std::string_view pod, std::string_view node) {
        return answered_later([&](auto &call, auto *status, auto *done) {
            table<berth_bind>(BERTH_BIND_V1)
                .bind(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node), status, done);
        });
    }
    void post_bind(std::string_view pod, std::string_view node) {
        CallSlot call(++cycles_);
        table<berth_post_bind>(BERTH_POST_BIND_V1)
            .post_bind(self_, call.raw(), state(pod), cluster.pod(pod), to_str(node));
    }

    /// Which events wake its pods: "Node 0x1", and "hinted" behind it.
    std::vector<std::string> wakes() const;
    /// Its hint for a pod about a Pod or Node that was `before` and is `after` now; "" where there is none.
    std::uint8_t hint(std::string_view pod, std::uint64_t action, std::string_view before_yaml,
                      std::string_view after_yaml);

private:
    static const berth_plugin &find(const berth_library &library, std::string_view name) {
        for (std::uint64_t i = 0; i < library.plugin_count; ++i)
            if (name.empty() ? library.plugin_count == 1 : view(library.plugins[i]->name) == name)
                return *library.plugins[i];
        throw std::runtime_error(name.empty() ? "the library has several plugins: name one"
                                              : "the library has no plugin " + std::string(name));
    }
    berth_state *state(std::string_view pod) {
        auto &held = states_[std::string(pod)];
        if (!held) held = std::make_unique<State>();
        return held->handle();
    }
    template <class Fn>
    Answer answered(Fn &&fn) {
        Answer out;
        CallSlot call(++cycles_);
        StatusSlot status(out);
        fn(call, status.raw());
        status.take();
        return out;
    }
    /// Runs what the host has to do until the answer is there, if that takes no time.
    template <class Fn>
    Answer answered_later(Fn &&fn) {
        struct Late {
            CallSlot call;
            StatusSlot status, later;
            berth_done done{};
            bool ended = false;
            Late(std::uint64_t cycle, const Answer &answer) : call(cycle), status(answer), later(answer) {
                done = {sizeof done, 0, this, later.raw(), [](void *ctx, berth_status *) {
                            auto &self = *static_cast<Late *>(ctx);
                            if (std::exchange(self.ended, true)) throw std::logic_error("a call was ended twice");
                            self.later.take();
                        }};
            }
        };
        Answer out;
        auto late = std::make_shared<Late>(++cycles_, out);
        kept_.push_back(late);
        fn(late->call, late->status.raw(), &late->done);
        if (!late->ended) late->status.take();
        host.run();
        return out;
    }
    std::vector<std::int64_t> raw_scores(std::string_view pod, const std::vector<std::uint32_t> &slots) {
        std::vector<std::int64_t> out(slots.size());
        auto answer = answered([&](auto &call, auto *status) {
            table<berth_score>(BERTH_SCORE_V1)
                .score(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), slots.data(), slots.size(),
                       out.data(), status);
        });
        if (!answer.ok()) throw std::runtime_error("score: " + answer.text());
        return out;
    }
    void create(std::string_view args_yaml);
};

}  // namespace berth::testing
