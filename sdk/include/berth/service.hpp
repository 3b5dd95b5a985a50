// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The host and its services as C++ sees them, and the call a plugin is in.

#include <berth/berth.h>
#include <berth/value.hpp>
#include <berth/verdict.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace berth {

/// A request to the API server; see berth_request.
struct Request {
    std::uint32_t verb = BERTH_VERB_CREATE;
    std::string_view group, version = "v1", resource, name_space, name, subresource, content_type, body;
};

/// The name under which a plugin keeps a T in the CycleState.
template <class T>
struct StateKey {
    std::uint32_t id = 0;
};

/// The host as one plugin instance sees it. Outlives the instance; the plugin keeps a reference or a pointer.
class Host {
    const berth_host *h_;
    const berth_log *log_;
    const berth_object_service *object_;
    const berth_state_service *state_;
    const berth_columns *columns_;
    const berth_random *random_;
    const berth_clock *clock_;
    const berth_client *client_;
    const berth_waiting_pods *waiting_;

    template <class T>
    const T *service(std::string_view id) const {
        return static_cast<const T *>(h_->get_service(h_, to_str(id)));
    }
    template <class T>
    static const T &need(const T *table, const char *id) {
        if (!table) throw std::runtime_error(std::string("this host does not offer ") + id);
        return *table;
    }

public:
    explicit Host(const berth_host *h)
        : h_(h),
          log_(service<berth_log>(BERTH_LOG_V1)),
          object_(service<berth_object_service>(BERTH_OBJECT_V1)),
          state_(service<berth_state_service>(BERTH_STATE_V1)),
          columns_(service<berth_columns>(BERTH_COLUMNS_V1)),
          random_(service<berth_random>(BERTH_RANDOM_V1)),
          clock_(service<berth_clock>(BERTH_CLOCK_V1)),
          client_(service<berth_client>(BERTH_CLIENT_V1)),
          waiting_(service<berth_waiting_pods>(BERTH_WAITING_PODS_V1)) {}
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    const berth_host *raw() const { return h_; }
    std::string_view version() const { return view(h_->version); }

    bool log_enabled(std::uint32_t verbosity) const { return log_ && log_->enabled(h_, BERTH_LOG_INFO, verbosity); }
    void info(std::uint32_t verbosity, std::string_view text) const {
        if (log_) log_->write(h_, BERTH_LOG_INFO, verbosity, to_str(text));
    }
    void warning(std::string_view text) const {
        if (log_) log_->write(h_, BERTH_LOG_WARNING, 0, to_str(text));
    }

    Value object_at(const berth_object *object, std::string_view pointer) const {
        return Value{need(object_, BERTH_OBJECT_V1).get(h_, object, to_str(pointer))};
    }

    /// Declares a column (BERTH_NODE_…, BERTH_POD_…) and returns its id.
    std::uint32_t column(std::uint32_t kind, std::string_view key = {}) const {
        auto id = need(columns_, BERTH_COLUMNS_V1).declare(h_, kind, to_str(key));
        if (id == 0) throw std::runtime_error("this host does not offer columns of kind " + std::to_string(kind));
        return id;
    }

    template <class T>
    StateKey<T> state_key(std::string_view name) const {
        return {need(state_, BERTH_STATE_V1).key(h_, to_str(name))};
    }
    const berth_state_service &state_service() const { return need(state_, BERTH_STATE_V1); }

    /// 64 random bits for this attempt, slot and salt; the same on every run with the same seed.
    std::uint64_t random(const berth_call *call, std::uint32_t slot, std::uint64_t salt = 0) const {
        return need(random_, BERTH_RANDOM_V1).value(h_, call, slot, salt);
    }

    std::int64_t now_ns() const { return need(clock_, BERTH_CLOCK_V1).now(h_); }
    /// Runs `fn` on the loop after `ns`.
    void after(std::int64_t ns, std::function<void()> fn) const {
        auto *held = new std::function<void()>(std::move(fn));
        need(clock_, BERTH_CLOCK_V1)
            .after(
                h_, ns,
                [](void *ctx) {
                    std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()> *>(ctx));
                    try {
                        (*f)();
                    } catch (...) {  // nothing may unwind into the host, and there is nobody to tell
                    }
                },
                held);
    }

    using Answer = std::function<void(int http_status, std::string_view text)>;
    /// Sends a declared request; `done` runs on the loop. Throws if the request was not declared.
    void send(const Request &r, Answer done) const {
        berth_request raw{};
        raw.struct_size = sizeof raw;
        raw.verb = r.verb;
        raw.group = to_str(r.group);
        raw.version = to_str(r.version);
        raw.resource = to_str(r.resource);
        raw.namespace_ = to_str(r.name_space);
        raw.name = to_str(r.name);
        raw.subresource = to_str(r.subresource);
        raw.content_type = to_str(r.content_type);
        raw.body = to_str(r.body);
        auto held = std::make_unique<Answer>(std::move(done));
        auto sent = need(client_, BERTH_CLIENT_V1)
                        .send(
                            h_, &raw,
                            [](void *ctx, std::int32_t status, berth_str text) {
                                std::unique_ptr<Answer> f(static_cast<Answer *>(ctx));
                                try {
                                    (*f)(status, view(text));
                                } catch (...) {  // see after()
                                }
                            },
                            held.get());
        if (sent != BERTH_SUCCESS) throw std::runtime_error("the request was not declared: " + std::string(r.resource));
        (void)held.release();
    }

    bool allow_waiting(std::string_view uid) const {
        return need(waiting_, BERTH_WAITING_PODS_V1).allow(h_, to_str(uid)) == BERTH_SUCCESS;
    }
    bool reject_waiting(std::string_view uid, std::string_view reason) const {
        return need(waiting_, BERTH_WAITING_PODS_V1).reject(h_, to_str(uid), to_str(reason)) == BERTH_SUCCESS;
    }
};

/// The call a plugin is in.
class Call {
    const berth_call *c_;

public:
    explicit Call(const berth_call *c) : c_(c) {}
    const berth_call *raw() const { return c_; }
    bool cancelled() const { return berth_cancelled(c_) != 0; }
    std::uint64_t cycle_id() const { return c_->cycle_id; }
    /// The id of a list with this one reason, or with these.
    std::uint32_t reason(std::string_view text) const {
        berth_str s = to_str(text);
        return c_->reasons(c_, &s, 1);
    }
    std::uint32_t reasons(std::span<const berth_str> texts) const {
        return c_->reasons(c_, texts.data(), texts.size());
    }
    /// Uninitialised memory for `n` T, freed when the call returns.
    template <class T>
    std::span<T> scratch(std::size_t n) const {
        static_assert(std::is_trivially_destructible_v<T>);
        return {static_cast<T *>(c_->scratch(c_, n * sizeof(T), alignof(T))), n};
    }
};

/// The pod's CycleState.
class State {
    berth_state *s_;
    const Host *host_;

    template <class T>
    static const berth_state_type *type() {
        static const berth_state_type t = [] {
            berth_state_type made{};
            made.struct_size = sizeof made;
            if constexpr (std::is_copy_constructible_v<T>)
                made.clone = [](void *, const void *d) -> void * { return new T(*static_cast<const T *>(d)); };
            made.destroy = [](void *, void *d) { delete static_cast<T *>(d); };
            return made;
        }();
        return &t;
    }

public:
    State(berth_state *s, const Host *host) : s_(s), host_(host) {}
    template <class T>
    T &put(StateKey<T> key, T value) const {
        auto *data = new T(std::move(value));
        host_->state_service().put(host_->raw(), s_, key.id, data, type<T>());
        return *data;
    }
    template <class T>
    T *get(StateKey<T> key) const {
        return static_cast<T *>(host_->state_service().get(host_->raw(), s_, key.id));
    }
};

/// Where a batch form of Filter writes its verdicts; `i` is the index in the call's slots.
class Verdicts {
    const berth_call *call_;
    std::int32_t *code_;
    std::uint32_t *reasons_;
    const char *last_ = nullptr;
    std::uint32_t last_id_ = 0;

public:
    Verdicts(const berth_call *call, std::int32_t *code, std::uint32_t *reasons)
        : call_(call), code_(code), reasons_(reasons) {}
    void accept(std::size_t i) { code_[i] = BERTH_SUCCESS; }
    void reject(std::size_t i, std::int32_t code, std::uint32_t reasons) {
        code_[i] = code;
        reasons_[i] = reasons;
    }
    void set(std::size_t i, const Verdict &v) {
        code_[i] = v.code();
        if (v.code() == BERTH_SUCCESS) return;
        if (!v.list().empty()) {
            std::vector<berth_str> texts;
            for (const auto &t : v.list()) texts.push_back(to_str(t));
            reasons_[i] = call_->reasons(call_, texts.data(), texts.size());
            return;
        }
        auto text = v.first().text();
        if (text.empty()) return;
        if (v.first().is_literal() && last_ == text.data()) {
            reasons_[i] = last_id_;
            return;
        }
        berth_str s = to_str(text);
        reasons_[i] = call_->reasons(call_, &s, 1);
        if (v.first().is_literal()) {
            last_ = text.data();
            last_id_ = reasons_[i];
        }
    }
};

/// How PreBind and Bind end after in_progress(): call it once, from any thread. Copyable; valid until called.
class Done {
    const berth_done *d_;

public:
    explicit Done(const berth_done *d) : d_(d) {}
    void operator()(const Verdict &v) const;
};

/// Writes a verdict into a status.
inline void write_status(berth_status *status, const Verdict &v) {
    status->code = v.code();
    if (!v.list().empty()) {
        std::vector<berth_str> texts;
        for (const auto &t : v.list()) texts.push_back(to_str(t));
        status->set_reasons(status, texts.data(), texts.size());
    } else if (!v.first().text().empty()) {
        berth_str s = to_str(v.first().text());
        if (v.code() == BERTH_ERROR) status->set_error(status, s);
        else status->set_reasons(status, &s, 1);
    }
}

inline void Done::operator()(const Verdict &v) const {
    write_status(d_->status, v);
    d_->complete(d_->ctx, d_->status);
}

/// Narrows the nodes in PreFilter.
class Restrict {
    const berth_restrict *r_;

public:
    explicit Restrict(const berth_restrict *r) : r_(r) {}
    void slots(std::span<const std::uint32_t> s) const { r_->slots(r_->ctx, s.data(), s.size()); }
    void names(std::span<const berth_str> n) const { r_->names(r_->ctx, n.data(), n.size()); }
};

/// Collects the events that wake a plugin's pods.
class Events {
    const berth_event_sink *s_;

public:
    explicit Events(const berth_event_sink *s) : s_(s) {}
    /// Such an event always wakes them.
    void add(std::string_view resource, std::uint64_t actions) const { s_->add(s_->ctx, to_str(resource), actions, 0); }
    /// The plugin's hint method is asked first.
    void add_hinted(std::string_view resource, std::uint64_t actions) const {
        s_->add(s_->ctx, to_str(resource), actions, 1);
    }
};

/// Collects what an instance watches and writes.
class Declare {
    const berth_declare_sink *s_;

public:
    explicit Declare(const berth_declare_sink *s) : s_(s) {}
    void watch(std::string_view group, std::string_view version, std::string_view resource) const {
        s_->watch(s_->ctx, to_str(group), to_str(version), to_str(resource));
    }
    void write(std::uint32_t verb, std::string_view group, std::string_view version, std::string_view resource) const {
        s_->write(s_->ctx, verb, to_str(group), to_str(version), to_str(resource));
    }
};

}  // namespace berth
