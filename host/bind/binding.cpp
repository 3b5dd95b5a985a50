// SPDX-License-Identifier: Apache-2.0
#include "bind/binding.h"

#include "plugin/meter.h"

#include <optional>
#include <utility>

namespace berth::bind {

namespace {

/// How a meter knows the wait for those who hold the pod in Permit.
constexpr std::string_view permit_wait = "PermitWait";

}  // namespace

Binding::Binding(Placement placement, Extenders extenders, cluster::Cache &cache, Waiting &waiting, env::Clock &clock,
                 env::Log *log, Listener &listener)
    : placement_(std::move(placement)),
      extenders_(extenders),
      waiting_(waiting),
      clock_(clock),
      log_(log),
      listener_(listener),
      reservation_(std::make_unique<Reservation>(placement_, cache)) {}

Binding::~Binding() = default;

model::Status Binding::reserve(const berth_nodes &nodes, std::string_view &phase) {
    phase = "Reserve";
    plugin::PointTimer reserving(*placement_.profile, phase);
    model::Status status = reservation_->reserve(nodes);
    reserving.end(status.code);
    if (!status.success()) return status;
    phase = "Permit";
    plugin::PointTimer permitting(*placement_.profile, phase);
    PermitAnswer answer = permit(placement_, nodes);
    permitting.end(answer.waits.empty() ? answer.status.code : BERTH_WAIT);
    waits_ = std::move(answer.waits);
    return answer.status;
}

void Binding::start() {
    auto self = shared_from_this();
    const plugin::AboutPod about(placement_.pod);
    if (must_wait())
        waiting_.hold(placement_.view, waits_, [weak = weak_from_this()](model::Status status) {
            if (auto binding = weak.lock()) binding->settled(std::move(status));
        });
    plugin::PointTimer asking(*placement_.profile, "PreBindPreFlight");
    const bool asked = preflight();
    asking.end(!asked ? BERTH_ERROR : steps_.empty() ? BERTH_SKIP : BERTH_SUCCESS);
    if (!asked) return;
    began(permit_wait);
    if (must_wait() || !steps_.empty()) listener_.delayed(*this);
    if (!must_wait()) settled({});
}

/// Asks the PreBind plugins which of them have something to do. False if that ended the binding.
bool Binding::preflight() {
    Placement &p = placement_;
    for (const plugin::Instance *instance : p.profile->pre_bind) {
        if (!instance->pre_bind->preflight) {
            steps_.push_back({instance, false});
            continue;
        }
        plugin::StatusSlot slot;
        std::uint32_t parallel = 0;
        model::Status status = plugin::counted(*instance, "PreBindPreFlight", 1, [&] {
            instance->pre_bind->preflight(instance->self, p.call->call(), p.state->handle(), &p.view, p.node(),
                                          slot.raw(), &parallel);
        });
        p.call->free_scratch();
        if (status.success()) status = slot.take(*instance, "PreBindPreFlight");
        if (status.success()) {
            steps_.push_back({instance, parallel != 0});
        } else if (status.code != BERTH_SKIP) {
            std::string text = status.code == BERTH_ERROR
                                   ? "running PreBindPreFlight \"" + instance->name + "\": " + status.message()
                                   : "PreBindPreFlight " + instance->name + " returned \"" +
                                         model::code_name(status.code) +
                                         "\", which is unsupported. It is supposed to return Success, Skip, or Error "
                                         "status";
            waiting_.drop(p.pod->uid());
            end("PreBindPreFlight",
                {.code = BERTH_ERROR, .error = std::move(text), .reasons = {}, .plugin = instance->name});
            return false;
        }
    }
    return true;
}

void Binding::settled(model::Status status) {
    const plugin::AboutPod about(placement_.pod);
    if (must_wait()) over(status.code);
    step_ = {};
    if (!status.success()) return end("Permit", std::move(status));
    began("PreBind");
    listener_.permitted(*this);
    in_pre_bind_ = !steps_.empty();
    pre_bind();
}

template <class Fn>
std::optional<model::Status> Binding::call(const plugin::Instance &instance, std::string_view point, Fn &&fn) {
    auto &answer = answers_.emplace_back();
    auto *place = &answer;
    answer = std::make_unique<plugin::LateAnswer>(instance, point, clock_, [weak = weak_from_this(), place] {
        if (auto binding = weak.lock()) binding->answered(**place);
    });
    const auto start = plugin::meter_ns();
    auto status = answer->call(fn);
    if (auto *meter = plugin::meter()) meter->called(instance, point, 1, plugin::meter_ns() - start);
    if (!status) ++outstanding_;
    return status;
}

void Binding::answered(plugin::LateAnswer &answer) {
    if (!answer.awaited()) {
        if (log_)
            log_->write(env::Severity::Error, 0, "Plugin ended a call that it had answered already",
                        {{"plugin", answer.instance().name}, {"point", std::string(answer.point())}});
        return;
    }
    const plugin::AboutPod about(placement_.pod);
    --outstanding_;
    bool gave_way = answer.gave(BERTH_CANCELLED);
    model::Status status = answer.take();
    if (answer.point() == "Bind") {
        if (take_bind(answer.instance(), std::move(status))) bind();
        return;
    }
    if (gave_way && cancelled_)
        status = {.code = BERTH_ERROR, .error = *cancelled_, .reasons = {}, .plugin = answer.instance().name};
    take_pre_bind(answer.instance(), std::move(status));
    if (outstanding_ == 0) pre_bind();
}

bool Binding::cancel(std::string_view reason) {
    if (!in_pre_bind_) return false;
    if (!cancelled_) cancelled_ = reason;
    placement_.call->set_cancelled(true);
    return true;
}

/// Starts one group of PreBind plugins after the other: neighbours that may run beside each other are one group.
void Binding::pre_bind() {
    Placement &p = placement_;
    while (outstanding_ == 0 && first_failure_.success() && next_step_ < steps_.size()) {
        bool parallel = steps_[next_step_].parallel;
        do {
            const plugin::Instance &instance = *steps_[next_step_++].instance;
            auto status = call(instance, "PreBind", [&](berth_status *raw, const berth_done *done) {
                instance.pre_bind->pre_bind(instance.self, p.call->call(), p.state->handle(), &p.view, p.node(), raw,
                                            done);
            });
            if (status) take_pre_bind(instance, std::move(*status));
        } while (parallel && next_step_ < steps_.size() && steps_[next_step_].parallel);
    }
    if (outstanding_ > 0) return;
    p.call->free_scratch();
    p.call->set_cancelled(false);
    in_pre_bind_ = false;
    if (!first_failure_.success()) return end("PreBind", std::move(first_failure_));
    if (cancelled_) return end("PreBind", {.code = BERTH_ERROR, .error = *cancelled_, .reasons = {}, .plugin = {}});
    over(BERTH_SUCCESS);
    began("Bind");
    bind();
}

void Binding::take_pre_bind(const plugin::Instance &instance, model::Status status) {
    if (status.success()) return;
    // Nobody wants what the others of its group still do.
    placement_.call->set_cancelled(true);
    if (first_failure_.success()) first_failure_ = rejection_or_failure("PreBind", instance, std::move(status));
}

/// Asks one Bind plugin after the other until one does not skip.
/// The first extender that binds such pods does it instead of the plugins. True if one was asked.
bool Binding::ask_extender() {
    const model::PodPtr &pod = placement_.pod;
    auto wanted = [&](const env::Extender &one) { return one.traits().binds && one.interested(*pod); };
    while (next_extender_ < extenders_.size() && !wanted(*extenders_[next_extender_])) ++next_extender_;
    if (next_extender_ == extenders_.size()) return false;
    env::Extender &extender = *extenders_[next_extender_++];
    extender.bind(*pod, pod->node_name(), [weak = weak_from_this(), &extender](const model::Result<void> &answer) {
        auto binding = weak.lock();
        if (!binding) return;
        if (answer) return binding->finish();
        if (!extender.traits().ignorable)
            return binding->end("Bind",
                                {.code = BERTH_ERROR, .error = answer.error().text, .reasons = {}, .plugin = {}});
        if (binding->log_)
            binding->log_->write(env::Severity::Info, 0,
                                 "Skipping extender in bind as it returned error and has ignorable flag set",
                                 {{"extender", extender.traits().url}, {"err", answer.error().text}});
        binding->bind();
    });
    return true;
}

void Binding::bind() {
    if (ask_extender()) return;
    Placement &p = placement_;
    while (next_bind_ < p.profile->bind.size()) {
        const plugin::Instance &instance = *p.profile->bind[next_bind_++];
        auto status = call(instance, "Bind", [&](berth_status *raw, const berth_done *done) {
            instance.bind->bind(instance.self, p.call->call(), p.state->handle(), &p.view, p.node(), raw, done);
        });
        if (!status || !take_bind(instance, std::move(*status))) return;
    }
    end("Bind", {.code = BERTH_ERROR, .error = "every Bind plugin skipped the pod", .reasons = {}, .plugin = {}});
}

/// True if the next plugin shall be asked.
bool Binding::take_bind(const plugin::Instance &instance, model::Status status) {
    placement_.call->free_scratch();
    if (status.code == BERTH_SKIP) return true;
    if (status.success()) finish();
    else end("Bind", rejection_or_failure("Bind", instance, std::move(status)));
    return false;
}

void Binding::finish() {
    Placement &p = placement_;
    auto self = shared_from_this();  // The listener may let go of it.
    const plugin::AboutPod about(p.pod);
    over(BERTH_SUCCESS);
    reservation_->commit();
    listener_.bound(*this);
    plugin::PointTimer timer(*p.profile, "PostBind");
    for (const plugin::Instance *instance : p.profile->post_bind) {
        model::Status thrown = plugin::counted(*instance, "PostBind", 1, [&] {
            instance->post_bind->post_bind(instance->self, p.call->call(), p.state->handle(), &p.view, p.node());
        });
        p.call->free_scratch();
        if (!thrown.success() && log_) log_->write(env::Severity::Error, 0, thrown.message(), {{"pod", p.pod->key()}});
    }
    timer.end(BERTH_SUCCESS);
}

void Binding::end(std::string_view phase, model::Status status) {
    over(status.code);
    listener_.failed(*this, phase, std::move(status));
}

/// Counts how long a step takes that may have to wait for others.
void Binding::began(std::string_view step) {
    step_ = step;
    if (auto *meter = plugin::meter()) meter->began(placement_.pod->uid(), step);
}

void Binding::over(std::int32_t code) {
    auto step = std::exchange(step_, {});
    auto *meter = plugin::meter();
    if (meter && !step.empty()) meter->ended(placement_.pod->uid(), placement_.profile->scheduler_name, step, code);
}

}  // namespace berth::bind
