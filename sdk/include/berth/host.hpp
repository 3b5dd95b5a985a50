// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The host and its services as C++ sees them.

#include <berth/berth.h>
#include <berth/detail/pending.hpp>
#include <berth/value.hpp>

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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
    const berth_task *task_;
    const berth_prepared *prepared_;
    const berth_extenders *extenders_;

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
          in_pre_bind_(service<berth_pods_in_pre_bind>(BERTH_PODS_IN_PRE_BIND_V1)),
          task_(service<berth_task>(BERTH_TASK_V1)),
          prepared_(service<berth_prepared>(BERTH_PREPARED_V1)),
          extenders_(service<berth_extenders>(BERTH_EXTENDERS_V1)) {}
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

    /// Runs what the host calls and nothing may unwind from; what it throws is a warning, with its text.
    template <class Fn>
    void contain(std::string_view what, Fn &&fn) const {
        try {
            fn();
        } catch (const std::exception &e) {
            warning(std::string(what) + " threw: " + e.what());
        } catch (...) {
            warning(std::string(what) + " threw what is no std::exception");
        }
    }

    Value object_at(const berth_object *object, std::string_view pointer) const {
        return Value{need(object_, BERTH_OBJECT_V1).get(h_, object, to_str(pointer))};
    }

    /// See KeptObject.
    void retain(const berth_object *object) const { need(object_, BERTH_OBJECT_V1).retain(h_, object); }
    void release(const berth_object *object) const { need(object_, BERTH_OBJECT_V1).release(h_, object); }

    /// Declares a column (BERTH_NODE_…, BERTH_POD_…) and returns its id. One declared at create is good as long as the
    /// instance; one asked for in PreFilter or PreScore is for that attempt, and the next one asks again
    /// (berth_columns).
    std::uint32_t column(std::uint32_t kind, std::string_view key = {}) const {
        auto id = column_or_none(kind, key);
        if (id == 0)
            throw std::runtime_error("this host does not offer columns of kind " + std::to_string(kind) +
                                     ", or the pod has asked for too many");
        return id;
    }
    /// The same; 0 where column() throws. For keys that a pod chooses: whoever has no column reads the objects.
    std::uint32_t column_or_none(std::uint32_t kind, std::string_view key) const {
        return need(columns_, BERTH_COLUMNS_V1).declare(h_, kind, to_str(key));
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
    /// Runs `fn` on the loop after `ns`; never, if the instance ends before.
    void after(std::int64_t ns, std::function<void()> fn) const {
        need(clock_, BERTH_CLOCK_V1)
            .after(
                h_, ns, [](void *ctx) { detail::Pending<std::function<void()>>::take(ctx)(); },
                timers_.add([this, due = std::move(fn)] { contain("a callback of after", due); }));
    }

    /// Runs `work` in the background, then `done` on the loop: <berth/task.hpp>. False if the instance is about to end.
    template <class Work, class Done>
    bool task(Work work, Done done) const;

    /// What the class's `T prepare(Object)` made of that version of the object, which is asked first if need be. Throws
    /// the text of its error. On the loop; lives as long as the object.
    template <class T>
    const T &prepared(const berth_object *object) const;

    using Answer = std::function<void(int http_status, std::string_view text)>;
    /// Sends a declared request; `done` runs on the loop, unless the instance ends before. Throws if the request was
    /// not declared.
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
        void *held = answers_.add([this, answered = std::move(done)](int status, std::string_view text) {
            if (answered) contain("a callback of send", [&] { answered(status, text); });
        });
        auto sent = need(client_, BERTH_CLIENT_V1)
                        .send(
                            h_, &raw,
                            [](void *ctx, std::int32_t status, berth_str text) {
                                detail::Pending<Answer>::take(ctx)(status, view(text));
                            },
                            held);
        if (sent == BERTH_SUCCESS) return;
        (void)detail::Pending<Answer>::take(held);
        throw std::runtime_error("the request was not declared: " + std::string(r.resource));
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

    /// Why they failed, or "" and the candidates that they left.
    using Narrowed = std::function<void(std::string_view error, std::span<const berth_candidate> left)>;
    /// Has the extenders choose among the candidates of a preemption; see berth_extenders. `done` runs before this
    /// returns, or later, and must not throw. One at a time.
    void narrow(const berth_call *call, std::span<const berth_candidate> candidates, Narrowed done) const {
        narrowed_ = [this, fn = std::move(done)](std::string_view error, std::span<const berth_candidate> left) {
            contain("a callback of narrow", [&] { fn(error, left); });
        };
        auto asked = need(extenders_, BERTH_EXTENDERS_V1)
                         .narrow(
                             h_, call, candidates.data(), candidates.size(),
                             [](void *ctx, berth_str error, const berth_candidate *left, std::uint64_t n) {
                                 std::exchange(*static_cast<Narrowed *>(ctx), nullptr)(view(error), {left, n});
                             },
                             &narrowed_);
        if (asked != BERTH_SUCCESS) throw std::runtime_error("what the extenders were to narrow is no candidate");
    }

private:
    mutable detail::Pending<std::function<void()>> timers_;
    mutable detail::Pending<Answer> answers_;
    mutable Narrowed narrowed_;
    friend class Object;
    struct Subscription {
        const Host *host;
        Changed changed;
    };
    mutable std::vector<std::unique_ptr<Subscription>> subscriptions_;  // what the host calls back with
};

}  // namespace berth
