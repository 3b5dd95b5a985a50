// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The present call into a plugin: memory, reasons, the pod's CycleState, and its outputs.

#include <berth/host.hpp>
#include <berth/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace berth {

/// The places of a batch, 0 to n - 1, and fewer once the answers are no longer needed: it looks every 64 places.
class Places {
    const berth_call *call_;
    std::size_t n_;

    struct End {};
    struct At {
        const berth_call *call;
        std::size_t i, n;
        std::size_t operator*() const { return i; }
        At &operator++() {
            if (++i % 64 == 0 && berth_cancelled(call)) n = i;
            return *this;
        }
        bool operator!=(End) const { return i < n; }
    };

public:
    Places(const berth_call *call, std::size_t n) : call_(call), n_(n) {}
    At begin() const { return {call_, 0, n_}; }
    End end() const { return {}; }
};

/// The call a plugin is in.
class Call {
    const berth_call *c_;
    const Host *host_;

public:
    Call(const berth_call *c, const Host *host) : c_(c), host_(host) {}
    const berth_call *raw() const { return c_; }
    bool cancelled() const { return berth_cancelled(c_) != 0; }
    /// For the batch forms of Filter and Score: `for (std::size_t i : call.each(slots))`.
    template <class Slots>
    Places each(const Slots &slots) const {
        return {c_, slots.size()};
    }
    std::uint64_t cycle_id() const { return c_->cycle_id; }
    /// The id of a list with this one reason, or with these.
    std::uint32_t reason(std::string_view text) const {
        berth_str s = to_str(text);
        return reasons({&s, 1});
    }
    std::uint32_t reasons(std::span<const berth_str> texts) const {
        return host_->call_service().intern_reasons(host_->raw(), c_, texts.data(), texts.size());
    }
    /// Uninitialised memory for `n` T, freed when the call returns. Throws std::bad_alloc.
    template <class T>
    std::span<T> scratch(std::size_t n) const {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);
        if (n == 0) return {};
        if (n > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
        void *at = host_->call_service().scratch(host_->raw(), c_, n * sizeof(T), alignof(T));
        if (!at) throw std::bad_alloc();
        return {static_cast<T *>(at), n};
    }
};

inline bool Host::after_cancellation(Call call, std::function<void()> fn) const {
    BERTH_USES_DRAFT(BERTH_HOST_CANCELLATION_DRAFT1);
    if (!cancellation_) return false;
    auto held = std::make_unique<Later>(Later{this, std::move(fn)});
    const auto after = function<&berth_host_cancellation::after>(cancellation_, BERTH_HOST_CANCELLATION_DRAFT1);
    if (after(h_, call.raw(), Later::come, held.get()) != BERTH_STATUS_SUCCESS) return false;
    (void)held.release();
    return true;
}

/// The pod's CycleState.
class State {
    berth_state *s_;
    const Host *host_;

    template <class T>
    static const berth_plugin_state_type *type() {
        static const berth_plugin_state_type t = [] {
            berth_plugin_state_type made{};
            made.struct_size = sizeof made;
            if constexpr (std::is_copy_constructible_v<T>)
                made.clone = [](const berth_plugin_state_type *, const void *d) noexcept -> void * {
                    try {
                        return new T(*static_cast<const T *>(d));
                    } catch (...) {  // the copied state is without it
                        return nullptr;
                    }
                };
            made.destroy = [](const berth_plugin_state_type *, void *d) noexcept { delete static_cast<T *>(d); };
            return made;
        }();
        return &t;
    }

public:
    State(berth_state *s, const Host *host) : s_(s), host_(host) {}
    berth_state *raw() const { return s_; }
    /// Throws if the key is not one of Host::state_key.
    template <class T>
    T &put(StateKey<T> key, T value) const {
        auto data = std::make_unique<T>(std::move(value));
        if (host_->state_service().put(host_->raw(), s_, key.id, data.get(), type<T>()) != BERTH_STATUS_SUCCESS)
            throw std::logic_error("the host does not keep a datum under key " + std::to_string(key.id));
        return *data.release();
    }
    /// Null if nothing was put under the key.
    template <class T>
    T *get(StateKey<T> key) const {
        return static_cast<T *>(host_->state_service().get(host_->raw(), s_, key.id));
    }
    /// The same, where it has to be there; throws if it is not. A profile may enable a plugin at Filter and not at
    /// PreFilter, which would have put it.
    template <class T>
    T &need(StateKey<T> key) const {
        if (T *found = get(key)) return *found;
        throw std::runtime_error(
            "the state lacks what this plugin needs; enable the plugin at PreFilter and PreScore, too");
    }
};

/// Where a batch form of Filter writes its verdicts; `i` is the index in the call's slots.
class Verdicts {
    Call call_;
    std::int32_t *code_;
    std::uint32_t *reasons_;
    const char *last_ = nullptr;
    std::uint32_t last_id_ = 0;

public:
    Verdicts(Call call, std::int32_t *code, std::uint32_t *reasons) : call_(call), code_(code), reasons_(reasons) {}
    void accept(std::size_t i) { code_[i] = BERTH_STATUS_SUCCESS; }
    void reject(std::size_t i, std::int32_t code, std::uint32_t reasons) {
        code_[i] = code;
        reasons_[i] = reasons;
    }
    void set(std::size_t i, const Verdict &v) {
        code_[i] = v.code();
        if (v.code() == BERTH_STATUS_SUCCESS) return;
        if (!v.list().empty()) {
            std::vector<berth_str> texts;
            for (const auto &t : v.list()) texts.push_back(to_str(t));
            reasons_[i] = call_.reasons(texts);
            return;
        }
        auto text = v.first().text();
        if (text.empty()) return;
        if (v.first().is_literal() && last_ == text.data()) {
            reasons_[i] = last_id_;
            return;
        }
        reasons_[i] = call_.reason(text);
        if (v.first().is_literal()) {
            last_ = text.data();
            last_id_ = reasons_[i];
        }
    }
};

/// How PostFilter, PreBind and Bind end after in_progress(): call it once, from any thread. Copyable; valid until it is
/// called, at most until the plugin's destructor has returned.
class Done {
    const berth_done *d_;
    const Host *host_;

public:
    Done(const berth_done *d, const Host *host) : d_(d), host_(host) {}
    void operator()(const Verdict &v) const;
};

/// Writes a verdict into a status.
inline void write_status(const Host &host, berth_status *status, const Verdict &v) {
    const auto &call = host.call_service();
    status->code = v.code();
    if (!v.list().empty()) {
        std::vector<berth_str> texts;
        for (const auto &t : v.list()) texts.push_back(to_str(t));
        call.set_reasons(host.raw(), status, texts.data(), texts.size());
    } else if (!v.first().text().empty()) {
        berth_str s = to_str(v.first().text());
        if (v.code() == BERTH_STATUS_ERROR) call.set_error(host.raw(), status, s);
        else call.set_reasons(host.raw(), status, &s, 1);
    }
}

inline void Done::operator()(const Verdict &v) const {
    write_status(*host_, d_->status, v);
    host_->call_service().complete(host_->raw(), d_, d_->status);
}

/// Narrows the nodes in PreFilter.
class Restrict {
    berth_restrict *r_;
    const Host *host_;

public:
    Restrict(berth_restrict *r, const Host *host) : r_(r), host_(host) {}
    void slots(std::span<const std::uint32_t> s) const {
        host_->call_service().restrict_slots(host_->raw(), r_, s.data(), s.size());
    }
    void names(std::span<const berth_str> n) const {
        host_->call_service().restrict_names(host_->raw(), r_, n.data(), n.size());
    }
};

}  // namespace berth
