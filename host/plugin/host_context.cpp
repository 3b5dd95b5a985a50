// SPDX-License-Identifier: Apache-2.0
#include "plugin/host_context.h"

#include "env/random.h"
#include "plugin/current_call.h"
#include "plugin/fault.h"
#include "plugin/instance_metrics.h"
#include "plugin/library_check.h"
#include "plugin/strict.h"
#include "plugin/thrown.h"
#include "plugin/violations.h"

#include <algorithm>
#include <functional>

namespace berth::plugin {

std::uint32_t StateKeys::intern(std::string_view name) {
    std::scoped_lock lock(mutex_);
    return keys_.try_emplace(std::string(name), static_cast<std::uint32_t>(keys_.size() + 1)).first->second;
}

bool StateKeys::knows(std::uint32_t key) {
    std::scoped_lock lock(mutex_);
    return key != 0 && key <= keys_.size();
}

HostContext::HostContext(std::string plugin_name, std::string profile_name, const Services &given)
    : plugin(std::move(plugin_name)),
      profile(std::move(profile_name)),
      services(given),
      random_key(env::random_key(services.seed, env::text_hash(plugin))),
      tasks(std::make_shared<Tasks>([this](const std::string &what) {
          broke_abi("plugin " + in_quotes(plugin) + " threw " + what + " in a task of " BERTH_HOST_TASK_V1);
      })),
      metrics(std::make_unique<InstanceMetrics>()) {}
HostContext::~HostContext() = default;

void HostContext::end_waits() {
    over = true;
    if (strict) strict->callbacks.cancelling();
    // What one of them calls must begin nothing of another.
    const auto all = {&timers, &responses, &pending_reads, &cancellations};
    for (auto *each : all) each->close();
    tasks->end();
    for (auto *each : all) each->end();
}

void HostContext::declared() {
    for (const auto &kind : whole_kinds) selections.see_all(kind);
    if (!services.objects) return;
    for (const auto &kind : kinds) seen_kinds_.push_back({services.objects->kind(kind), selections.of(kind)});
}

std::uint32_t HostContext::column(std::uint32_t kind, std::string_view key) {
    if (made) return services.columns->ask_column(kind, key);
    auto column = services.columns->lease_column(kind, key);
    if (column.lease) columns.push_back(std::move(column.lease));
    return column.id;
}

const HostContext::Seen *HostContext::seen(std::uint32_t kind) const {
    const auto at = std::ranges::find(seen_kinds_, kind, &Seen::kind);
    return at == seen_kinds_.end() ? nullptr : &*at;
}

bool HostContext::on_loop() const { return (!services.calls || services.calls->on_loop()) && !tasks->running_here(); }

bool HostContext::may_act() const { return !services.shadow && !(services.calls && services.calls->in_dry_run()); }

void HostContext::retain(const berth_object *object) {
    if (!object) return;
    std::scoped_lock lock(mutex_);
    auto &kept = kept_[object];
    if (kept.times++ == 0) kept.object = model::object_of(object)->weak_from_this().lock();
}

void HostContext::release(const berth_object *object) {
    std::shared_ptr<const model::Object> last;  // freed after the lock
    std::scoped_lock lock(mutex_);
    auto at = kept_.find(object);
    if (at == kept_.end() || --at->second.times > 0) return;
    last = std::move(at->second.object);
    kept_.erase(at);
}

bool HostContext::retains(const berth_object *object) {
    std::scoped_lock lock(mutex_);
    return kept_.contains(object);
}

std::uint64_t HostContext::retained() {
    std::scoped_lock lock(mutex_);
    std::uint64_t n = 0;
    for (const auto &[object, kept] : kept_) n += kept.times;
    return n;
}

void HostContext::call_back(std::string_view what, const std::function<void()> &fn) const {
    InCall current_call(plugin, what, services.shadow);
    if (auto thrown = thrown_by(fn))
        broke_abi("plugin " + in_quotes(plugin) + " threw " + *thrown + " in a callback of " + std::string(what));
}

std::int32_t HostContext::can_read(std::string_view type, std::uint32_t size, std::uint32_t least,
                                   std::uint32_t flags) const {
    if (size >= least && (flags & BERTH_FLAG_MUST_UNDERSTAND) == 0) return BERTH_STATUS_SUCCESS;  // of every call
    broke_abi(check_struct("plugin " + in_quotes(plugin), type, size, least, flags).error().text);
    return size < least ? BERTH_STATUS_INVALID : BERTH_STATUS_UNSUPPORTED;
}

void HostContext::broke_abi(std::string_view sentence) const {
    count_violation(sentence);
    if (services.log) services.log->write(env::Severity::Error, 0, sentence, {{"plugin", plugin}});
}

std::string watch_text(std::string_view group, std::string_view version, std::string_view resource) {
    std::string out(group);
    if (!out.empty()) out += '/';
    return out.append(version).append("/").append(resource);
}

std::string write_text(std::uint32_t verb, std::string_view group, std::string_view version,
                       std::string_view resource) {
    const char *name = nullptr;
    switch (verb) {
        case BERTH_VERB_CREATE: name = "create "; break;
        case BERTH_VERB_UPDATE: name = "update "; break;
        case BERTH_VERB_PATCH: name = "patch "; break;
        case BERTH_VERB_DELETE: name = "delete "; break;
        default: return {};
    }
    return name + watch_text(group, version, resource);
}

}  // namespace berth::plugin
