// SPDX-License-Identifier: Apache-2.0
#include "bind/binding_cycle.h"

#include "plugin/meter.h"

#include <cassert>
#include <optional>
#include <utility>

namespace berth::bind {

BindingCycle::BindingCycle(Placement placement, Extenders extenders, cluster::Cache &cache, WaitingPods &waiting,
                           env::Clock &clock, env::Log *log, Listener &listener)
    : placement_(std::move(placement)),
      extenders_(extenders),
      waiting_(waiting),
      clock_(clock),
      log_(log),
      listener_(listener),
      reservation_(std::make_unique<Reservation>(placement_, cache)) {}

BindingCycle::~BindingCycle() = default;

void BindingCycle::enter(State next) {
    assert(may_follow(state_, next));
    state_ = next;
}

model::Status BindingCycle::reserve(const berth_nodes &nodes, std::string_view &phase) {
    phase = "Reserve";
    plugin::PointTimer reserving(*placement_.profile, plugin::CalledPoint::Reserve);
    model::Status status = reservation_->reserve(nodes);
    reserving.end(status.code);
    if (status.success()) {
        phase = "Permit";
        plugin::PointTimer permitting(*placement_.profile, plugin::CalledPoint::Permit);
        PermitAnswer answer = permit(placement_, nodes);
        permitting.end(answer.waits.empty() ? answer.status.code : BERTH_STATUS_WAIT);
        waits_ = std::move(answer.waits);
        status = std::move(answer.status);
    }
    if (!status.success()) enter(State::Failed);
    return status;
}

void BindingCycle::start() {
    auto self = shared_from_this();
    const plugin::AboutPod about(placement_.pod);
    enter(State::WaitingOnPermit);
    if (must_wait())
        waiting_.add(placement_.view, waits_, [weak = weak_from_this()](model::Status status) {
            if (auto cycle = weak.lock()) cycle->settle_permit(std::move(status));
        });
    plugin::PointTimer asking(*placement_.profile, plugin::CalledPoint::PreBindPreFlight);
    const bool passed = preflight();
    asking.end(!passed ? BERTH_STATUS_ERROR : steps_.empty() ? BERTH_STATUS_SKIP : BERTH_STATUS_SUCCESS);
    if (!passed) return;
    begin_step(plugin::CalledPoint::PermitWait);
    if (must_wait() || !steps_.empty()) listener_.delayed(*this);
    if (!must_wait()) settle_permit({});
}

/// Asks the PreBind plugins which of them have work to do. False if the cycle failed.
bool BindingCycle::preflight() {
    Placement &p = placement_;
    for (const plugin::Instance *instance : p.profile->pre_bind) {
        if (!instance->pre_bind->preflight) {
            steps_.push_back({instance, false});
            continue;
        }
        plugin::StatusSlot slot;
        std::uint32_t parallel = 0;
        model::Status status = plugin::counted(*instance, plugin::CalledPoint::PreBindPreFlight, 1, [&] {
            instance->pre_bind->preflight(instance->self, p.call->call(), p.state->handle(), &p.view, p.node(),
                                          &parallel, slot.raw());
        });
        p.call->free_scratch();
        if (status.success()) status = slot.take(*instance, "PreBindPreFlight");
        if (status.success()) {
            steps_.push_back({instance, parallel != 0});
        } else if (status.code != BERTH_STATUS_SKIP) {
            std::string text = status.code == BERTH_STATUS_ERROR
                                   ? "running PreBindPreFlight \"" + instance->name + "\": " + status.message()
                                   : "PreBindPreFlight " + instance->name + " returned \"" +
                                         model::code_name(status.code) +
                                         "\", which is unsupported. It is supposed to return Success, Skip, or Error "
                                         "status";
            waiting_.remove(p.pod->uid());
            fail("PreBindPreFlight",
                 {.code = BERTH_STATUS_ERROR, .error = std::move(text), .reasons = {}, .plugin = instance->name});
            return false;
        }
    }
    return true;
}

void BindingCycle::settle_permit(model::Status status) {
    const plugin::AboutPod about(placement_.pod);
    if (must_wait()) end_step(status.code);
    step_.reset();
    if (!status.success()) return fail("Permit", std::move(status));
    begin_step(plugin::CalledPoint::PreBind);
    listener_.permitted(*this);
    enter(State::PreBinding);
    pre_bind();
}

template <class Fn>
std::optional<model::Status> BindingCycle::call(const plugin::Instance &instance, plugin::CalledPoint point, Fn &&fn) {
    auto &call = calls_.emplace_back();
    auto *place = &call;
    call = std::make_unique<plugin::PendingCall>(instance, point, *placement_.call, clock_,
                                                 [weak = weak_from_this(), place] {
                                                     if (auto cycle = weak.lock()) cycle->completed(**place);
                                                 });
    const auto start = plugin::meter_ns();
    auto status = call->call(fn);
    if (auto *meter = instance.meter()) meter->called(instance, point, 1, plugin::meter_ns() - start);
    if (!status) ++outstanding_;
    return status;
}

void BindingCycle::completed(plugin::PendingCall &call) {
    if (!call.pending()) {
        if (log_)
            log_->write(env::Severity::Error, 0, "Plugin ended a call that it had answered already",
                        {{"plugin", call.instance().name}, {"point", std::string(call.point())}});
        return;
    }
    const plugin::AboutPod about(placement_.pod);
    --outstanding_;
    const bool was_cancelled = call.ended_with(BERTH_STATUS_CANCELLED);
    model::Status status = call.take();
    if (call.point() == "Bind") {
        if (take_bind(call.instance(), std::move(status))) bind();
        return;
    }
    if (was_cancelled && cancelled_)
        status = {.code = BERTH_STATUS_ERROR, .error = *cancelled_, .reasons = {}, .plugin = call.instance().name};
    take_pre_bind(call.instance(), std::move(status));
    if (outstanding_ == 0) pre_bind();
}

bool BindingCycle::cancel(std::string_view reason) {
    if (state_ != State::PreBinding) return false;
    if (!cancelled_) cancelled_ = reason;
    placement_.call->set_cancelled(true);
    return true;
}

/// Starts one group of PreBind plugins after the other. Neighbours that may run in parallel form a group.
void BindingCycle::pre_bind() {
    Placement &p = placement_;
    while (outstanding_ == 0 && first_failure_.success() && next_step_ < steps_.size()) {
        bool parallel = steps_[next_step_].parallel;
        do {
            const plugin::Instance &instance = *steps_[next_step_++].instance;
            auto status = call(instance, plugin::CalledPoint::PreBind, [&](berth_status *raw, const berth_done *done) {
                instance.pre_bind->pre_bind(instance.self, p.call->call(), p.state->handle(), &p.view, p.node(), raw,
                                            done);
            });
            if (status) take_pre_bind(instance, std::move(*status));
        } while (parallel && next_step_ < steps_.size() && steps_[next_step_].parallel);
    }
    if (outstanding_ > 0) return;
    p.call->free_scratch();
    p.call->set_cancelled(false);
    if (!first_failure_.success()) return fail("PreBind", std::move(first_failure_));
    if (cancelled_)
        return fail("PreBind", {.code = BERTH_STATUS_ERROR, .error = *cancelled_, .reasons = {}, .plugin = {}});
    end_step(BERTH_STATUS_SUCCESS);
    begin_step(plugin::CalledPoint::Bind);
    enter(State::Binding);
    bind();
}

void BindingCycle::take_pre_bind(const plugin::Instance &instance, model::Status status) {
    if (status.success()) return;
    // The work of the other plugins of its group is of no use any more.
    placement_.call->set_cancelled(true);
    if (first_failure_.success()) first_failure_ = rejection_or_failure("PreBind", instance, std::move(status));
}

/// The first extender that binds such pods does it instead of the plugins. False if there is none.
bool BindingCycle::bind_by_extender() {
    const model::PodPtr &pod = placement_.pod;
    auto wanted = [&](const env::Extender &one) { return one.traits().binds && one.interested(*pod); };
    while (next_extender_ < extenders_.size() && !wanted(*extenders_[next_extender_])) ++next_extender_;
    if (next_extender_ == extenders_.size()) return false;
    env::Extender &extender = *extenders_[next_extender_++];
    extender.bind(*pod, pod->node_name(), [weak = weak_from_this(), &extender](const model::Result<void> &answer) {
        auto cycle = weak.lock();
        if (!cycle) return;
        if (answer) return cycle->finish();
        if (!extender.traits().ignorable)
            return cycle->fail("Bind",
                               {.code = BERTH_STATUS_ERROR, .error = answer.error().text, .reasons = {}, .plugin = {}});
        if (cycle->log_)
            cycle->log_->write(env::Severity::Info, 0,
                               "Skipping extender in bind as it returned error and has ignorable flag set",
                               {{"extender", extender.traits().url}, {"err", answer.error().text}});
        cycle->bind();
    });
    return true;
}

/// Calls one Bind plugin after the other until one does not skip the pod.
void BindingCycle::bind() {
    if (bind_by_extender()) return;
    Placement &p = placement_;
    while (next_bind_ < p.profile->bind.size()) {
        const plugin::Instance &instance = *p.profile->bind[next_bind_++];
        auto status = call(instance, plugin::CalledPoint::Bind, [&](berth_status *raw, const berth_done *done) {
            instance.bind->bind(instance.self, p.call->call(), p.state->handle(), &p.view, p.node(), raw, done);
        });
        if (!status || !take_bind(instance, std::move(*status))) return;
    }
    fail("Bind",
         {.code = BERTH_STATUS_ERROR, .error = "every Bind plugin skipped the pod", .reasons = {}, .plugin = {}});
}

/// Whether to call the next plugin.
bool BindingCycle::take_bind(const plugin::Instance &instance, model::Status status) {
    placement_.call->free_scratch();
    if (status.code == BERTH_STATUS_SKIP) return true;
    if (status.success()) finish();
    else fail("Bind", rejection_or_failure("Bind", instance, std::move(status)));
    return false;
}

void BindingCycle::finish() {
    Placement &p = placement_;
    auto self = shared_from_this();  // The listener may destroy it.
    const plugin::AboutPod about(p.pod);
    end_step(BERTH_STATUS_SUCCESS);
    enter(State::Bound);
    reservation_->commit();
    listener_.bound(*this);
    plugin::PointTimer timer(*p.profile, plugin::CalledPoint::PostBind);
    for (const plugin::Instance *instance : p.profile->post_bind) {
        model::Status thrown = plugin::counted(*instance, plugin::CalledPoint::PostBind, 1, [&] {
            instance->post_bind->post_bind(instance->self, p.call->call(), p.state->handle(), &p.view, p.node());
        });
        p.call->free_scratch();
        if (!thrown.success() && log_) log_->write(env::Severity::Error, 0, thrown.message(), {{"pod", p.pod->key()}});
    }
    timer.end(BERTH_STATUS_SUCCESS);
}

void BindingCycle::fail(std::string_view phase, model::Status status) {
    end_step(status.code);
    enter(State::Failed);
    listener_.failed(*this, phase, std::move(status));
}

/// The meter times a step that may wait for others.
void BindingCycle::begin_step(plugin::CalledPoint step) {
    step_ = step;
    if (auto *meter = placement_.profile->meter()) meter->began(placement_.pod->uid(), step);
}

void BindingCycle::end_step(std::int32_t code) {
    auto step = std::exchange(step_, std::nullopt);
    auto *meter = placement_.profile->meter();
    if (meter && step) meter->ended(placement_.pod->uid(), placement_.profile->scheduler_name, *step, code);
}

}  // namespace berth::bind
