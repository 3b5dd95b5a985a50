// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The C functions behind a plugin class: no exception leaves them. Not for plugin authors.

#include <berth/detail/points.hpp>

#include <algorithm>
#include <cstring>

namespace berth::detail {

template <class T>
concept MadeOfArgsAndHost = std::is_constructible_v<T, Args, const Host &>;
template <class T>
concept MadeOfHost = !MadeOfArgsAndHost<T> && std::is_constructible_v<T, const Host &>;
template <class T>
concept MadeOfArgs = !MadeOfArgsAndHost<T> && !MadeOfHost<T> && std::is_constructible_v<T, Args>;
template <class T>
concept MadeOfNothing = !MadeOfArgsAndHost<T> && !MadeOfHost<T> && !MadeOfArgs<T>;

/// What `self` points to. The plugin is constructed where it stays, so that its constructor may hand out `this`: a
/// function that returned it would return a small one in registers, and it would be copied from there.
template <class T>
struct Holder {
    Host host;
    T plugin;

    // The constructor's arguments, in the order of what it may ask for.
    Holder(const berth_host *h, Value args)
        requires MadeOfArgsAndHost<T>
        : host(h), plugin(Args{args}, static_cast<const Host &>(host)) {}
    Holder(const berth_host *h, Value)
        requires MadeOfHost<T>
        : host(h), plugin(static_cast<const Host &>(host)) {}
    Holder(const berth_host *h, Value args)
        requires MadeOfArgs<T>
        : host(h), plugin(Args{args}) {}
    Holder(const berth_host *h, Value)
        requires MadeOfNothing<T>
        : host(h), plugin() {
        static_assert(std::is_default_constructible_v<T>,
                      "a plugin's constructor takes (), (Args), (const Host &) or (Args, const Host &)");
    }
};

template <class T>
Holder<T> &holder(void *self) {
    return *static_cast<Holder<T> *>(self);
}

/// Runs `fn`, which answers by a Verdict, into a status.
template <class Fn>
void answer(const Host &host, berth_status *status, Fn &&fn) noexcept {
    auto fail = [&](berth_str text) {
        status->code = BERTH_STATUS_ERROR;
        host.call_service().set_error(host.raw(), status, text);
    };
    try {
        write_status(host, status, fn());
    } catch (const std::exception &e) {
        fail(to_str(e.what()));
    } catch (...) {
        fail(BERTH_STR("unknown exception"));
    }
}

template <class T>
struct Thunks {
    static void pre_enqueue(void *self, const berth_call *call, const berth_pod *pod, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PreEnqueue1<T>) return h.plugin.pre_enqueue(Pod{pod, &h.host});
            else return h.plugin.pre_enqueue(Call{call, &h.host}, Pod{pod, &h.host});
        });
        (void)call;
    }

    static std::int32_t less(void *self, const berth_pod *a, const berth_pod *b) noexcept {
        auto &h = holder<T>(self);
        bool before = false;
        const bool said = h.host.contain("less", [&] { before = h.plugin.less(Pod{a, &h.host}, Pod{b, &h.host}); });
        return said ? before : -1;
    }
    static std::uint64_t sort_key(void *self, const berth_pod *pod, std::uint8_t *key, std::uint64_t size) noexcept {
        auto &h = holder<T>(self);
        SortKey out({key, static_cast<std::size_t>(size)});
        const bool said = h.host.contain("sort_key", [&] { h.plugin.sort_key(Pod{pod, &h.host}, out); });
        return said ? out.size() : 0;
    }

    static void events(void *self, berth_event_sink *sink, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict { return h.plugin.events(Events{h.host.raw(), sink}), ok; });
    }
    static void hint(void *self, const berth_call *, const berth_event *event, const berth_pod *const *pods,
                     std::uint64_t n, std::uint8_t *out) noexcept {
        auto &h = holder<T>(self);
        for (std::uint64_t i = 0; i < n; ++i) {
            out[i] = BERTH_HINT_ERROR;  // one that cannot tell wakes the pod
            h.host.contain("hint", [&] {
                out[i] = static_cast<std::uint8_t>(h.plugin.hint(Event{event, &h.host}, Pod{pods[i], &h.host}));
            });
        }
    }

    static void pre_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                           const berth_nodes *nodes, berth_restrict *restrict_, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Pod p{pod, &h.host};
            Nodes n{nodes, &h.host};
            if constexpr (PreFilter1<T>) return h.plugin.pre_filter(p);
            else if constexpr (PreFilter2<T>) return h.plugin.pre_filter(p, n);
            else if constexpr (PreFilter3<T>)
                return h.plugin.pre_filter(Call{call, &h.host}, State{state, &h.host}, p, n);
            else
                return h.plugin.pre_filter(Call{call, &h.host}, State{state, &h.host}, p, n,
                                           Restrict{restrict_, &h.host});
        });
        (void)call, (void)state, (void)restrict_;
    }

    static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int32_t *code,
                       std::uint32_t *reasons) noexcept {
        auto &h = holder<T>(self);
        Verdicts out{Call{call, &h.host}, code, reasons};
        std::uint64_t i = 0;
        try {
            Pod p{pod, &h.host};
            if constexpr (Filter3<T>) {
                h.plugin.filter(Call{call, &h.host}, State{state, &h.host}, p, Nodes{nodes, &h.host}, Slots{slots, n},
                                out);
            } else {
                for (; i < n; ++i) {
                    if (i % 64 == 63 && berth_cancelled(call)) return;
                    Node node{nodes, slots[i], &h.host};
                    if constexpr (Filter1<T>) out.set(i, h.plugin.filter(p, node));
                    else out.set(i, h.plugin.filter(Call{call, &h.host}, State{state, &h.host}, p, node));
                }
            }
        } catch (const std::exception &e) {
            for (; i < n; ++i) out.set(i, error(std::string(e.what())));
        } catch (...) {
            for (; i < n; ++i) out.set(i, error("unknown exception"));
        }
        (void)state;
    }

    static void pre_score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n,
                          berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PreScore1<T>)
                return h.plugin.pre_score(Pod{pod, &h.host}, Nodes{nodes, &h.host}, Slots{slots, n});
            else
                return h.plugin.pre_score(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                          Nodes{nodes, &h.host}, Slots{slots, n});
        });
        (void)call, (void)state;
    }

    static void score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *out,
                      berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Pod p{pod, &h.host};
            if constexpr (Score3<T>) {
                h.plugin.score(Call{call, &h.host}, State{state, &h.host}, p, Nodes{nodes, &h.host}, Slots{slots, n},
                               Scores{out, n});
            } else {
                for (std::uint64_t i = 0; i < n; ++i) {
                    if (i % 64 == 63 && berth_cancelled(call)) return Verdict{BERTH_STATUS_CANCELLED};
                    Node node{nodes, slots[i], &h.host};
                    if constexpr (Score1<T>) out[i] = h.plugin.score(p, node);
                    else out[i] = h.plugin.score(Call{call, &h.host}, State{state, &h.host}, p, node);
                }
            }
            return ok;
        });
        (void)call, (void)state;
    }

    static void normalize(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *inout,
                          berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (Normalize1<T>) h.plugin.normalize(Scores{inout, n});
            else if constexpr (Normalize2<T>)
                h.plugin.normalize(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, Nodes{nodes, &h.host},
                                   Slots{slots, n}, Scores{inout, n});
            return ok;
        });
        (void)call, (void)state, (void)pod, (void)nodes, (void)slots;
    }

    static void reserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_nodes *nodes, std::uint32_t slot, berth_str node_name,
                        berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (Reserve1<T>) return h.plugin.reserve(Pod{pod, &h.host}, view(node_name));
            else
                return h.plugin.reserve(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                        Node{nodes, slot, &h.host});
        });
        (void)call, (void)state, (void)nodes, (void)slot, (void)node_name;
    }
    static void unreserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          berth_str node_name) noexcept {
        auto &h = holder<T>(self);
        // It cannot fail; what it could not undo is the plugin's loss.
        h.host.contain("unreserve", [&] {
            if constexpr (Unreserve1<T>) h.plugin.unreserve(Pod{pod, &h.host}, view(node_name));
            else h.plugin.unreserve(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name));
        });
        (void)call, (void)state;
    }

    static void permit(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, std::uint32_t slot, berth_str node_name, std::int64_t *timeout_ns,
                       berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Permit p = [&]() -> Permit {
                if constexpr (Permit1<T>) return h.plugin.permit(Pod{pod, &h.host}, view(node_name));
                else
                    return h.plugin.permit(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                           Node{nodes, slot, &h.host});
            }();
            // The longest that a host takes is far below.
            constexpr std::int64_t week = 7 * 24 * 3600 * INT64_C(1000);
            *timeout_ns = std::clamp<std::int64_t>(p.timeout.count(), 0, week) * 1'000'000;
            return p.verdict;
        });
        (void)call, (void)state, (void)nodes, (void)slot, (void)node_name;
    }

    static void add_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot,
                        berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            return h.plugin.add_pod(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, Pod{other, &h.host},
                                    Node{nodes, slot, &h.host});
        });
    }
    static void remove_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                           const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot,
                           berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            return h.plugin.remove_pod(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                       Pod{other, &h.host}, Node{nodes, slot, &h.host});
        });
    }

    static void post_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                            const berth_nodes *nodes, const berth_outcome *outcome, berth_nomination *nomination,
                            berth_status *status, const berth_done *done) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PostFilter1<T>)
                return h.plugin.post_filter(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                            Nodes{nodes, &h.host}, Outcome{outcome, &h.host},
                                            Nomination{nomination, &h.host});
            else
                return h.plugin.post_filter(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                            Nodes{nodes, &h.host}, Outcome{outcome, &h.host},
                                            Nomination{nomination, &h.host}, Done{done, &h.host});
        });
        (void)done;
    }

    static void preflight(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          berth_str node_name, std::uint32_t *parallel, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Preflight p =
                h.plugin.preflight(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name));
            *parallel = p.parallel ? 1 : 0;
            return p.verdict;
        });
    }
    static void pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                         berth_str node_name, berth_status *status, const berth_done *done) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PreBind1<T>) return h.plugin.pre_bind(Pod{pod, &h.host}, view(node_name));
            else
                return h.plugin.pre_bind(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name),
                                         Done{done, &h.host});
        });
        (void)call, (void)state, (void)done;
    }
    static void bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                     berth_status *status, const berth_done *done) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (Bind1<T>) return h.plugin.bind(Pod{pod, &h.host}, view(node_name));
            else
                return h.plugin.bind(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name),
                                     Done{done, &h.host});
        });
        (void)call, (void)state, (void)done;
    }
    static void post_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          berth_str node_name) noexcept {
        auto &h = holder<T>(self);
        // The pod is bound; there is nothing to fail.
        h.host.contain("post_bind", [&] {
            if constexpr (PostBind1<T>) h.plugin.post_bind(Pod{pod, &h.host}, view(node_name));
            else h.plugin.post_bind(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name));
        });
        (void)call, (void)state;
    }

    static void prepare(void *self, const berth_object *object, void **out, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            using Made = decltype(h.plugin.prepare(Object{object, &h.host}));
            *out = new Made(h.plugin.prepare(Object{object, &h.host}));
            return ok;
        });
    }
    static void drop(void *self, void *data) noexcept {
        using Made = decltype(holder<T>(self).plugin.prepare(Object{}));
        delete static_cast<Made *>(data);
        (void)self;
    }

    static std::int32_t sign(void *self, const berth_pod *pod, const berth_nodes *nodes,
                             berth_text_sink *out) noexcept {
        auto &h = holder<T>(self);
        std::int32_t code = BERTH_STATUS_ERROR;  // then its answers are its own
        h.host.contain("sign", [&] {
            const bool signed_it =
                h.plugin.sign(Pod{pod, &h.host}, Nodes{nodes, &h.host}, Signature{TextSink{h.host.raw(), out}});
            code = signed_it ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSUPPORTED;
        });
        return code;
    }

    static std::int32_t remedy(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                               const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n,
                               berth_remedy_sink *out) noexcept {
        auto &h = holder<T>(self);
        try {
            const Pod p{pod, &h.host};
            const Remedies to{out, &h.host};
            if constexpr (Remedy3<T>) {
                h.plugin.remedy(Call{call, &h.host}, State{state, &h.host}, p, Nodes{nodes, &h.host}, Slots{slots, n},
                                to);
            } else {
                for (std::uint64_t i = 0; i < n; ++i) {
                    const Node node{nodes, slots[i], &h.host};
                    if constexpr (Remedy1<T>) to.add(i, h.plugin.remedy(p, node));
                    else to.add(i, h.plugin.remedy(Call{call, &h.host}, State{state, &h.host}, p, node));
                }
            }
        } catch (...) {  // then the reasons are shown
            return BERTH_STATUS_ERROR;
        }
        (void)call, (void)state;
        return BERTH_STATUS_SUCCESS;
    }
};

}  // namespace berth::detail
