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
#include <berth/testing/cluster.hpp>
#include <berth/testing/metrics.hpp>
#include <berth/testing/pending_pods.hpp>
#include <berth/testing/sinks.hpp>
#include <berth/testing/state.hpp>

#include <functional>
#include <mutex>
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

/// What the API server answers.
struct ApiAnswer {
    std::int32_t status = 201;
    std::string text = "{}";
};

class Host {
    berth_host host_{};
    /// Called with BERTH_STATUS_SUCCESS when its time has come, with BERTH_STATUS_CANCELLED if it does not come.
    struct Later {
        std::uint64_t id;  ///< of a timer; else 0
        std::function<void(std::int32_t code)> fn;
    };
    std::multimap<std::int64_t, Later> later_;  ///< by the time at which they run
    std::uint64_t last_timer_ = 0;
    /// Calls that may be answered later and have not ended, and what waits for their cancellation.
    std::map<const berth_call *, std::vector<std::function<void(std::int32_t code)>>> open_calls_;
    bool ended_ = false;
    std::vector<PendingPod> versioned_;  ///< what was pending when the plugin last asked for the version
    std::string versioned_tried_;
    std::uint64_t version_ = 1;
    std::vector<std::string> state_keys_;
    DeclareSlot declared_;
    std::vector<std::array<std::string, 3>> kinds_;
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
    std::vector<std::string> events;  ///< Kubernetes Events: "Warning Reason Action note"
    std::vector<std::string> allowed, rejected, activated;  ///< UIDs of pods
    /// Of the last line with fields, as it has them: `"default/a"`, `3`. The host adds the pod, and this does not.
    std::map<std::string, std::string> log_fields;
    /// What was counted, as Prometheus has it but for "plugin_" and the host's labels: `gang_waiting{group="a"}`. A
    /// histogram has `…_sum`, `…_count` and, with the label `le`, `…_bucket`.
    std::map<std::string, double> metrics;
    // What the world is.
    std::int64_t now_ns = 1'767'225'600'000'000'000;  ///< 2026-01-01T00:00:00Z
    std::uint64_t seed = 1;
    std::function<ApiAnswer(const Sent &)> api = [](const Sent &) { return ApiAnswer{}; };
    std::vector<std::pair<std::string, std::string>> waiting;  ///< pods that wait in Permit, and their nodes
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
    /// The instance is about to end: what it waits for does not come any more.
    void end() {
        ended_ = true;
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
    /// What the instance may see and send. Like watches and writes of a note.
    const std::vector<std::string> &writes() { return (*declared_).writes; }
    const std::vector<std::string> &watches() { return (*declared_).watches; }
    berth_declare_sink *declare_sink() { return declared_.handle(); }
    void drop_prepared() {
        for (const auto &[object, data] : std::exchange(prepared_, {}))
            if (data && prepare) prepare->drop(self, data);
    }

private:
    static Host &of(const berth_host *h) { return *static_cast<Host *>(h->ctx); }
    static std::string text(berth_str s) { return std::string(view(s)); }
    /// As a host reads what a plugin hands to it.
    template <class T>
    static std::int32_t readable(const T &handed) {
        if (handed.struct_size < sizeof handed) return BERTH_STATUS_INVALID;
        return handed.flags & BERTH_FLAG_MUST_UNDERSTAND ? BERTH_STATUS_UNSUPPORTED : BERTH_STATUS_SUCCESS;
    }
    template <class T>
    static std::uint32_t intern(std::vector<T> &names, const T &name) {
        auto found = std::ranges::find(names, name);
        if (found == names.end()) found = names.insert(found, name);
        return static_cast<std::uint32_t>(found - names.begin()) + 1;
    }
    /// Is the object of the kind that a plugin calls by group, version and plural?
    bool is_of(const StoredObject &object, std::uint32_t kind) {
        if (kind == 0 || kind > kinds_.size()) return false;
        const auto &[group, version, resource] = kinds_[kind - 1];
        if (object.api_version != (group.empty() ? "" : group + "/") + version) return false;
        std::string name;
        for (char c : object.kind) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        auto end = name.ends_with('y') ? name.substr(0, name.size() - 1) + "ies" : name + "es";
        const bool named = resource == name + "s" || resource == end;
        return named && std::ranges::count(watches(), (group.empty() ? "" : group + "/") + version + "/" + resource);
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
    static std::uint32_t metrics_series(const berth_host *h, std::uint32_t id, const berth_str *values,
                                        std::uint64_t n) {
        const std::scoped_lock lock(of(h).mutex_);
        return of(h).counted_.series(id, {values, static_cast<std::size_t>(n)});
    }
    static void metrics_add(const berth_host *h, std::uint32_t id, double n) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.add(id, n);
    }
    static void metrics_set(const berth_host *h, std::uint32_t id, double value) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.set(id, value);
    }
    static void metrics_observe(const berth_host *h, std::uint32_t id, double value) {
        const std::scoped_lock lock(of(h).mutex_);
        of(h).counted_.observe(id, value);
    }
    static void metrics_end(const berth_host *h, std::uint32_t id) {
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
        out->resource_version = BERTH_STR("1");
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
    static std::int32_t clock_cancel(const berth_host *h, std::uint64_t timer) {
        auto &all = of(h).later_;
        auto found = std::ranges::find_if(all, [&](const auto &one) { return timer && one.second.id == timer; });
        if (found == all.end()) return BERTH_STATUS_NOT_FOUND;
        auto fn = std::move(found->second.fn);
        all.erase(found);
        fn(BERTH_STATUS_CANCELLED);
        return BERTH_STATUS_SUCCESS;
    }
    static std::int32_t client_send(const berth_host *h, const berth_request *r,
                                    void (*on_done)(void *, std::int32_t, std::int32_t, berth_str), void *ctx) {
        auto &host = of(h);
        if (!r || !on_done) return BERTH_STATUS_INVALID;
        if (auto code = readable(*r); code != BERTH_STATUS_SUCCESS) return code;
        if (host.ended_) return BERTH_STATUS_CANCELLED;
        Sent sent{verb_name(r->verb),   text(r->group),        text(r->version),
                  text(r->resource),    text(r->namespace_),   text(r->name),
                  text(r->subresource), text(r->content_type), text(r->body)};
        if (!std::ranges::count(host.writes(), sent.right())) return BERTH_STATUS_UNSUPPORTED;
        host.sent.push_back(sent);
        host.later_.emplace(host.now_ns, Later{0, [&host, sent, on_done, ctx](std::int32_t code) {
                                                   if (code == BERTH_STATUS_CANCELLED)
                                                       return on_done(ctx, code, 0,
                                                                      BERTH_STR("the instance has ended"));
                                                   auto answer = host.api(sent);
                                                   on_done(ctx, answer.status ? code : BERTH_STATUS_ERROR,
                                                           answer.status, to_str(answer.text));
                                               }});
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
    static std::int32_t waiting_reject(const berth_host *h, berth_str uid, berth_str) {
        return of(h).answer_waiting(uid, of(h).rejected);
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
        std::vector<const StoredObject *> found;
        for (const auto &o : of(h).cluster.others())
            if (of(h).is_of(*o, kind) && (!name_space.len || o->name_space == view(name_space)))
                found.push_back(o.get());
        std::ranges::sort(found, {}, [](const StoredObject *o) { return std::tie(o->name_space, o->name); });
        for (const auto *o : found)
            if (!visit(ctx, o->handle())) return;
    }
    static std::uint64_t cluster_version(const berth_host *h, std::uint32_t) {
        return of(h).cluster.nodes()->snapshot_id;
    }
    static std::int32_t cluster_subscribe(const berth_host *, std::uint32_t,
                                          void (*changed)(void *, const berth_object *, const berth_object *), void *) {
        return changed ? BERTH_STATUS_SUCCESS : BERTH_STATUS_INVALID;  // a test changes objects unheard
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

inline const void *Host::get_service(const berth_host *, berth_str id) {
    static constexpr berth_host_log log_table{sizeof log_table, 0, log_enabled, log_write};
    static constexpr berth_host_object objects{sizeof objects, 0, object_get, object_keep, object_keep, object_meta};
    static constexpr berth_host_state states{sizeof states, 0, state_key, state_put, state_get};
    static constexpr berth_host_columns columns_table{sizeof columns_table, 0, column_declare};
    static constexpr berth_host_random random{sizeof random, 0, random_value};
    static constexpr berth_host_clock clock{sizeof clock, 0, clock_now, clock_after, clock_cancel};
    static constexpr berth_host_client client{sizeof client, 0, client_send};
    static constexpr berth_host_waiting_pods waiting_table{
        sizeof waiting_table, 0, waiting_allow, waiting_reject, waiting_reject, waiting_visit};
    static constexpr berth_host_recorder recorder{sizeof recorder, 0, recorder_event};
    static constexpr berth_host_cluster objects_of{
        sizeof objects_of, 0, cluster_kind, cluster_get, cluster_list, cluster_version, cluster_subscribe};
    static constexpr berth_host_delta delta{sizeof delta, 0, delta_changes};
    static constexpr berth_host_activator activator{sizeof activator, 0, activate};
    static constexpr berth_host_task task{sizeof task, 0, task_submit};
    static constexpr berth_host_prepared prepared{sizeof prepared, 0, prepared_get};
    static constexpr berth_host_cancellation cancellation{sizeof cancellation, 0, cancellation_after};
    static constexpr berth_host_victims victims{sizeof victims, 0, victims_name};
    static constexpr berth_host_kubernetes kubernetes{sizeof kubernetes, 0, kubernetes_minor, kubernetes_gate};
    static constexpr berth_host_log_fields fields{sizeof fields, 0, log_write_fields};
    static constexpr berth_host_metrics metrics_table{sizeof metrics_table, 0,           metrics_define,
                                                      metrics_series,       metrics_add, metrics_set,
                                                      metrics_observe,      metrics_end};
    static constexpr berth_host_pod_groups groups{sizeof groups, 0, groups_get, groups_visit};
    static constexpr berth_host_pending_pods pending_table{sizeof pending_table, 0, pending_count, pending_visit,
                                                           pending_version};
    const std::pair<std::string_view, const void *> tables[] = {{BERTH_HOST_CALL_V1, &call_table()},
                                                                {BERTH_HOST_NODES_V1, &Cluster::look_ups()},
                                                                {BERTH_HOST_SINKS_V1, &sinks_table()},
                                                                {BERTH_HOST_REMEDIES_DRAFT1, &remedies_table()},
                                                                {BERTH_HOST_LOG_V1, &log_table},
                                                                {BERTH_HOST_OBJECT_V1, &objects},
                                                                {BERTH_HOST_STATE_V1, &states},
                                                                {BERTH_HOST_COLUMNS_V1, &columns_table},
                                                                {BERTH_HOST_RANDOM_V1, &random},
                                                                {BERTH_HOST_CLOCK_V1, &clock},
                                                                {BERTH_HOST_CLIENT_V1, &client},
                                                                {BERTH_HOST_WAITING_PODS_V1, &waiting_table},
                                                                {BERTH_HOST_RECORDER_V1, &recorder},
                                                                {BERTH_HOST_CLUSTER_V1, &objects_of},
                                                                {BERTH_HOST_DELTA_V1, &delta},
                                                                {BERTH_HOST_ACTIVATOR_V1, &activator},
                                                                {BERTH_HOST_TASK_V1, &task},
                                                                {BERTH_HOST_PREPARED_V1, &prepared},
                                                                {BERTH_HOST_CANCELLATION_DRAFT1, &cancellation},
                                                                {BERTH_HOST_VICTIMS_DRAFT1, &victims},
                                                                {BERTH_HOST_KUBERNETES_DRAFT1, &kubernetes},
                                                                {BERTH_HOST_LOG_FIELDS_DRAFT1, &fields},
                                                                {BERTH_HOST_METRICS_DRAFT1, &metrics_table},
                                                                {BERTH_HOST_POD_GROUPS_DRAFT1, &groups},
                                                                {BERTH_HOST_PENDING_PODS_DRAFT1, &pending_table}};
    for (const auto &[name, table] : tables)
        if (name == view(id)) return table;
    return nullptr;
}

}  // namespace berth::testing
