// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fake host of one plugin instance in a test: services over the test's cluster. It writes down what they are
/// asked. Time stands still until the test lets it pass; the API server answers when the test says so, or at once.

#include <berth/draft/cancellation.h>
#include <berth/draft/kubernetes.h>
#include <berth/draft/log_fields.h>
#include <berth/draft/pod_groups.h>
#include <berth/draft/victims.h>
#include <berth/detail/log_line.hpp>
#include <berth/testing/answer.hpp>
#include <berth/testing/answers.hpp>
#include <berth/testing/cluster.hpp>
#include <berth/testing/metrics.hpp>
#include <berth/testing/pending_pods.hpp>
#include <berth/testing/reads.hpp>
#include <berth/testing/sinks.hpp>
#include <berth/testing/state.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <span>

namespace berth::testing {

/// A request that the plugin sent.
struct Sent {
    std::string method, group, version, resource, name_space, name, subresource, content_type, body;
    /// As a right is written: "create v1/pods/binding".
    std::string right() const {
        return method + " " + (group.empty() ? "" : group + "/") + version + "/" + resource +
               (subresource.empty() ? "" : "/" + subresource);
    }
};

/// A pod group of a test; its pods are UIDs.
struct TestGroup {
    std::string name_space, name;
    std::int64_t min_count = 0;  ///< of a gang; 0: basic
    bool exists = true;          ///< the PodGroup, and not only pods that name it
    std::vector<std::string> unscheduled, assumed, assigned;
};

class Host {
    berth_host host_{};
    /// Called with BERTH_STATUS_SUCCESS when its time has come, with BERTH_STATUS_CANCELLED if it does not come.
    struct Later {
        std::uint64_t id;  ///< of a timer or read; else 0
        std::function<void(std::int32_t code)> fn;
        bool read = false;
    };
    std::multimap<std::int64_t, Later> later_;  ///< by the time at which they run
    std::uint64_t last_timer_ = 0;              ///< and read
    std::size_t pending_reads_ = 0;
    /// Calls that may be answered later and have not ended, and what waits for their cancellation.
    std::map<const berth_call *, std::vector<std::function<void(std::int32_t code)>>> open_calls_;
    bool ended_ = false;
    std::vector<PendingPod> versioned_;  ///< what was pending when the plugin last asked for the version
    std::string versioned_tried_;
    std::uint64_t version_ = 1;
    std::vector<std::string> state_keys_;
    DeclareSlot declared_;
    std::vector<std::array<std::string, 3>> kinds_;
    struct Subscription {
        std::uint32_t kind;
        void (*changed)(void *ctx, const berth_object *before, const berth_object *after);
        void *ctx;
    };
    std::vector<Subscription> subscriptions_;
    std::shared_ptr<const Cluster::Changed> on_change_;  ///< once the instance is made
    std::map<const berth_object *, void *> prepared_;
    std::vector<std::string> prepare_texts_;
    std::vector<berth_str> prepare_views_;
    std::recursive_mutex mutex_;  ///< of the log and of what was counted: for any thread
    Metrics counted_{metrics};

public:
    Cluster &cluster;
    // What the plugin did.
    std::vector<std::string> log;     ///< lines, errors with "error: " before them, warnings with "warning: "
    std::vector<Sent> sent;           ///< to the API server
    std::vector<std::string> read;    ///< from it: "get v1/configmaps kube-system/a", "list v1/configmaps default/"
    std::vector<std::string> events;  ///< Kubernetes Events: "Warning Reason Action note"
    std::vector<std::string> allowed, rejected, activated;  ///< UIDs of pods
    std::vector<std::string> reject_reasons;                ///< of those `rejected`, one for each
    /// Of the last line with fields, as it has them: `"default/a"`, `3`. The host adds the pod, and this does not.
    std::map<std::string, std::string> log_fields;
    /// What was counted, as Prometheus has it but for "plugin_" and the host's labels: `gang_waiting{group="a"}`. A
    /// histogram has `…_sum`, `…_count` and, with the label `le`, `…_bucket`.
    std::map<std::string, double> metrics;
    // What the world is.
    std::int64_t now_ns = 1'767'225'600'000'000'000;  ///< 2026-01-01T00:00:00Z
    std::uint64_t seed = 1;
    std::function<ApiAnswer(const Sent &)> api = [](const Sent &) { return ApiAnswer{}; };
    /// What reads are answered instead of the cluster's objects, with a status of 400 or above, or 0 for no answer.
    std::optional<ApiAnswer> no_reads{};
    std::vector<std::pair<std::string, std::string>> waiting;    ///< pods that wait in Permit, and their nodes
    std::vector<std::pair<std::string, std::string>> nominated;  ///< pods that are not placed yet, and their nodes
    std::vector<TestGroup> pod_groups;
    /// Pods that wait in the queue, in the order in which a visit has them; their version is that of this list.
    std::vector<PendingPod> pending;
    // Of the plugin; set by berth::testing::Plugin.
    const berth_plugin_prepare *prepare = nullptr;
    void *self = nullptr;
    /// In create, PreEnqueue, QueueSort and hint: a host does not show what is pending then.
    bool changes_queue = false;
    /// The pod of the plugin's call, from PreFilter to PostBind: it is not pending meanwhile. "": there is none.
    std::string tried{};

    explicit Host(Cluster &c) : cluster(c) {
        host_ = {sizeof host_, 0, BERTH_ABI_MINOR, 0, this, BERTH_STR("berth-testing"), BERTH_STR(BERTH_VERSION),
                 get_service};
    }
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;
    const berth_host *raw() const { return &host_; }

    /// What a plugin sees of the group of that name.
    berth_pod_group pod_group(std::string_view name_space, std::string_view name) const {
        berth_pod_group out{};
        out.struct_size = sizeof out;
        const auto *group = find_group(name_space, name);
        if (!group) return out;
        out.obj = group->exists ? group_object() : nullptr;
        out.namespace_ = to_str(group->name_space);
        out.name = to_str(group->name);
        out.min_count = group->exists ? group->min_count : 0;
        out.pods = group->unscheduled.size() + group->assumed.size() + group->assigned.size();
        out.assumed = group->assumed.size();
        out.assigned = group->assigned.size();
        return out;
    }

    /// The number of that name and those labels; 0 if nothing was counted.
    double metric(const std::string &series) const {
        const auto found = metrics.find(series);
        return found == metrics.end() ? 0 : found->second;
    }

    /// The pod of that name as the queue has it.
    berth_pod queued_pod(std::string_view name) const { return testing::queued_pod(cluster, pending, name); }

    /// Runs what is due: answers of the API server, tasks, timers.
    void run() {
        while (!later_.empty() && later_.begin()->first <= now_ns) {
            auto now = std::move(later_.begin()->second);
            later_.erase(later_.begin());
            now.fn(BERTH_STATUS_SUCCESS);
        }
    }
    void pass_seconds(double seconds) {
        const auto until = now_ns + static_cast<std::int64_t>(seconds * 1e9);
        run();
        while (!later_.empty() && later_.begin()->first <= until) {
            now_ns = later_.begin()->first;
            run();
        }
        now_ns = until;
    }
    /// The instance is made. Subscribers are notified of the objects that there are, and from now on of each change.
    void begin() {
        on_change_ = std::make_shared<const Cluster::Changed>(
            [this](const StoredObject *before, const StoredObject *after) { object_changed(before, after); });
        cluster.notify(on_change_);
        for (std::uint32_t kind = 1; kind <= kinds_.size(); ++kind)
            for (const auto &one : subscriptions_)
                if (one.kind == kind)
                    for (const auto *object : seen(kind, {})) one.changed(one.ctx, nullptr, object->handle());
    }
    /// The instance is about to end: what it waits for does not come any more.
    void end() {
        ended_ = true;
        on_change_.reset();
        for (auto &[time, left] : std::exchange(later_, {})) left.fn(BERTH_STATUS_CANCELLED);
        for (auto &[call, functions] : std::exchange(open_calls_, {}))
            for (auto &fn : functions) fn(BERTH_STATUS_CANCELLED);
    }
    /// A call that may be answered later begins, is cancelled, or has ended. For berth::testing::Plugin.
    void call_began(const berth_call *call) { open_calls_[call]; }
    void call_cancelled(const berth_call *call) {
        auto found = open_calls_.find(call);
        if (found == open_calls_.end()) return;
        for (auto &fn : std::exchange(found->second, {})) later_.emplace(now_ns, Later{0, std::move(fn)});
    }
    void call_ended(const berth_call *call) {
        auto ended = open_calls_.extract(call);
        if (ended.empty()) return;
        for (auto &fn : ended.mapped())
            later_.emplace(now_ns, Later{0, [fn = std::move(fn)](std::int32_t) { fn(BERTH_STATUS_CANCELLED); }});
    }
    /// What the instance may see, send and read. Like watches, writes and reads of a note.
    const std::vector<std::string> &writes() { return (*declared_).writes; }
    const std::vector<std::string> &reads() { return (*declared_).reads; }
    const std::vector<std::string> &watches() { return (*declared_).watches; }
    /// The kind of the object as a note has it, if the instance watches it, also if not this object; else "".
    std::string watched_kind(const StoredObject &object) {
        for (const auto &path : watches())
            if (const auto [group, version, resource] = kind_of(path); cluster.is_of(object, group, version, resource))
                return path;
        return {};
    }
    /// Does the instance see this object of a kind?
    bool sees(const std::string &kind, const StoredObject &object) {
        return (*declared_).sees(kind, object.name_space, object.name, object.tree);
    }
    const std::string &declare_fault() { return (*declared_).fault; }
    berth_declare_sink *declare_sink() { return declared_.handle(); }
    void drop_prepared() {
        for (const auto &[object, data] : std::exchange(prepared_, {}))
            if (data && prepare) prepare->drop(self, data);
    }

private:
    static Host &of(const berth_host *h) { return *static_cast<Host *>(h->ctx); }
    static std::string text(berth_str s) { return std::string(view(s)); }
    template <class T>
    static std::uint32_t intern(std::vector<T> &names, const T &name) {
        auto found = std::ranges::find(names, name);
        if (found == names.end()) found = names.insert(found, name);
        return static_cast<std::uint32_t>(found - names.begin()) + 1;
    }
    /// Is the object of the kind that a plugin calls by group, version and plural, and one that it watches?
    bool is_of(const StoredObject &object, std::uint32_t kind) {
        if (kind == 0 || kind > kinds_.size()) return false;
        const auto &[group, version, resource] = kinds_[kind - 1];
        if (!cluster.is_of(object, group, version, resource)) return false;
        return sees(kind_path(group, version, resource), object);
    }
    /// Those objects of a kind, and of a namespace ("": all), by namespace and name.
    std::vector<const StoredObject *> seen(std::uint32_t kind, std::string_view name_space) {
        std::vector<const StoredObject *> found;
        for (const auto &o : cluster.others())
            if (is_of(*o, kind) && (name_space.empty() || o->name_space == name_space)) found.push_back(o.get());
        std::ranges::sort(found, {}, [](const StoredObject *o) { return std::tie(o->name_space, o->name); });
        return found;
    }
    void object_changed(const StoredObject *before, const StoredObject *after) {
        for (const auto &one : subscriptions_) {
            const auto *then = before && is_of(*before, one.kind) ? before->handle() : nullptr;
            const auto *now = after && is_of(*after, one.kind) ? after->handle() : nullptr;
            if (then || now) one.changed(one.ctx, then, now);
        }
    }

    static const void *get_service(const berth_host *h, berth_str id);

    static std::int32_t log_enabled(const berth_host *, std::uint32_t, std::uint32_t) { return 1; }
    static void log_write(const berth_host *h, std::uint32_t severity, std::uint32_t, berth_str line) {
        const char *before = severity == BERTH_LOG_ERROR ? "error: " : severity == BERTH_LOG_WARNING ? "warning: " : "";
        const std::scoped_lock lock(of(h).mutex_);
        of(h).log.push_back(before + text(line));
    }
    static void log_write_fields(const berth_host *h, std::uint32_t severity, std::uint32_t verbosity,
                                 berth_str message, const berth_kv *fields, std::uint64_t n) {
        auto &host = of(h);
        const std::scoped_lock lock(host.mutex_);
        host.log_fields.clear();
        const std::span all(fields, fields ? static_cast<std::size_t>(n) : 0);
        for (const auto &field : all.first(std::min(all.size(), berth::detail::most_fields))) {
            berth::detail::LogLine only;
            only.add({&field, 1});
            const auto line = only.take();
            if (line.empty()) continue;
            host.log_fields[text(field.key)] = line.substr(line.find('=') + 1);
        }
        berth::detail::LogLine line;
        line.message(berth::detail::text_or_none(message));
        line.add(all);
        log_write(h, severity, verbosity, to_str(line.take()));
    }
    static std::int32_t metrics_define(const berth_host *h, const berth_metric *metric, std::uint32_t *id) {
        auto &host = of(h);
        const std::scoped_lock lock(host.mutex_);
        *id = 0;
        if (auto code = readable(*metric); code != BERTH_STATUS_SUCCESS) return code;
        const auto defined = host.counted_.define(*metric);
        *id = defined.id;
        if (!defined.error.empty()) host.log.push_back("error: " + defined.error);
        return defined.code;
    }
    static std::uint64_t metrics_series(const berth_host *h, std::uint32_t id, const berth_str *values,
                                        std::uint64_t n) {
        const std::scoped_lock lock(of(h).mutex_);
        return of(h).counted_.series(id, {values, static_cast<std::size_t>(n)});
    }
    static void metrics_add(const berth_host *h, std::uint64_t id, double n) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.add(id, n);
    }
    static void metrics_set(const berth_host *h, std::uint64_t id, double value) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.set(id, value);
    }
    static void metrics_observe(const berth_host *h, std::uint64_t id, double value) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.observe(id, value);
    }
    static void metrics_end(const berth_host *h, std::uint64_t id) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.end(id);
    }
    static const berth_value *object_get(const berth_host *, const berth_object *o, berth_str pointer) {
        return at_pointer(StoredObject::of(o).tree, view(pointer)).raw();
    }
    static void object_keep(const berth_host *, const berth_object *) {}
    static std::int32_t object_meta(const berth_host *, const berth_object *o, berth_object_meta *out) {
        const auto &object = StoredObject::of(o);
        out->struct_size = std::min(out->struct_size, std::uint32_t{sizeof *out});
        out->namespace_ = to_str(object.name_space), out->name = to_str(object.name), out->uid = to_str(object.uid);
        out->resource_version = to_str(object.resource_version);
        out->labels = object.labels.data(), out->labels_len = object.labels.size();
        return BERTH_STATUS_SUCCESS;
    }
    static std::uint32_t state_key(const berth_host *h, berth_str name) {
        return intern(of(h).state_keys_, text(name));
    }
    static std::int32_t state_put(const berth_host *h, berth_state *s, std::uint32_t key, void *data,
                                  const berth_plugin_state_type *t) {
        if (key == 0 || key > of(h).state_keys_.size()) return BERTH_STATUS_INVALID;
        if (auto code = t ? readable(*t) : BERTH_STATUS_SUCCESS; code != BERTH_STATUS_SUCCESS) return code;
        testing::State::of(s).put(key, data, t);
        return BERTH_STATUS_SUCCESS;
    }
    static void *state_get(const berth_host *, const berth_state *s, std::uint32_t key) {
        return testing::State::of(s).get(key);
    }
    static std::uint32_t column_declare(const berth_host *h, std::uint32_t kind, berth_str key) {
        return of(h).cluster.columns.declare(kind, view(key));
    }
    static std::uint64_t random_value(const berth_host *h, const berth_call *call, std::uint32_t slot,
                                      std::uint64_t salt) {
        auto x = of(h).seed;  // splitmix64 over all that it depends on
        for (std::uint64_t more : {call ? call->cycle_id : 0, std::uint64_t{slot}, salt}) {
            x += more + 0x9e3779b97f4a7c15u;
            x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
            x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
            x ^= x >> 31;
        }
        return x;
    }
    static std::int64_t clock_now(const berth_host *h) { return of(h).now_ns; }
    static std::uint64_t clock_after(const berth_host *h, std::int64_t ns, void (*fn)(void *, std::int32_t),
                                     void *ctx) {
        if (!fn || of(h).ended_) return 0;
        const auto id = ++of(h).last_timer_;
        of(h).later_.emplace(of(h).now_ns + ns, Later{id, [fn, ctx](std::int32_t code) { fn(ctx, code); }});
        return id;
    }
    static std::int32_t clock_cancel(const berth_host *h, std::uint64_t timer) { return of(h).cancel(timer, false); }
    static std::int32_t reader_cancel(const berth_host *h, std::uint64_t id) { return of(h).cancel(id, true); }
    /// A timer, or a read; the one's number is never the other's.
    std::int32_t cancel(std::uint64_t id, bool a_read) {
        auto &all = later_;
        auto found = std::ranges::find_if(
            all, [&](const auto &one) { return id && one.second.id == id && one.second.read == a_read; });
        if (found == all.end()) return BERTH_STATUS_NOT_FOUND;
        auto fn = std::move(found->second.fn);
        const auto time = found->first;
        all.erase(found);
        // A host counts a cancelled read until the API server has answered it.
        if (a_read) all.emplace(time, Later{0, [this](std::int32_t) { --pending_reads_; }});
        fn(BERTH_STATUS_CANCELLED);
        return BERTH_STATUS_SUCCESS;
    }
    static std::int32_t client_send(const berth_host *h, const berth_request *r,
                                    void (*on_done)(void *, const berth_answer *), void *ctx) {
        auto &host = of(h);
        if (!r || !on_done) return BERTH_STATUS_INVALID;
        if (auto code = readable(*r); code != BERTH_STATUS_SUCCESS) return code;
        if (host.ended_) return BERTH_STATUS_CANCELLED;
        Sent sent{verb_name(r->verb),   text(r->group),        text(r->version),
                  text(r->resource),    text(r->namespace_),   text(r->name),
                  text(r->subresource), text(r->content_type), text(r->body)};
        if (!host.on_change_ || !std::ranges::count(host.writes(), sent.right())) return BERTH_STATUS_UNSUPPORTED;
        host.sent.push_back(sent);
        host.later_.emplace(host.now_ns, Later{0, [&host, sent, to = Taker{on_done, ctx}](std::int32_t code) {
                                                   if (code == BERTH_STATUS_CANCELLED)
                                                       return to.none(code, "the instance has ended");
                                                   sent_to(host.api(sent), sent, to);
                                               }});
        return BERTH_STATUS_SUCCESS;
    }
    static void sent_to(const ApiAnswer &answer, const Sent &sent, const Taker &to) {
        const bool done = answer.status >= 200 && answer.status < 300;
        if (done && sent.right() == "create v1/pods/binding") return to.success(answer.status, "{}", nullptr);
        to.answer(answer, {sent.group, sent.resource, sent.name});
    }
    static void reader_declare(const berth_host *, berth_declare_sink *to, std::uint32_t verb, berth_str group,
                               berth_str version, berth_str resource) {
        DeclareSlot::of(to).reads.push_back(berth::detail::read_text(verb, view(group), view(version), view(resource)));
    }
    static std::int32_t reader_read(const berth_host *h, const berth_read *r,
                                    void (*on_read)(void *, const berth_answer *), void *ctx, std::uint64_t *id) {
        auto &host = of(h);
        if (id) *id = 0;
        if (!r || !on_read) return BERTH_STATUS_INVALID;
        if (auto code = readable(*r); code != BERTH_STATUS_SUCCESS) return code;
        if (!berth::detail::fault_of(*r).empty()) return BERTH_STATUS_INVALID;
        const TestRead what(*r);
        if (host.ended_) return BERTH_STATUS_CANCELLED;
        if (!host.on_change_ || !std::ranges::count(host.reads(), what.right())) return BERTH_STATUS_INVALID;
        if (host.pending_reads_ == BERTH_READ_MOST_PENDING) return BERTH_STATUS_BUSY;
        host.read.push_back(what.right() + " " + what.name_space + "/" + what.name);
        ++host.pending_reads_;
        const auto number = ++host.last_timer_;
        if (id) *id = number;
        auto come = [&host, what, to = Taker{on_read, ctx}](std::int32_t code) {
            if (code == BERTH_STATUS_CANCELLED) return to.none(code, "the read was cancelled");
            --host.pending_reads_;
            if (host.no_reads) to.answer(*host.no_reads, what.about());
            else what.answer(host.cluster, to);
        };
        host.later_.emplace(host.now_ns, Later{number, std::move(come), true});
        return BERTH_STATUS_SUCCESS;
    }
    std::int32_t answer_waiting(berth_str uid, std::vector<std::string> &into) {
        for (const auto &[pod, node] : waiting)
            if (view(cluster.pod(pod)->uid) == view(uid)) return into.push_back(text(uid)), BERTH_STATUS_SUCCESS;
        return BERTH_STATUS_NOT_FOUND;
    }
    static std::int32_t waiting_allow(const berth_host *h, berth_str uid) {
        return of(h).answer_waiting(uid, of(h).allowed);
    }
    static std::int32_t waiting_reject(const berth_host *h, berth_str uid, berth_str reason) {
        const auto code = of(h).answer_waiting(uid, of(h).rejected);
        if (code == BERTH_STATUS_SUCCESS) of(h).reject_reasons.push_back(text(reason));
        return code;
    }
    static void waiting_visit(const berth_host *h, std::int32_t (*visit)(void *, const berth_pod *, berth_str),
                              void *ctx) {
        for (const auto &[pod, node] : of(h).waiting)
            if (!visit(ctx, of(h).cluster.pod(pod), to_str(node))) return;
    }
    static std::int32_t recorder_event(const berth_host *h, const berth_object *, berth_str type, berth_str reason,
                                       berth_str action, berth_str note) {
        if (view(type) != "Normal" && view(type) != "Warning") return BERTH_STATUS_INVALID;
        for (auto word : {reason, action})
            if (word.len < 1 || word.len > 128) return BERTH_STATUS_INVALID;
        of(h).events.push_back(text(type) + " " + text(reason) + " " + text(action) + " " + text(note));
        return BERTH_STATUS_SUCCESS;
    }
    static std::uint32_t cluster_kind(const berth_host *h, berth_str group, berth_str version, berth_str resource) {
        return intern(of(h).kinds_, {text(group), text(version), text(resource)});
    }
    static const berth_object *cluster_get(const berth_host *h, std::uint32_t kind, berth_str name_space,
                                           berth_str name) {
        for (const auto &o : of(h).cluster.others())
            if (of(h).is_of(*o, kind) && o->name_space == view(name_space) && o->name == view(name)) return o->handle();
        return nullptr;
    }
    static void cluster_list(const berth_host *h, std::uint32_t kind, berth_str name_space,
                             std::int32_t (*visit)(void *, const berth_object *), void *ctx) {
        for (const auto *o : of(h).seen(kind, view(name_space)))
            if (!visit(ctx, o->handle())) return;
    }
    static std::uint64_t cluster_version(const berth_host *h, std::uint32_t) {
        return of(h).cluster.nodes()->snapshot_id;
    }
    static std::int32_t cluster_subscribe(const berth_host *h, std::uint32_t kind,
                                          void (*changed)(void *, const berth_object *, const berth_object *),
                                          void *ctx) {
        auto &host = of(h);
        if (!changed || kind == 0 || kind > host.kinds_.size() || host.on_change_ || host.ended_)
            return BERTH_STATUS_INVALID;
        host.subscriptions_.push_back({kind, changed, ctx});
        return BERTH_STATUS_SUCCESS;
    }
    static void nominator_visit(const berth_host *h, berth_str node, std::int32_t (*visit)(void *, const berth_pod *),
                                void *ctx) {
        const auto all = of(h).nominated;
        for (const auto &[pod, name] : all)
            if (name == view(node) && !visit(ctx, of(h).cluster.pod(pod))) return;
    }
    static std::int32_t nominator_remove(const berth_host *h, berth_str uid) {
        const auto removed = std::erase_if(
            of(h).nominated, [&](const auto &one) { return view(of(h).cluster.pod(one.first)->uid) == view(uid); });
        return removed > 0 ? BERTH_STATUS_SUCCESS : BERTH_STATUS_NOT_FOUND;
    }
    static std::int32_t delta_changes(const berth_host *, const berth_nodes *, std::uint64_t,
                                      const berth_plugin_changes *, void *) {
        return BERTH_STATUS_NOT_FOUND;  // "begin anew": always allowed
    }
    static std::int32_t activate(const berth_host *h, berth_str uid) {
        of(h).activated.push_back(text(uid));
        return BERTH_STATUS_SUCCESS;
    }
    static std::int32_t task_submit(const berth_host *h, void (*run)(void *, const std::uint32_t *),
                                    void (*done)(void *, std::int32_t), void *ctx) {
        if (of(h).ended_) return BERTH_STATUS_CANCELLED;
        of(h).later_.emplace(of(h).now_ns, Later{0, [run, done, ctx](std::int32_t code) {
                                                     const std::uint32_t cancel = 0;
                                                     if (code == BERTH_STATUS_SUCCESS) run(ctx, &cancel);
                                                     done(ctx, code);
                                                 }});
        return BERTH_STATUS_SUCCESS;
    }
    static std::int32_t cancellation_after(const berth_host *h, const berth_call *call,
                                           void (*fn)(void *, std::int32_t), void *ctx) {
        if (of(h).ended_) return BERTH_STATUS_CANCELLED;
        auto found = of(h).open_calls_.find(call);
        if (!fn || found == of(h).open_calls_.end()) return BERTH_STATUS_INVALID;
        found->second.emplace_back([fn, ctx](std::int32_t code) { fn(ctx, code); });
        if (berth_cancelled(call)) of(h).call_cancelled(call);
        return BERTH_STATUS_SUCCESS;
    }
    static std::int32_t victims_name(const berth_host *h, berth_nomination *n, const std::uint32_t *rows,
                                     std::uint64_t count, berth_str reason) {
        constexpr std::uint64_t most = 10'000, longest = 512;
        if (count < 1 || count > most || !rows) return BERTH_STATUS_INVALID;
        auto &to = Nominated::behind(n);
        std::vector<std::uint32_t> sorted(rows, rows + count);
        std::ranges::sort(sorted);
        if (std::ranges::adjacent_find(sorted) != sorted.end() || sorted.back() >= to.pods->rows)
            return BERTH_STATUS_INVALID;
        to.victims.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto *pod = Cluster::look_ups().pod(h, to.pods, rows[i]);
            to.victims.push_back(text(pod->namespace_) + "/" + text(pod->name));
        }
        to.victims_reason = text(reason).substr(0, longest);
        return BERTH_STATUS_SUCCESS;
    }
    const TestGroup *find_group(std::string_view name_space, std::string_view name) const {
        for (const auto &group : pod_groups)
            if (group.name_space == name_space && group.name == name) return &group;
        return nullptr;
    }
    /// Stands for every PodGroup: it has a name and nothing else.
    static const berth_object *group_object() {
        static Trees trees;
        static const StoredObject group{Value(Yaml::read(trees, "{kind: PodGroup, metadata: {name: group}}").front())};
        return group.handle();
    }
    static std::int32_t groups_get(const berth_host *h, berth_str name_space, berth_str name, berth_pod_group *out) {
        *out = of(h).pod_group(view(name_space), view(name));
        return out->name.len > 0 ? BERTH_STATUS_SUCCESS : BERTH_STATUS_NOT_FOUND;
    }
    static void groups_visit(const berth_host *h, berth_str name_space, berth_str name, std::uint32_t which,
                             std::int32_t (*visit)(void *, berth_str), void *ctx) {
        const auto *group = of(h).find_group(view(name_space), view(name));
        if (!group) return;
        std::vector<std::string> uids;
        auto take = [&](std::uint32_t place, const std::vector<std::string> &of_place) {
            if ((which & place) != 0) uids.insert(uids.end(), of_place.begin(), of_place.end());
        };
        take(BERTH_GROUP_UNSCHEDULED, group->unscheduled);
        take(BERTH_GROUP_ASSUMED, group->assumed);
        take(BERTH_GROUP_ASSIGNED, group->assigned);
        std::ranges::sort(uids);
        for (const auto &uid : uids)
            if (visit(ctx, to_str(uid)) == 0) return;
    }
    static std::int32_t pending_count(const berth_host *h, std::uint32_t places, std::uint64_t *n) {
        if (!n) return BERTH_STATUS_INVALID;
        *n = 0;
        if (!of(h).shows_pending() || !are_pending_places(places)) return BERTH_STATUS_INVALID;
        visit_pending(of(h).cluster, of(h).pending, of(h).tried_pod(), places, [&](const auto *) { return ++*n > 0; });
        return BERTH_STATUS_SUCCESS;
    }
    static std::int32_t pending_version(const berth_host *h, std::uint64_t *version) {
        if (!version) return BERTH_STATUS_INVALID;
        *version = 0;
        auto &host = of(h);
        if (!host.shows_pending()) return BERTH_STATUS_INVALID;
        if (host.pending != host.versioned_ || host.tried != host.versioned_tried_) ++host.version_;
        host.versioned_ = host.pending;
        host.versioned_tried_ = host.tried;
        *version = host.version_;
        return BERTH_STATUS_SUCCESS;
    }
    bool shows_pending() const { return !ended_ && !changes_queue; }
    const berth_pod *tried_pod() const { return tried.empty() ? nullptr : cluster.pod(tried); }
    static std::int32_t pending_visit(const berth_host *h, std::uint32_t places,
                                      std::int32_t (*visit)(void *, const berth_pending_pod *), void *ctx) {
        const auto &host = of(h);
        if (!visit || !host.shows_pending() || !are_pending_places(places)) return BERTH_STATUS_INVALID;
        const auto before = host.activated.size();
        bool changed = false;
        visit_pending(host.cluster, host.pending, host.tried_pod(), places, [&](const berth_pending_pod *pod) {
            const bool more = visit(ctx, pod) != 0;
            changed = host.activated.size() != before;
            return more && !changed;
        });
        return changed ? BERTH_STATUS_CANCELLED : BERTH_STATUS_SUCCESS;
    }
    static std::uint32_t kubernetes_minor(const berth_host *h) { return of(h).cluster.kubernetes; }
    static std::int32_t kubernetes_gate(const berth_host *h, berth_str name) {
        const auto &gates = of(h).cluster.gates;
        const auto found = gates.find(view(name));
        return found == gates.end() ? BERTH_STATUS_NOT_FOUND : std::int32_t{found->second};
    }
    static std::int32_t prepared_get(const berth_host *h, const berth_object *o, void **out, const berth_str **texts,
                                     std::uint64_t *n) {
        auto &host = of(h);
        *out = nullptr;
        if (texts) *texts = nullptr;
        if (n) *n = 0;
        if (!host.prepare) return BERTH_STATUS_UNSUPPORTED;
        auto [found, is_new] = host.prepared_.try_emplace(o);
        if (is_new) {
            Answer answer;
            StatusSlot status(answer);
            host.prepare->prepare(host.self, o, &found->second, status.raw());
            status.take();
            if (!answer.ok()) {
                host.prepared_.erase(found);
                host.prepare_texts_ = answer.texts();
                host.prepare_views_.clear();
                for (const auto &one : host.prepare_texts_) host.prepare_views_.push_back(to_str(one));
                if (texts) *texts = host.prepare_views_.data();
                if (n) *n = host.prepare_views_.size();
                return answer.code();
            }
        }
        *out = found->second;
        return BERTH_STATUS_SUCCESS;
    }
};

/// As long as it lives, the host changes its queue.
class ChangesQueue {
    Host &host_;

public:
    explicit ChangesQueue(Host &host) : host_(host) { host_.changes_queue = true; }
    ~ChangesQueue() { host_.changes_queue = false; }
    ChangesQueue(const ChangesQueue &) = delete;
    ChangesQueue &operator=(const ChangesQueue &) = delete;
};

/// As long as it lives, the host tries the pod. Not to be nested.
class Tries {
    Host &host_;

public:
    Tries(Host &host, std::string_view pod) : host_(host) { host_.tried = pod; }
    ~Tries() { host_.tried.clear(); }
    Tries(const Tries &) = delete;
    Tries &operator=(const Tries &) = delete;
};

}  // namespace berth::testing
