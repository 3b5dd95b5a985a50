// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The host and its services in C++: log, clock, requests to the API server, timers, tasks.

#include <berth/berth.h>
#include <berth/draft/cancellation.h>
#include <berth/draft/extenders.h>
#include <berth/draft/log_fields.h>
#include <berth/draft/pending_pods.h>
#include <berth/draft/pod_groups.h>
#include <berth/draft/pods_in_pre_bind.h>
#include <berth/draft/reader.h>
#include <berth/draft/victims.h>
#include <berth/answer.hpp>
#include <berth/detail/uses.hpp>
#include <berth/kubernetes.hpp>
#include <berth/log.hpp>
#include <berth/metrics.hpp>
#include <berth/value.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
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

/// Something that happens later; from Host::after.
struct Timer {
    std::uint64_t id = 0;
};

/// A read of the API server under way; from Host::read. False: nothing is read.
struct Reading {
    std::uint64_t id = 0;
    explicit operator bool() const { return id != 0; }
};

/// What to read: <berth/reader.hpp>.
struct Get;
struct List;

/// An object of the cluster: its metadata, and any field by JSON pointer. Lives until the call returns.
class Object;

class Call;

/// The name under which a plugin keeps a T in the CycleState.
template <class T>
struct StateKey {
    std::uint32_t id = 0;
};

/// The host as one plugin instance sees it. Outlives the instance; the plugin keeps a reference or a pointer.
class Host {
    const berth_host *h_;
    const berth_host_call *call_;
    const berth_host_nodes *nodes_;
    const berth_host_log *log_;
    const berth_host_object *object_;
    const berth_host_state *state_;
    const berth_host_columns *columns_;
    const berth_host_random *random_;
    const berth_host_clock *clock_;
    const berth_host_client *client_;
    const berth_host_waiting_pods *waiting_;
    const berth_host_recorder *recorder_;
    const berth_host_cluster *cluster_;
    const berth_host_delta *delta_;
    const berth_host_runner *runner_;
    const berth_host_nominator *nominator_;
    const berth_host_activator *activator_;
    const berth_host_pods_in_pre_bind *in_pre_bind_;
    const berth_host_task *task_;
    const berth_host_prepared *prepared_;
    const berth_host_extenders *extenders_;
    const berth_host_cancellation *cancellation_;
    const berth_host_victims *victims_;
    const berth_host_log_fields *log_fields_;
    const berth_host_metrics *metrics_;
    const berth_host_pod_groups *pod_groups_;
    const berth_host_pending_pods *pending_pods_;
    const berth_host_reader *reader_;

    template <class T>
    const T *service(std::string_view id) const {
        return static_cast<const T *>(h_->get_service(h_, to_str(id)));
    }
    template <class T>
    static const T &need(const T *table, const char *id) {
        if (!table) throw std::runtime_error(std::string("this host does not offer ") + id);
        return *table;
    }
    /// A function of a service. The host may be older than these headers, and its table end before it.
    template <auto Function, class T>
    static auto function(const T *table, const char *id) {
        const T &of = need(table, id);
        const auto *begin = reinterpret_cast<const char *>(&of), *at = reinterpret_cast<const char *>(&(of.*Function));
        if (of.struct_size < static_cast<std::size_t>(at - begin) + sizeof(of.*Function) || !(of.*Function))
            throw std::runtime_error(std::string("this host is older than a function of ") + id +
                                     " that the plugin calls");
        return of.*Function;
    }
    /// What runs later, unless it is cancelled.
    struct Later {
        const Host *host;
        std::function<void()> fn;

        static void come(void *ctx, std::int32_t code) {
            const std::unique_ptr<Later> it(static_cast<Later *>(ctx));
            if (code == BERTH_STATUS_SUCCESS) it->host->contain("a callback of after", it->fn);
        }
    };
    /// What takes an answer of the API server.
    struct Awaited {
        const Host *host;
        const char *what;
        std::function<void(const Answer &)> fn;

        static void come(void *ctx, const berth_answer *answer) {
            const std::unique_ptr<Awaited> it(static_cast<Awaited *>(ctx));
            if (answer->code != BERTH_STATUS_CANCELLED && it->fn)
                it->host->contain(it->what, [&] { it->fn(Answer{answer}); });
        }
    };
    void threw(std::string_view what, const char *text) const noexcept {
        try {
            warning(std::string(what) + " threw" + (text ? std::string(": ") + text : " what is no std::exception"));
        } catch (...) {  // there is no memory to say it
        }
    }

public:
    explicit Host(const berth_host *h)
        : h_(h),
          call_(service<berth_host_call>(BERTH_HOST_CALL_V1)),
          nodes_(service<berth_host_nodes>(BERTH_HOST_NODES_V1)),
          log_(service<berth_host_log>(BERTH_HOST_LOG_V1)),
          object_(service<berth_host_object>(BERTH_HOST_OBJECT_V1)),
          state_(service<berth_host_state>(BERTH_HOST_STATE_V1)),
          columns_(service<berth_host_columns>(BERTH_HOST_COLUMNS_V1)),
          random_(service<berth_host_random>(BERTH_HOST_RANDOM_V1)),
          clock_(service<berth_host_clock>(BERTH_HOST_CLOCK_V1)),
          client_(service<berth_host_client>(BERTH_HOST_CLIENT_V1)),
          waiting_(service<berth_host_waiting_pods>(BERTH_HOST_WAITING_PODS_V1)),
          recorder_(service<berth_host_recorder>(BERTH_HOST_RECORDER_V1)),
          cluster_(service<berth_host_cluster>(BERTH_HOST_CLUSTER_V1)),
          delta_(service<berth_host_delta>(BERTH_HOST_DELTA_V1)),
          runner_(service<berth_host_runner>(BERTH_HOST_RUNNER_V1)),
          nominator_(service<berth_host_nominator>(BERTH_HOST_NOMINATOR_V1)),
          activator_(service<berth_host_activator>(BERTH_HOST_ACTIVATOR_V1)),
          in_pre_bind_(service<berth_host_pods_in_pre_bind>(BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1)),
          task_(service<berth_host_task>(BERTH_HOST_TASK_V1)),
          prepared_(service<berth_host_prepared>(BERTH_HOST_PREPARED_V1)),
          extenders_(service<berth_host_extenders>(BERTH_HOST_EXTENDERS_DRAFT1)),
          cancellation_(service<berth_host_cancellation>(BERTH_HOST_CANCELLATION_DRAFT1)),
          victims_(service<berth_host_victims>(BERTH_HOST_VICTIMS_DRAFT1)),
          log_fields_(service<berth_host_log_fields>(BERTH_HOST_LOG_FIELDS_DRAFT1)),
          metrics_(service<berth_host_metrics>(BERTH_HOST_METRICS_DRAFT1)),
          pod_groups_(service<berth_host_pod_groups>(BERTH_HOST_POD_GROUPS_DRAFT1)),
          pending_pods_(service<berth_host_pending_pods>(BERTH_HOST_PENDING_PODS_DRAFT1)),
          reader_(service<berth_host_reader>(BERTH_HOST_READER_DRAFT1)) {}
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    const berth_host *raw() const { return h_; }
    std::string_view version() const { return view(h_->version); }
    Kubernetes kubernetes() const { return Kubernetes(h_); }

    // Every host has these. What is appended to them is called as other services' functions are.
    const berth_host_call &call_service() const { return *call_; }
    const berth_host_nodes &nodes_service() const { return *nodes_; }

    bool log_enabled(std::uint32_t verbosity) const { return log_ && log_->enabled(h_, BERTH_LOG_INFO, verbosity); }
    void info(std::uint32_t verbosity, std::string_view text) const {
        if (log_) log_->write(h_, BERTH_LOG_INFO, verbosity, to_str(text));
    }
    void warning(std::string_view text) const {
        if (log_) log_->write(h_, BERTH_LOG_WARNING, 0, to_str(text));
    }
    void error(std::string_view text) const {
        if (log_) log_->write(h_, BERTH_LOG_ERROR, 0, to_str(text));
    }
    // The same with fields: `message` is a phrase that is the same every time, what varies are the fields. In a call
    // about a pod the host adds the pod. A host without fields, which are a draft, gets all in one text.
    void info(std::uint32_t verbosity, std::string_view message, Fields fields) const {
        write(BERTH_LOG_INFO, verbosity, message, fields);
    }
    void warning(std::string_view message, Fields fields) const { write(BERTH_LOG_WARNING, 0, message, fields); }
    void error(std::string_view message, Fields fields) const { write(BERTH_LOG_ERROR, 0, message, fields); }

    // What the plugin counts: at create. `name` begins with the plugin's name and ends with the unit; the host puts
    // "plugin_" before it, and the labels "plugin" and "profile" beside those of the plugin. They throw for what is no
    // such metric (berth_metric). Beside another plugin's metric of that name and another kind, and on a host that
    // offers no metrics, which are a draft, they count nothing.
    Counter counter(std::string_view name, std::string_view help) const {
        return metric<Counter>(BERTH_METRIC_COUNTER, name, help, {}, {}, 0).with({});
    }
    Gauge gauge(std::string_view name, std::string_view help) const {
        return metric<Gauge>(BERTH_METRIC_GAUGE, name, help, {}, {}, 0).with({});
    }
    Histogram histogram(std::string_view name, std::string_view help, std::span<const double> bounds) const {
        return metric<Histogram>(BERTH_METRIC_HISTOGRAM, name, help, bounds, {}, 0).with({});
    }
    // With labels. Beyond `most_series` combinations of their values, 0 for 100, all others are counted as one,
    // and gauges not at all.
    Labelled<Counter> counter(std::string_view name, std::string_view help,
                              std::initializer_list<std::string_view> labels, std::uint32_t most_series = 0) const {
        return metric<Counter>(BERTH_METRIC_COUNTER, name, help, {}, labels, most_series);
    }
    Labelled<Gauge> gauge(std::string_view name, std::string_view help, std::initializer_list<std::string_view> labels,
                          std::uint32_t most_series = 0) const {
        return metric<Gauge>(BERTH_METRIC_GAUGE, name, help, {}, labels, most_series);
    }
    Labelled<Histogram> histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                                  std::initializer_list<std::string_view> labels, std::uint32_t most_series = 0) const {
        return metric<Histogram>(BERTH_METRIC_HISTOGRAM, name, help, bounds, labels, most_series);
    }

    /// Runs what the host calls and nothing may unwind from; what it throws is a warning, with its text. Whether it
    /// came to its end.
    template <class Fn>
    bool contain(std::string_view what, Fn &&fn) const noexcept {
        try {
            fn();
            return true;
        } catch (const std::exception &e) {
            threw(what, e.what());
        } catch (...) {
            threw(what, nullptr);
        }
        return false;
    }

    Value object_at(const berth_object *object, std::string_view pointer) const {
        return Value{function<&berth_host_object::get>(object_, BERTH_HOST_OBJECT_V1)(h_, object, to_str(pointer))};
    }

    /// See KeptObject.
    void retain(const berth_object *object) const {
        function<&berth_host_object::retain>(object_, BERTH_HOST_OBJECT_V1)(h_, object);
    }
    void release(const berth_object *object) const {
        function<&berth_host_object::release>(object_, BERTH_HOST_OBJECT_V1)(h_, object);
    }

    /// Declares a column (BERTH_COLUMN_NODE_…, BERTH_COLUMN_POD_…) and returns its id. One declared at create is good
    /// as long as the instance; one asked for in PreFilter or PreScore is for that attempt, and the next one asks again
    /// (berth_host_columns).
    std::uint32_t column(std::uint32_t kind, std::string_view key = {}) const {
        auto id = column_or_none(kind, key);
        if (id == 0)
            throw std::runtime_error("this host does not offer columns of kind " + std::to_string(kind) +
                                     ", or the pod has asked for too many");
        return id;
    }
    /// The same; 0 where column() throws. For keys that a pod chooses: without a column, read the objects.
    std::uint32_t column_or_none(std::uint32_t kind, std::string_view key) const {
        return function<&berth_host_columns::declare>(columns_, BERTH_HOST_COLUMNS_V1)(h_, kind, to_str(key));
    }

    template <class T>
    StateKey<T> state_key(std::string_view name) const {
        return {function<&berth_host_state::key>(state_, BERTH_HOST_STATE_V1)(h_, to_str(name))};
    }
    const berth_host_state &state_service() const { return need(state_, BERTH_HOST_STATE_V1); }

    /// 64 random bits for this attempt, slot and salt; the same on every run with the same seed.
    std::uint64_t random(const berth_call *call, std::uint32_t slot, std::uint64_t salt = 0) const {
        return function<&berth_host_random::value>(random_, BERTH_HOST_RANDOM_V1)(h_, call, slot, salt);
    }

    std::int64_t now_ns() const { return function<&berth_host_clock::now>(clock_, BERTH_HOST_CLOCK_V1)(h_); }
    /// Runs `fn` on the loop after `ns`. It is destroyed without having been run if it is cancelled or the instance
    /// ends before.
    Timer after(std::int64_t ns, std::function<void()> fn) const {
        auto held = std::make_unique<Later>(Later{this, std::move(fn)});
        const auto timer =
            function<&berth_host_clock::after>(clock_, BERTH_HOST_CLOCK_V1)(h_, ns, Later::come, held.get());
        if (timer != 0) (void)held.release();
        return {timer};
    }
    /// Ends a timer, whose function is destroyed. False if it has run already. On the loop.
    bool cancel(Timer timer) const {
        return function<&berth_host_clock::cancel>(clock_, BERTH_HOST_CLOCK_V1)(h_, timer.id) == BERTH_STATUS_SUCCESS;
    }

    /// Runs `work` in the background, then `done` on the loop: <berth/task.hpp>. False if the instance is about to end.
    template <class Work, class Done>
    bool task(Work work, Done done) const;

    /// Runs `fn` on the loop, in a turn of its own, once `call`, which is to be answered by Done, was cancelled. It is
    /// destroyed without having been run if the call ends before, and if this returns false: the host does not offer
    /// that, which is a draft, or the call cannot be answered later.
    bool after_cancellation(Call call, std::function<void()> fn) const;

    /// What the class's `T prepare(Object)` made of that version of the object, which is asked first if need be. Throws
    /// the text of its error. On the loop; lives as long as the object.
    template <class T>
    const T &prepared(const berth_object *object) const;

    using OnStatus = std::function<void(int http_status, std::string_view text)>;
    using OnAnswer = std::function<void(const Answer &)>;
    /// Sends a declared request; `done` runs on the loop, with status 0 and the reason if no answer came. It is
    /// destroyed without having been run if the instance ends before. Throws if the request cannot be sent.
    void send(const Request &r, OnStatus done) const {
        send(r, [done = std::move(done)](const Answer &answer) {
            if (done) done(answer.status(), answer.text());
        });
    }
    /// The same with all of the answer, such as the reason of a refusal.
    void send(const Request &r, OnAnswer done) const {
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
        auto held = std::make_unique<Awaited>(Awaited{this, "a callback of send", std::move(done)});
        const auto sent =
            function<&berth_host_client::send>(client_, BERTH_HOST_CLIENT_V1)(h_, &raw, Awaited::come, held.get());
        if (sent == BERTH_STATUS_SUCCESS) return (void)held.release();
        throw std::runtime_error((sent == BERTH_STATUS_CANCELLED ? "the instance is about to end; not sent: "
                                                                 : "the request was not declared, or cannot be sent "
                                                                   "here: ") +
                                 std::string(r.resource));
    }

    /// Reads one object, or a page of a kind, that was declared (Declare::read); `on_read` runs on the loop, also if no
    /// answer came. It is destroyed without having been run if the read is cancelled or the instance ends before.
    /// In a dry run and in a shadow nothing is read: `on_read` is destroyed at once, and the Reading is of no read.
    /// Throws if the read cannot be sent, and on a host that does not offer reads, which are a draft:
    /// <berth/reader.hpp>.
    Reading read(const Get &get, OnAnswer on_read) const;
    Reading read(const List &list, OnAnswer on_read) const;
    /// Ends a read, whose function is destroyed. False if it has run already. On the loop.
    bool cancel(Reading reading) const {
        return function<&berth_host_reader::cancel>(reader_, BERTH_HOST_READER_DRAFT1)(h_, reading.id) ==
               BERTH_STATUS_SUCCESS;
    }

    bool allow_waiting(std::string_view uid) const {
        return function<&berth_host_waiting_pods::allow>(waiting_, BERTH_HOST_WAITING_PODS_V1)(h_, to_str(uid)) ==
               BERTH_STATUS_SUCCESS;
    }
    bool reject_waiting(std::string_view uid, std::string_view reason) const {
        return function<&berth_host_waiting_pods::reject>(waiting_, BERTH_HOST_WAITING_PODS_V1)(
                   h_, to_str(uid), to_str(reason)) == BERTH_STATUS_SUCCESS;
    }
    /// Ends the wait of any pod in Permit with an error: it has to give way.
    bool preempt_waiting(std::string_view uid, std::string_view reason) const {
        return function<&berth_host_waiting_pods::preempt>(waiting_, BERTH_HOST_WAITING_PODS_V1)(
                   h_, to_str(uid), to_str(reason)) == BERTH_STATUS_SUCCESS;
    }
    /// Calls fn(const berth_pod *, std::string_view node) for each pod that waits in Permit; if fn returns a bool,
    /// false ends it.
    template <class Fn>
    void each_waiting(Fn &&fn) const {
        Visitor<Fn> visitor{fn};
        function<&berth_host_waiting_pods::visit>(waiting_, BERTH_HOST_WAITING_PODS_V1)(
            h_,
            [](void *ctx, const berth_pod *pod, berth_str node) noexcept -> std::int32_t {
                return Visitor<Fn>::of(ctx).run([&](auto &f) { return f(pod, view(node)); });
            },
            &visitor);
        visitor.end();
    }
    /// Ends the binding of a pod in PreBind with an error. False if there is none, and on a host that does not offer
    /// this, which is a draft.
    bool cancel_pre_bind(std::string_view uid, std::string_view reason) const {
        BERTH_USES_DRAFT(BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1);
        if (!in_pre_bind_) return false;
        return function<&berth_host_pods_in_pre_bind::cancel>(in_pre_bind_, BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1)(
                   h_, to_str(uid), to_str(reason)) == BERTH_STATUS_SUCCESS;
    }

    /// Writes a Kubernetes Event about an object; see berth_host_recorder. False if it cannot.
    bool event(const berth_object *regarding, std::string_view type, std::string_view reason, std::string_view action,
               std::string_view note) const {
        return recorder_ && recorder_->event(h_, regarding, to_str(type), to_str(reason), to_str(action),
                                             to_str(note)) == BERTH_STATUS_SUCCESS;
    }

    // Objects of the kinds that the instance declares to watch.
    Kind kind(std::string_view group, std::string_view version, std::string_view resource) const {
        return {function<&berth_host_cluster::kind>(cluster_, BERTH_HOST_CLUSTER_V1)(h_, to_str(group), to_str(version),
                                                                                     to_str(resource))};
    }
    /// The object of that name; one that is not there is false.
    Object get(Kind kind, std::string_view name_space, std::string_view name) const;
    /// Calls fn(Object) for each object of a namespace ("" is all), by namespace and name. If fn answers false, it
    /// ends.
    template <class Fn>
    void each(Kind kind, std::string_view name_space, Fn &&fn) const;
    std::uint64_t version_of(Kind kind) const {
        return function<&berth_host_cluster::version>(cluster_, BERTH_HOST_CLUSTER_V1)(h_, kind.id);
    }
    /// `changed(Object before, Object after)` runs on the loop for each change; one of them may be false. At create, or
    /// it throws.
    using Changed = std::function<void(const Object &before, const Object &after)>;
    void subscribe(Kind kind, Changed changed) const;

    const berth_host_delta &delta() const { return need(delta_, BERTH_HOST_DELTA_V1); }
    const berth_host_runner &runner() const { return need(runner_, BERTH_HOST_RUNNER_V1); }

    /// Calls fn(const berth_pod *) for each pod nominated to that node; if fn returns a bool, false ends it.
    template <class Fn>
    void each_nominated(std::string_view node, Fn &&fn) const {
        Visitor<Fn> visitor{fn};
        function<&berth_host_nominator::visit>(nominator_, BERTH_HOST_NOMINATOR_V1)(
            h_, to_str(node),
            [](void *ctx, const berth_pod *pod) noexcept -> std::int32_t {
                return Visitor<Fn>::of(ctx).run([&](auto &f) { return f(pod); });
            },
            &visitor);
        visitor.end();
    }
    bool remove_nomination(std::string_view uid) const {
        return function<&berth_host_nominator::remove>(nominator_, BERTH_HOST_NOMINATOR_V1)(h_, to_str(uid)) ==
               BERTH_STATUS_SUCCESS;
    }
    /// Puts a pending pod into the active queue at once.
    bool activate(std::string_view uid) const {
        return function<&berth_host_activator::activate>(activator_, BERTH_HOST_ACTIVATOR_V1)(h_, to_str(uid)) ==
               BERTH_STATUS_SUCCESS;
    }

    /// Fills in what there is of the pod group of that name; see PodGroup. False if nothing is known of it, and on a
    /// host that does not offer this, which is a draft.
    bool find_pod_group(std::string_view name_space, std::string_view name, berth_pod_group &out) const {
        BERTH_USES_DRAFT(BERTH_HOST_POD_GROUPS_DRAFT1);
        out = {};
        out.struct_size = sizeof out;
        if (!pod_groups_) return false;
        return function<&berth_host_pod_groups::get>(pod_groups_, BERTH_HOST_POD_GROUPS_DRAFT1)(
                   h_, to_str(name_space), to_str(name), &out) == BERTH_STATUS_SUCCESS;
    }
    /// Calls fn(std::string_view uid) for each pod of the group in these places (BERTH_GROUP_…).
    template <class Fn>
    void each_of_group(std::string_view name_space, std::string_view name, std::uint32_t which, Fn &&fn) const {
        BERTH_USES_DRAFT(BERTH_HOST_POD_GROUPS_DRAFT1);
        if (!pod_groups_) return;
        Visitor<Fn> visitor{fn};
        function<&berth_host_pod_groups::visit>(pod_groups_, BERTH_HOST_POD_GROUPS_DRAFT1)(
            h_, to_str(name_space), to_str(name), which,
            [](void *ctx, berth_str uid) noexcept -> std::int32_t {
                return Visitor<Fn>::of(ctx).run([&](auto &f) { return f(view(uid)); });
            },
            &visitor);
        visitor.end();
    }

    /// How many pods wait in these places (BERTH_PENDING_…) of the queue. Throws where berth_host_pending_pods may not
    /// be called. Nothing on a host that does not offer this, which is a draft.
    std::optional<std::uint64_t> count_pending(std::uint32_t places) const;
    /// As long as it is the same, so are the pending pods. Throws, and is nothing, as `count_pending`.
    std::optional<std::uint64_t> pending_version() const;
    /// Calls fn(PendingPod) for each pod in these places, the active ones first; if fn returns a bool, false ends it.
    /// <berth/pending_pod.hpp>. Throws where berth_host_pending_pods may not be called, and if fn activates a pod:
    /// collect the UIDs, and activate the pods afterwards. False on a host that does not offer this, which is a draft.
    template <class Fn>
    bool each_pending(std::uint32_t places, Fn &&fn) const;

    /// Why they failed, or "" and the candidates that they left.
    using Narrowed = std::function<void(std::string_view error, std::span<const berth_candidate> left)>;
    /// Has the extenders choose among the candidates of a preemption; see berth_host_extenders. `done` runs before this
    /// returns, or later. It is destroyed without having been run if PostFilter or the instance ends before. Throws if
    /// the extenders cannot be asked. A host that does not offer this, which is a draft, leaves all candidates.
    void narrow(const berth_call *call, std::span<const berth_candidate> candidates, Narrowed done) const {
        BERTH_USES_DRAFT(BERTH_HOST_EXTENDERS_DRAFT1);
        if (!extenders_) return done({}, candidates);
        struct Held {
            const Host *host;
            Narrowed done;
        };
        auto held = std::make_unique<Held>(Held{this, std::move(done)});
        Held *const ctx = held.get();
        const auto asked = function<&berth_host_extenders::narrow>(extenders_, BERTH_HOST_EXTENDERS_DRAFT1)(
            h_, call, candidates.data(), candidates.size(),
            [](void *it, std::int32_t code, berth_str error, const berth_candidate *left, std::uint64_t n) {
                const std::unique_ptr<Held> own(static_cast<Held *>(it));
                if (code != BERTH_STATUS_CANCELLED && own->done)
                    own->host->contain("a callback of narrow", [&] { own->done(view(error), {left, n}); });
            },
            ctx);
        if (asked == BERTH_STATUS_SUCCESS) return (void)held.release();
        throw std::runtime_error(asked == BERTH_STATUS_CANCELLED
                                     ? "the instance is about to end; the extenders were not asked"
                                     : "what the extenders were to narrow is no candidate");
    }

    /// See Nomination::victims.
    void name_victims(berth_nomination *nomination, std::span<const std::uint32_t> rows,
                      std::string_view reason) const {
        BERTH_USES_DRAFT(BERTH_HOST_VICTIMS_DRAFT1);
        if (!victims_) return;
        const auto name = function<&berth_host_victims::name>(victims_, BERTH_HOST_VICTIMS_DRAFT1);
        if (name(h_, nomination, rows.data(), rows.size(), to_str(reason)) != BERTH_STATUS_SUCCESS)
            throw std::logic_error("what was named as victims are not 1 to 10,000 different pods on nodes");
    }

private:
    Reading read(const berth_read &read, OnAnswer on_read) const;
    void write(std::uint32_t severity, std::uint32_t verbosity, std::string_view message, Fields fields) const {
        BERTH_USES_DRAFT(BERTH_HOST_LOG_FIELDS_DRAFT1);
        if (!log_ || !log_->enabled(h_, severity, verbosity)) return;
        std::vector<berth_kv> raw;
        for (const auto &field : fields) raw.push_back(field.raw());
        if (!log_fields_) {
            detail::LogLine line;
            line.bare_message(message);
            line.add(raw);
            return log_->write(h_, severity, verbosity, to_str(line.take()));
        }
        log_fields_->write(h_, severity, verbosity, to_str(message), raw.data(), raw.size());
    }
    template <class S>
    Labelled<S> metric(std::uint32_t kind, std::string_view name, std::string_view help, std::span<const double> bounds,
                       std::initializer_list<std::string_view> labels, std::uint32_t most_series) const {
        BERTH_USES_DRAFT(BERTH_HOST_METRICS_DRAFT1);
        if (!metrics_) return {};
        berth_metric raw{};
        raw.kind = kind;
        raw.most_series = most_series;
        raw.bounds = bounds.data();
        raw.bounds_len = bounds.size();
        return {h_, metrics_, detail::define(h_, *metrics_, raw, name, help, labels), labels.size()};
    }

    /// A function that a host calls for each of several things. What it throws waits until the host has returned, and
    /// ends the rest.
    template <class Fn>
    struct Visitor {
        Fn &fn;
        std::exception_ptr thrown{};

        static Visitor &of(void *ctx) { return *static_cast<Visitor *>(ctx); }
        /// Whether to go on.
        template <class Call>
        bool run(Call &&call) noexcept {
            if (thrown) return false;
            try {
                if constexpr (std::is_same_v<decltype(call(fn)), bool>) return call(fn);
                else return call(fn), true;
            } catch (...) {
                thrown = std::current_exception();
                return false;
            }
        }
        void end() const {
            if (thrown) std::rethrow_exception(thrown);
        }
    };

    friend class Object;
    struct Subscription {
        const Host *host;
        Changed changed;
    };
    mutable std::vector<std::unique_ptr<Subscription>> subscriptions_;  // what the host calls back with
};

}  // namespace berth
