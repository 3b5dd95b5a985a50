// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A host for one plugin instance: services over a test's cluster, that write down what they are asked. Time stands
/// still until the test lets it pass; the API server answers when the test says so, or at once.

#include <berth/testing/cluster.hpp>

#include <functional>

namespace berth::testing {

/// What a plugin keeps for a pod from PreFilter on.
class State {
    struct Datum {
        void *data;
        const berth_state_type *type;
    };
    std::map<std::uint32_t, Datum> data_;

public:
    State() = default;
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    ~State() {
        for (const auto &[key, datum] : data_) destroy(datum);
    }
    void put(std::uint32_t key, void *data, const berth_state_type *type) {
        if (auto old = data_.find(key); old != data_.end()) destroy(old->second);
        data_[key] = {data, type};
    }
    void *get(std::uint32_t key) const {
        auto found = data_.find(key);
        return found == data_.end() ? nullptr : found->second.data;
    }
    berth_state *handle() { return reinterpret_cast<berth_state *>(this); }
    static State &of(berth_state *s) { return *reinterpret_cast<State *>(s); }
    static const State &of(const berth_state *s) { return *reinterpret_cast<const State *>(s); }

private:
    static void destroy(const Datum &datum) {
        if (datum.type->destroy) datum.type->destroy(datum.type->ctx, datum.data);
    }
};

/// A request that the plugin sent.
struct Sent {
    std::string method, group, version, resource, name_space, name, subresource, content_type, body;
    /// As a right is written: "create v1/pods/binding".
    std::string right() const {
        return method + " " + (group.empty() ? "" : group + "/") + version + "/" + resource +
               (subresource.empty() ? "" : "/" + subresource);
    }
};

/// What the API server answers.
struct ApiAnswer {
    std::int32_t status = 201;
    std::string text = "{}";
};

class Host {
    berth_host host_{};
    std::multimap<std::int64_t, std::function<void()>> later_;  ///< by the time at which they run
    std::vector<std::string> state_keys_, watches_, writes_;
    std::vector<std::array<std::string, 3>> kinds_;
    std::map<const berth_object *, void *> prepared_;

public:
    Cluster &cluster;
    // What the plugin did.
    std::vector<std::string> log;     ///< lines, errors with "error: " before them, warnings with "warning: "
    std::vector<Sent> sent;           ///< to the API server
    std::vector<std::string> events;  ///< Kubernetes Events: "Warning Reason Action note"
    std::vector<std::string> allowed, rejected, activated;  ///< UIDs of pods
    // What the world is.
    std::int64_t now_ns = 1'767'225'600'000'000'000;  ///< 2026-01-01T00:00:00Z
    std::uint64_t seed = 1;
    std::function<ApiAnswer(const Sent &)> api = [](const Sent &) { return ApiAnswer{}; };
    std::vector<std::pair<std::string, std::string>> waiting;  ///< pods that wait in Permit, and their nodes
    // Of the plugin; set by berth::testing::Plugin.
    const berth_prepare *prepare = nullptr;
    void *self = nullptr;

    explicit Host(Cluster &c) : cluster(c) {
        host_ = {sizeof host_, 0, BERTH_ABI_MINOR, 0, this, BERTH_STR("berth-testing"), BERTH_STR(BERTH_VERSION),
                 get_service};
    }
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;
    const berth_host *raw() const { return &host_; }

    /// Runs what is due: answers of the API server, tasks, timers.
    void run() {
        while (!later_.empty() && later_.begin()->first <= now_ns) {
            auto fn = std::move(later_.begin()->second);
            later_.erase(later_.begin());
            fn();
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
    /// What the instance may see and send. Like watches and writes of a note.
    const std::vector<std::string> &writes() const { return writes_; }
    const std::vector<std::string> &watches() const { return watches_; }
    berth_declare_sink declare_sink() { return {sizeof(berth_declare_sink), 0, this, declare_watch, declare_write}; }
    void drop_prepared() {
        for (const auto &[object, data] : std::exchange(prepared_, {}))
            if (data && prepare) prepare->drop(self, data);
    }

private:
    static Host &of(const berth_host *h) { return *static_cast<Host *>(h->ctx); }
    static std::string text(berth_str s) { return std::string(view(s)); }
    static std::string path(berth_str group, berth_str version, berth_str resource) {
        return (group.len ? text(group) + "/" : "") + text(version) + "/" + text(resource);
    }
    static std::string method(std::uint32_t verb) {
        constexpr const char *names[] = {"?", "create", "update", "patch", "delete"};
        return verb <= BERTH_VERB_DELETE ? names[verb] : "?";
    }
    static void declare_watch(void *ctx, berth_str group, berth_str version, berth_str resource) {
        static_cast<Host *>(ctx)->watches_.push_back(path(group, version, resource));
    }
    static void declare_write(void *ctx, std::uint32_t verb, berth_str group, berth_str version, berth_str resource) {
        static_cast<Host *>(ctx)->writes_.push_back(method(verb) + " " + path(group, version, resource));
    }
    template <class T>
    static std::uint32_t intern(std::vector<T> &names, const T &name) {
        auto found = std::ranges::find(names, name);
        if (found == names.end()) found = names.insert(found, name);
        return static_cast<std::uint32_t>(found - names.begin()) + 1;
    }
    /// Is the object of the kind that a plugin calls by group, version and plural?
    bool is_of(const StoredObject &object, std::uint32_t kind) const {
        if (kind == 0 || kind > kinds_.size()) return false;
        const auto &[group, version, resource] = kinds_[kind - 1];
        if (object.api_version != (group.empty() ? "" : group + "/") + version) return false;
        std::string name;
        for (char c : object.kind) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        auto end = name.ends_with('y') ? name.substr(0, name.size() - 1) + "ies" : name + "es";
        const bool named = resource == name + "s" || resource == end;
        return named && std::ranges::count(watches_, (group.empty() ? "" : group + "/") + version + "/" + resource);
    }

    static const void *get_service(const berth_host *h, berth_str id);

    static std::int32_t log_enabled(const berth_host *, std::uint32_t, std::uint32_t) { return 1; }
    static void log_write(const berth_host *h, std::uint32_t severity, std::uint32_t, berth_str line) {
        const char *before = severity == BERTH_LOG_ERROR ? "error: " : severity == BERTH_LOG_WARNING ? "warning: " : "";
        of(h).log.push_back(before + text(line));
    }
    static const berth_value *object_get(const berth_host *, const berth_object *o, berth_str pointer) {
        return at_pointer(StoredObject::of(o).tree, view(pointer)).raw();
    }
    static void object_keep(const berth_host *, const berth_object *) {}
    static void object_meta(const berth_host *, const berth_object *o, berth_object_meta *out) {
        const auto &object = StoredObject::of(o);
        out->namespace_ = to_str(object.name_space), out->name = to_str(object.name), out->uid = to_str(object.uid);
        out->resource_version = BERTH_STR("1");
        out->labels = object.labels.data(), out->labels_len = object.labels.size();
    }
    static std::uint32_t state_key(const berth_host *h, berth_str name) {
        return intern(of(h).state_keys_, text(name));
    }
    static void state_put(const berth_host *, berth_state *s, std::uint32_t key, void *data,
                          const berth_state_type *t) {
        testing::State::of(s).put(key, data, t);
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
    static void clock_after(const berth_host *h, std::int64_t ns, void (*fn)(void *), void *ctx) {
        of(h).later_.emplace(of(h).now_ns + ns, [fn, ctx] { fn(ctx); });
    }
    static std::int32_t client_send(const berth_host *h, const berth_request *r,
                                    void (*on_done)(void *, std::int32_t, berth_str), void *ctx) {
        auto &host = of(h);
        Sent sent{method(r->verb), text(r->group),       text(r->version),      text(r->resource), text(r->namespace_),
                  text(r->name),   text(r->subresource), text(r->content_type), text(r->body)};
        if (!std::ranges::count(host.writes_, sent.right())) return BERTH_UNSUPPORTED;
        host.sent.push_back(sent);
        host.later_.emplace(host.now_ns, [&host, sent, on_done, ctx] {
            auto answer = host.api(sent);
            on_done(ctx, answer.status, to_str(answer.text));
        });
        return BERTH_SUCCESS;
    }
    std::int32_t answer_waiting(berth_str uid, std::vector<std::string> &into) {
        for (const auto &[pod, node] : waiting)
            if (view(cluster.pod(pod)->uid) == view(uid)) return into.push_back(text(uid)), BERTH_SUCCESS;
        return BERTH_NOT_FOUND;
    }
    static std::int32_t waiting_allow(const berth_host *h, berth_str uid) {
        return of(h).answer_waiting(uid, of(h).allowed);
    }
    static std::int32_t waiting_reject(const berth_host *h, berth_str uid, berth_str) {
        return of(h).answer_waiting(uid, of(h).rejected);
    }
    static void waiting_visit(const berth_host *h, void (*visit)(void *, const berth_pod *, berth_str), void *ctx) {
        for (const auto &[pod, node] : of(h).waiting) visit(ctx, of(h).cluster.pod(pod), to_str(node));
    }
    static void recorder_event(const berth_host *h, const berth_object *, berth_str type, berth_str reason,
                               berth_str action, berth_str note) {
        of(h).events.push_back(text(type) + " " + text(reason) + " " + text(action) + " " + text(note));
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
    static void cluster_subscribe(const berth_host *, std::uint32_t,
                                  void (*)(void *, const berth_object *, const berth_object *), void *) {}
    static std::int32_t delta_changes(const berth_host *, const berth_nodes *, std::uint64_t,
                                      const berth_change_sink *) {
        return BERTH_NOT_FOUND;  // "begin anew": always allowed
    }
    static std::int32_t activate(const berth_host *h, berth_str uid) {
        of(h).activated.push_back(text(uid));
        return BERTH_SUCCESS;
    }
    static std::int32_t task_submit(const berth_host *h, void (*run)(void *, const std::uint32_t *),
                                    void (*done)(void *, std::int32_t), void *ctx) {
        of(h).later_.emplace(of(h).now_ns, [run, done, ctx] {
            const std::uint32_t cancel = 0;
            run(ctx, &cancel);
            done(ctx, BERTH_SUCCESS);
        });
        return BERTH_SUCCESS;
    }
    static std::int32_t prepared_get(const berth_host *h, const berth_object *o, void **out, berth_status *status) {
        auto &host = of(h);
        if (!host.prepare) return BERTH_UNSUPPORTED;
        auto [found, is_new] = host.prepared_.try_emplace(o);
        if (is_new) {
            host.prepare->prepare(host.self, o, &found->second, status);
            if (status && status->code != BERTH_SUCCESS) return host.prepared_.erase(found), status->code;
        }
        *out = found->second;
        return BERTH_SUCCESS;
    }
};

inline const void *Host::get_service(const berth_host *, berth_str id) {
    static constexpr berth_log log_table{sizeof log_table, 0, log_enabled, log_write};
    static constexpr berth_object_service objects{sizeof objects, 0, object_get, object_keep, object_keep, object_meta};
    static constexpr berth_state_service states{sizeof states, 0, state_key, state_put, state_get};
    static constexpr berth_columns columns_table{sizeof columns_table, 0, column_declare};
    static constexpr berth_random random{sizeof random, 0, random_value};
    static constexpr berth_clock clock{sizeof clock, 0, clock_now, clock_after};
    static constexpr berth_client client{sizeof client, 0, client_send};
    static constexpr berth_waiting_pods waiting_table{
        sizeof waiting_table, 0, waiting_allow, waiting_reject, waiting_reject, waiting_visit};
    static constexpr berth_recorder recorder{sizeof recorder, 0, recorder_event};
    static constexpr berth_cluster objects_of{
        sizeof objects_of, 0, cluster_kind, cluster_get, cluster_list, cluster_version, cluster_subscribe};
    static constexpr berth_delta delta{sizeof delta, 0, delta_changes};
    static constexpr berth_activator activator{sizeof activator, 0, activate};
    static constexpr berth_task task{sizeof task, 0, task_submit};
    static constexpr berth_prepared prepared{sizeof prepared, 0, prepared_get};
    static constexpr std::pair<std::string_view, const void *> tables[] = {
        {BERTH_LOG_V1, &log_table},     {BERTH_OBJECT_V1, &objects},
        {BERTH_STATE_V1, &states},      {BERTH_COLUMNS_V1, &columns_table},
        {BERTH_RANDOM_V1, &random},     {BERTH_CLOCK_V1, &clock},
        {BERTH_CLIENT_V1, &client},     {BERTH_WAITING_PODS_V1, &waiting_table},
        {BERTH_RECORDER_V1, &recorder}, {BERTH_CLUSTER_V1, &objects_of},
        {BERTH_DELTA_V1, &delta},       {BERTH_ACTIVATOR_V1, &activator},
        {BERTH_TASK_V1, &task},         {BERTH_PREPARED_V1, &prepared}};
    for (const auto &[name, table] : tables)
        if (name == view(id)) return table;
    return nullptr;
}

}  // namespace berth::testing
