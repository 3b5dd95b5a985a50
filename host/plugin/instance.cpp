// SPDX-License-Identifier: Apache-2.0
#include "plugin/instance.h"

#include "model/name.h"
#include "plugin/call.h"
#include "plugin/fault.h"
#include "plugin/strict.h"
#include "plugin/thrown.h"
#include "plugin/usual_resources.h"

#include <berth/detail/reads.hpp>
#include <berth/detail/versions.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

namespace berth::plugin {
namespace {

class Declared final : public DeclareSink {
    HostContext &context_;

    void watch(const model::Kind &kind) {
        if (std::ranges::count(context_.kinds, kind) > 0) return;
        context_.watches.push_back(kind.text());
        context_.kinds.push_back(kind);
    }
    void refuse(std::string why) { no_selection = std::move(why); }

public:
    std::optional<std::uint32_t> unknown_verb, unknown_read;
    std::string no_kind;       ///< that it declares to read
    std::string no_selection;  ///< why a selective watch is refused
    std::string no_group;      ///< a write whose group could be taken for a version

    explicit Declared(HostContext &context) : context_(context) {}
    void watch(berth_str group, berth_str version, berth_str resource) override {
        auto kind = model::kind_of(text_of(group), text_of(version), text_of(resource));
        watch(kind);
        context_.whole_kinds.push_back(std::move(kind));
    }
    void select(const berth_watch *watched) override {
        if (!no_selection.empty()) return;
        if (!watched) return refuse("it declares to watch a berth_watch that this host cannot read");
        const auto kind =
            model::kind_of(text_of(watched->group), text_of(watched->version), text_of(watched->resource));
        std::string why;
        auto selection = detail::Selection::read(*watched, why);
        watch(kind);
        if (!selection) return refuse("it declares to watch " + in_quotes(kind.text()) + ": " + why);
        if (kind.scope == model::Scope::Cluster && !selection->name_space().empty())
            return refuse("it declares to watch " + in_quotes(kind.text()) + " in namespace " +
                          in_quotes(selection->name_space()) + ", and the kind has no namespaces");
        if (selection->is_all()) return context_.whole_kinds.push_back(kind);
        context_.selections.add(kind, *std::move(selection));
        if (context_.selections.of(kind)->size() > BERTH_WATCH_MOST_SELECTIONS)
            refuse("it declares to watch more than " + std::to_string(BERTH_WATCH_MOST_SELECTIONS) +
                   " different selections of " + in_quotes(kind.text()));
    }
    void write(std::uint32_t verb, berth_str group, berth_str version, berth_str resource) override {
        auto text = write_text(verb, text_of(group), text_of(version), text_of(resource));
        if (text.empty()) unknown_verb = unknown_verb.value_or(verb);
        else if (detail::begins_like_version(text_of(group))) no_group = std::move(text);
        else context_.writes.push_back(std::move(text));
    }
    void read(std::uint32_t verb, berth_str group, berth_str version, berth_str resource) override {
        const auto kind = model::kind_of(text_of(group), text_of(version), text_of(resource));
        auto text = detail::read_text(verb, kind.group, kind.version, kind.resource);
        if (text.empty()) unknown_read = unknown_read.value_or(verb);
        else if (!detail::is_read_kind(kind.group, kind.version, kind.resource)) no_kind = kind.text();
        else context_.reads.push_back(std::move(text));
        if (std::ranges::count(context_.read_kinds, kind) == 0) context_.read_kinds.push_back(kind);
    }
};

class Interests final : public EventSink {
    std::vector<EventInterest> &all_;

public:
    explicit Interests(std::vector<EventInterest> &all) : all_(all) {}
    void add(berth_str resource, std::uint64_t actions, std::uint32_t has_hint) override {
        all_.push_back({std::string(text_of(resource)), actions, has_hint != 0});
    }
};

/// Why such a kind is refused, and where its objects are.
std::string instead_of(const std::string &kind) {
    return in_quotes(kind) + ", which " BERTH_HOST_CLUSTER_V1
                             " does not have: find pods and nodes in the snapshot of "
                             "each call (berth_nodes), their changes by " BERTH_HOST_DELTA_V1
                             ", and wait for events of \"Pod\", "
                             "\"AssignedPod\" and \"Node\"";
}

/// Makes one instance step by step; each step's error ends it.
class Maker {
    const InstanceRequest &request_;
    const berth_plugin &plugin_;
    std::unique_ptr<Instance> instance_ = std::make_unique<Instance>();
    Arguments arguments_;

    model::Error failed(const std::string &text) const { return plugin::failed(request_, text); }

    model::Result<void> check_services() {
        auto context = std::make_shared<HostContext>(
            request_.mention.name, request_.configuration.profiles[request_.profile].scheduler_name, request_.services);
        context->kubernetes = Kubernetes(request_.configuration, request_.mention.name);
        context->kubernetes_use = request_.kubernetes_use;
        context->keys = request_.keys;
        if (request_.services.checks == Checks::Strict) context->strict = std::make_unique<Strict>(*context);
        instance_->context = context;
        instance_->shadow = context->services.shadow;
        instance_->calls = context->services.calls;
        instance_->host = make_host(*context);
        for (std::uint64_t i = 0; i < plugin_.required_services_len; ++i)
            if (auto id = text_of(plugin_.required_services[i]); !service(*context, id))
                return failed(
                    "it needs service " + in_quotes(id) +
                    (is_draft(id) ? ", a draft which this host does not offer" : ", which this host does not offer"));
        return {};
    }

    model::Result<void> default_args() {
        auto arguments = arguments_of(request_);
        if (!arguments) return arguments.error();
        arguments_ = *std::move(arguments);
        instance_->args = arguments_.tree;
        return {};
    }

    model::Result<void> create() {
        auto described = create_info(request_, arguments_);
        StatusSlot status;
        InCall current_call(instance_->name, "create", instance_->shadow);
        if (auto what =
                thrown_by([&] { plugin_.create(&instance_->host, &described, &instance_->self, status.raw()); }))
            return failed("create threw " + *what);
        auto answer = status.take(*instance_, "create");
        if (!answer.success()) return failed(answer.message());
        instance_->created = true;
        return {};
    }

    model::Result<void> declare() {
        if (!plugin_.declare) return {};
        auto &context = *instance_->context;
        Declared sink(context);
        InCall current_call(instance_->name, "declare", instance_->shadow);
        StatusSlot status;
        if (auto what = thrown_by([&] { plugin_.declare(instance_->self, sink.handle(), status.raw()); }))
            return failed("declare threw " + *what);
        if (auto answer = status.take(*instance_, "declare"); !answer.success())
            return failed("declare failed: " + answer.message());
        if (sink.unknown_verb)
            return failed("it declares a write of verb " + std::to_string(*sink.unknown_verb) +
                          ", which this host does not know; expected a BERTH_VERB_…");
        if (sink.unknown_read)
            return failed("it declares a read of verb " + std::to_string(*sink.unknown_read) +
                          ", which this host does not know; expected a BERTH_READ_…");
        if (!sink.no_group.empty())
            return failed("it declares the write " + in_quotes(sink.no_group) +
                          ", whose group begins like a version; expected another group, as in \"example.com\"");
        if (!sink.no_kind.empty())
            return failed("it declares to read " + in_quotes(sink.no_kind) +
                          ", which is no kind: expected a group, a version and a plural, as in \"\", \"v1\", "
                          "\"configmaps\"");
        for (const auto &kind : context.kinds) {
            if (!model::dns_label(kind.resource) || !model::dns_label(kind.version) ||
                !(kind.group.empty() || model::dns_subdomain(kind.group)) || detail::begins_like_version(kind.group))
                return failed("it declares to watch " + in_quotes(kind.text()) +
                              ", which is no kind: expected a group, a version and a plural, as in "
                              "\"storage.k8s.io\", \"v1\", \"storageclasses\"");
            if (in_snapshot(kind.text())) return failed("it declares to watch " + instead_of(kind.text()));
        }
        if (!sink.no_selection.empty()) return failed(sink.no_selection);
        context.declared();
        if (!request_.loaded.note) return {};
        for (const auto &[what, declared, noted] :
             {std::tuple{"watches", &context.watches, &request_.loaded.note->watches},
              std::tuple{"writes", &context.writes, &request_.loaded.note->writes},
              std::tuple{"reads", &context.reads, &request_.loaded.note->reads}})
            for (const auto &one : *declared)
                if (std::ranges::count(*noted, one) == 0)
                    return failed("it declares among its " + std::string(what) + " " + in_quotes(one) +
                                  ", which the note of " + request_.loaded.file + " does not name; add it to the note");
        return {};
    }

    /// What it asked for at create and does not see would be empty for ever.
    model::Result<void> check_kinds() {
        const auto &context = *instance_->context;
        for (const auto &kind : context.requested_kinds) {
            if (std::ranges::count(context.watches, kind) > 0) continue;
            if (in_snapshot(kind)) return failed("it asks for objects of " + instead_of(kind));
            return failed("it asks for objects of " + in_quotes(kind) +
                          ", which it does not declare to watch, so that there are none for it; declare the kind, and "
                          "name it in the note's watches, or do not ask for it");
        }
        return {};
    }

    /// Only plugins of these kinds can reject a pod, so only they wait for events.
    bool may_reject() const {
        for (auto interface :
             {Interface::PreEnqueue, Interface::PreFilter, Interface::Filter, Interface::Reserve, Interface::Permit})
            if (request_.loaded.tables.has(interface)) return true;
        return false;
    }

    /// Whether the interest is in a declared kind, by either of its names.
    bool declares(EventInterest &interest) const {
        for (const auto &kind : instance_->context->kinds) {
            auto resource = kind.event_resource();
            if (interest.resource == resource) return true;
            if (interest.resource != kind.long_name()) continue;
            interest.long_name = std::exchange(interest.resource, std::move(resource));
            return true;
        }
        return false;
    }
    /// The declared kinds as events name them.
    std::string declared() const {
        std::string text;
        for (const auto &kind : instance_->context->kinds)
            text += (text.empty() ? " (" : ", ") + in_quotes(kind.event_resource());
        return text.empty() ? text : text + ")";
    }

    model::Result<void> subscribe() {
        if (!may_reject()) return {};
        auto &interests = instance_->interests;
        if (!instance_->events) {
            for (const auto *resource : usual_resources) interests.push_back({resource, BERTH_EVENT_ALL, false});
            for (const auto &kind : instance_->context->kinds)
                if (auto resource = kind.event_resource(); std::ranges::count(usual_resources, resource) == 0)
                    interests.push_back({std::move(resource), BERTH_EVENT_ALL, false});
            return {};
        }
        Interests sink(interests);
        StatusSlot status;
        InCall current_call(instance_->name, "events", instance_->shadow);
        if (auto what = thrown_by([&] { instance_->events->events(instance_->self, sink.handle(), status.raw()); }))
            return failed("events threw " + *what);
        if (auto answer = status.take(*instance_, "events"); !answer.success())
            return failed("events failed: " + answer.message());
        for (auto &interest : interests)
            if (interest.resource != "Pod" && interest.resource != "AssignedPod" &&
                interest.resource != BERTH_RESOURCE_UNSCHEDULED_POD && interest.resource != "Node" &&
                interest.resource != "*" && !declares(interest))
                return failed("it waits for events of " + in_quotes(interest.resource) +
                              ", which is none of \"Pod\", " +
                              "\"AssignedPod\", \"Node\", \"*\" and the kinds that it declares to watch" + declared());
        return {};
    }

public:
    explicit Maker(const InstanceRequest &request) : request_(request), plugin_(*request.loaded.plugin) {
        const auto &tables = request.loaded.tables;
        auto &it = *instance_;
        it.name = request.mention.name;
        it.plugin = &plugin_;
        it.pre_enqueue = tables.as<berth_plugin_pre_enqueue>(Interface::PreEnqueue);
        it.queue_sort = tables.as<berth_plugin_queue_sort>(Interface::QueueSort);
        it.events = tables.as<berth_plugin_events>(Interface::Events);
        it.pre_filter = tables.as<berth_plugin_pre_filter>(Interface::PreFilter);
        it.pre_filter_ext = tables.as<berth_plugin_pre_filter_ext>(Interface::PreFilterExt);
        it.filter = tables.as<berth_plugin_filter>(Interface::Filter);
        it.post_filter = tables.as<berth_plugin_post_filter>(Interface::PostFilter);
        it.pre_score = tables.as<berth_plugin_pre_score>(Interface::PreScore);
        it.score = tables.as<berth_plugin_score>(Interface::Score);
        it.normalize = tables.as<berth_plugin_normalize>(Interface::Normalize);
        it.reserve = tables.as<berth_plugin_reserve>(Interface::Reserve);
        it.permit = tables.as<berth_plugin_permit>(Interface::Permit);
        it.pre_bind = tables.as<berth_plugin_pre_bind>(Interface::PreBind);
        it.bind = tables.as<berth_plugin_bind>(Interface::Bind);
        it.post_bind = tables.as<berth_plugin_post_bind>(Interface::PostBind);
        it.prepare = tables.as<berth_plugin_prepare>(Interface::Prepare);
        it.sign = tables.as<berth_plugin_sign>(Interface::Sign);
        it.remedy = tables.as<berth_plugin_remedy>(Interface::Remedy);
        it.placement_feasible = tables.as<berth_plugin_placement_feasible>(Interface::PlacementFeasible);
    }

    model::Result<std::unique_ptr<Instance>> make() {
        for (auto step : {&Maker::check_services, &Maker::default_args, &Maker::create, &Maker::declare,
                          &Maker::subscribe, &Maker::check_kinds})
            if (auto ok = (this->*step)(); !ok) return ok.error();
        auto &context = *instance_->context;
        if (auto &strict = context.strict) strict->wrap(*instance_, request_.loaded.tables);
        context.prepared.begin(instance_->prepare, instance_->self);
        context.tasks->begin();
        context.made = true;
        return std::move(instance_);
    }
};

}  // namespace

std::uint64_t Instance::next_id() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

Instance::~Instance() {
    if (context) {
        context->end_waits();
        context->prepared.end();
    }
    if (!created || !plugin->destroy) return;
    Strict *strict = context ? context->strict.get() : nullptr;
    void *own_self = strict && self == strict ? strict->self() : self;
    InCall current_call(name, "destroy", shadow);
    if (auto what = thrown_by([&] { plugin->destroy(own_self); }); what && context)
        context->broke_abi("plugin " + in_quotes(name) + " threw " + *what + " at destroy");
    if (strict) strict->destroyed();
}

void end_waits(const Profile &profile) {
    for (const auto &instance : profile.instances)
        if (instance->context) instance->context->end_waits();
}

bool wind_down_tasks(const Profile &profile) {
    bool idle = true;
    for (const auto &instance : profile.instances)
        if (instance->context && !instance->context->tasks->wind_down()) idle = false;
    return idle;
}

model::Result<std::unique_ptr<Instance>> make_instance(const InstanceRequest &request) { return Maker(request).make(); }

}  // namespace berth::plugin
