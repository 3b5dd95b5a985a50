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
#include <utility>
#include <vector>

namespace berth {

/// A request to the API server; see berth_request.
struct Request {
    std::uint32_t verb = BERTH_VERB_CREATE;
    std::string_view group, version = "v1", resource, name_space, name, subresource, content_type, body;
};

/// A kind of object that the instance declares to watch; from Host::kind.
struct Kind {
    std::uint32_t id = 0;
};

/// An object of the cluster: its metadata, and any field by JSON pointer. Lives until the call returns.
class Object;

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
    const berth_recorder *recorder_;
    const berth_cluster *cluster_;
    const berth_delta *delta_;
    const berth_runner *runner_;
    const berth_nominator *nominator_;
    const berth_activator *activator_;
    const berth_pods_in_pre_bind *in_pre_bind_;

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
          waiting_(service<berth_waiting_pods>(BERTH_WAITING_PODS_V1)),
          recorder_(service<berth_recorder>(BERTH_RECORDER_V1)),
          cluster_(service<berth_cluster>(BERTH_CLUSTER_V1)),
          delta_(service<berth_delta>(BERTH_DELTA_V1)),
          runner_(service<berth_runner>(BERTH_RUNNER_V1)),
          nominator_(service<berth_nominator>(BERTH_NOMINATOR_V1)),
          activator_(service<berth_activator>(BERTH_ACTIVATOR_V1)),
          in_pre_bind_(service<berth_pods_in_pre_bind>(BERTH_PODS_IN_PRE_BIND_V1)) {}
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

    /// See KeptObject.
    void retain(const berth_object *object) const { need(object_, BERTH_OBJECT_V1).retain(h_, object); }
    void release(const berth_object *object) const { need(object_, BERTH_OBJECT_V1).release(h_, object); }

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
    /// Ends the wait of any pod in Permit with an error: it has to give way.
    bool preempt_waiting(std::string_view uid, std::string_view reason) const {
        return need(waiting_, BERTH_WAITING_PODS_V1).preempt(h_, to_str(uid), to_str(reason)) == BERTH_SUCCESS;
    }
    /// Calls fn(const berth_pod *, std::string_view node) for each pod that waits in Permit.
    template <class Fn>
    void each_waiting(Fn &&fn) const {
        need(waiting_, BERTH_WAITING_PODS_V1)
            .visit(
                h_, [](void *ctx, const berth_pod *pod, berth_str node) { (*static_cast<Fn *>(ctx))(pod, view(node)); },
                const_cast<void *>(static_cast<const void *>(&fn)));
    }
    /// Ends the binding of a pod in PreBind with an error.
    bool cancel_pre_bind(std::string_view uid, std::string_view reason) const {
        return need(in_pre_bind_, BERTH_PODS_IN_PRE_BIND_V1).cancel(h_, to_str(uid), to_str(reason)) == BERTH_SUCCESS;
    }

    /// Writes a Kubernetes Event about an object; see berth_recorder.
    void event(const berth_object *regarding, std::string_view type, std::string_view reason, std::string_view action,
               std::string_view note) const {
        if (recorder_) recorder_->event(h_, regarding, to_str(type), to_str(reason), to_str(action), to_str(note));
    }

    // Objects of the kinds that the instance declares to watch.
    Kind kind(std::string_view group, std::string_view version, std::string_view resource) const {
        return {need(cluster_, BERTH_CLUSTER_V1).kind(h_, to_str(group), to_str(version), to_str(resource))};
    }
    /// The object of that name; one that is not there is false.
    Object get(Kind kind, std::string_view name_space, std::string_view name) const;
    /// Calls fn(Object) for each object of a namespace ("" is all), by namespace and name. If fn answers false, it
    /// ends.
    template <class Fn>
    void each(Kind kind, std::string_view name_space, Fn &&fn) const;
    std::uint64_t version_of(Kind kind) const { return need(cluster_, BERTH_CLUSTER_V1).version(h_, kind.id); }
    /// `changed(Object before, Object after)` runs on the loop for each change; one of them may be false. At create.
    using Changed = std::function<void(const Object &before, const Object &after)>;
    void subscribe(Kind kind, Changed changed) const;

    const berth_delta &delta() const { return need(delta_, BERTH_DELTA_V1); }
    const berth_runner &runner() const { return need(runner_, BERTH_RUNNER_V1); }

    /// Calls fn(const berth_pod *) for each pod nominated to that node.
    template <class Fn>
    void each_nominated(std::string_view node, Fn &&fn) const {
        need(nominator_, BERTH_NOMINATOR_V1)
            .visit(
                h_, to_str(node), [](void *ctx, const berth_pod *pod) { (*static_cast<Fn *>(ctx))(pod); },
                const_cast<void *>(static_cast<const void *>(&fn)));
    }
    bool remove_nomination(std::string_view uid) const {
        return need(nominator_, BERTH_NOMINATOR_V1).remove(h_, to_str(uid)) == BERTH_SUCCESS;
    }
    /// Puts a pending pod into the active queue at once.
    bool activate(std::string_view uid) const {
        return need(activator_, BERTH_ACTIVATOR_V1).activate(h_, to_str(uid)) == BERTH_SUCCESS;
    }

private:
    friend class Object;
    struct Subscription {
        const Host *host;
        Changed changed;
    };
    mutable std::vector<std::unique_ptr<Subscription>> subscriptions_;  // what the host calls back with
};

/// Makes an object live as long as this does.
class KeptObject {
    const Host *host_;
    const berth_object *o_;

public:
    KeptObject(const Host &host, const berth_object *o) : host_(&host), o_(o) { host.retain(o); }
    KeptObject(KeptObject &&other) noexcept : host_(other.host_), o_(std::exchange(other.o_, nullptr)) {}
    KeptObject &operator=(KeptObject &&other) noexcept {
        std::swap(host_, other.host_);
        std::swap(o_, other.o_);
        return *this;
    }
    ~KeptObject() {
        if (o_) host_->release(o_);
    }
    const berth_object *raw() const { return o_; }
};

class Object {
    const berth_object *o_ = nullptr;
    const Host *host_ = nullptr;

public:
    Object() = default;
    Object(const berth_object *o, const Host *host) : o_(o), host_(host) {}
    explicit operator bool() const { return o_ != nullptr; }
    const berth_object *raw() const { return o_; }
    berth_object_meta meta() const {
        berth_object_meta out{};
        out.struct_size = sizeof out;
        Host::need(host_->object_, BERTH_OBJECT_V1).meta(host_->raw(), o_, &out);
        return out;
    }
    std::string_view name_space() const { return view(meta().namespace_); }
    std::string_view name() const { return view(meta().name); }
    std::string_view uid() const { return view(meta().uid); }
    std::span<const berth_label> labels() const {
        auto m = meta();
        return {m.labels, m.labels_len};
    }
    Value at(std::string_view pointer) const { return host_->object_at(o_, pointer); }
};

inline Object Host::get(Kind kind, std::string_view name_space, std::string_view name) const {
    return {need(cluster_, BERTH_CLUSTER_V1).get(h_, kind.id, to_str(name_space), to_str(name)), this};
}

template <class Fn>
void Host::each(Kind kind, std::string_view name_space, Fn &&fn) const {
    struct Context {
        Fn &fn;
        const Host *host;
    } context{fn, this};
    need(cluster_, BERTH_CLUSTER_V1)
        .list(
            h_, kind.id, to_str(name_space),
            [](void *ctx, const berth_object *object) -> std::int32_t {
                auto &c = *static_cast<Context *>(ctx);
                if constexpr (std::is_void_v<decltype(c.fn(Object{}))>) {
                    c.fn(Object{object, c.host});
                    return 1;
                } else {
                    return c.fn(Object{object, c.host}) ? 1 : 0;
                }
            },
            &context);
}

inline void Host::subscribe(Kind kind, Changed changed) const {
    auto &held = *subscriptions_.emplace_back(std::make_unique<Subscription>(Subscription{this, std::move(changed)}));
    need(cluster_, BERTH_CLUSTER_V1)
        .subscribe(
            h_, kind.id,
            [](void *ctx, const berth_object *before, const berth_object *after) {
                auto &s = *static_cast<Subscription *>(ctx);
                try {
                    s.changed(Object{before, s.host}, Object{after, s.host});
                } catch (...) {  // nothing may unwind into the host
                    s.host->warning("a subscription threw an exception");
                }
            },
            &held);
}

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
    berth_state *raw() const { return s_; }
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

/// Why no node took the pod; see berth_outcome.
class Outcome {
    const berth_outcome *o_;

public:
    explicit Outcome(const berth_outcome *o) : o_(o) {}
    const berth_outcome *raw() const { return o_; }
    std::int32_t code(std::uint32_t slot) const { return o_->code[slot]; }
    std::int32_t absent_code() const { return o_->absent_code; }
    std::span<const berth_str> reasons(std::uint32_t slot) const {
        const berth_str *texts = nullptr;
        auto n = o_->reasons(o_, slot, &texts);
        return {texts, n};
    }
    std::string_view plugin(std::uint32_t slot) const { return view(o_->plugin(o_, slot)); }
    /// In visiting order.
    std::span<const std::uint32_t> slots_with(std::int32_t code) const {
        const std::uint32_t *slots = nullptr;
        auto n = o_->slots_with(o_, code, &slots);
        return {slots, n};
    }
};

/// PostFilter's word about the pod's nomination; see berth_nomination.
class Nomination {
    const berth_nomination *n_;

public:
    explicit Nomination(const berth_nomination *n) : n_(n) {}
    void nominate(std::string_view node) const { n_->nominate(n_->ctx, to_str(node)); }
    void clear() const { nominate({}); }
};

/// A node as it would be with other pods on it (berth.runner/1). One at a time; ends with its life.
class Trial {
    const Host *host_;
    berth_trial *trial_;

    template <class Call>
    Verdict ask(Call &&call) const {
        const berth_str *texts = nullptr;
        std::uint64_t n = 0;
        std::int32_t code = call(&texts, &n);
        if (code == BERTH_SUCCESS) return ok;
        std::vector<std::string> list;
        for (std::uint64_t i = 0; i < n; ++i) list.emplace_back(view(texts[i]));
        return {code, std::move(list)};
    }

public:
    Trial(const Host &host, const berth_call *call, const berth_state *state, const berth_pod *pod,
          const berth_nodes *nodes, std::uint32_t slot)
        : host_(&host), trial_(host.runner().open(host.raw(), call, state, pod, nodes, slot)) {
        if (!trial_) throw std::logic_error("no node to try in slot " + std::to_string(slot));
    }
    ~Trial() { host_->runner().close(host_->raw(), trial_); }
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;
    Verdict remove_pod(std::uint32_t row) const {
        return ask(
            [&](auto *texts, auto *n) { return host_->runner().remove_pod(host_->raw(), trial_, row, texts, n); });
    }
    Verdict add_pod(std::uint32_t row) const {
        return ask([&](auto *texts, auto *n) { return host_->runner().add_pod(host_->raw(), trial_, row, texts, n); });
    }
    /// Whether the plugins let the pod onto the node as it is in the trial.
    Verdict filter() const {
        return ask([&](auto *texts, auto *n) { return host_->runner().filter(host_->raw(), trial_, texts, n); });
    }
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
