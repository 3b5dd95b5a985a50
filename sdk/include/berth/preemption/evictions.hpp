// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The deletion of preemption's victims, each with the condition DisruptionTarget and the event Preempted.

#include <berth/answer.hpp>
#include <berth/json.hpp>
#include <berth/preemption/rules.hpp>
#include <berth/view.hpp>

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::preemption {

/// A victim of the preemption.
struct Victim {
    KeptObject object;
    std::string name_space, name, uid;

    Victim(const Host &host, const Pod &pod)
        : object(host, pod.raw()->obj), name_space(pod.name_space()), name(pod.name()), uid(pod.uid()) {}
};

/// Carries out preemptions in the background: all victims but the last at once, then the last, so that the last victim
/// marks the end of the preemption. Loop only; outlived by the host.
class Evictions {
    struct Running {
        std::string preemptor, scheduler, node;
        std::vector<Victim> victims;
        std::size_t pending = 0;  ///< requests and victims of this round that have not ended
        bool last = false;        ///< the last victim has its turn
        bool failed = false;      ///< the preemptor is to be tried again at once
        bool broken = false;      ///< a victim is not gone: the last one is spared
        bool gone = false;        ///< by the watch, which may be earlier than the response: the last victim has gone
        bool kept = false;        ///< the preemptor was kept from the queue
        bool missed = false;      ///< by the response: the last victim had gone; its watch event may have come before
        bool over = false;        ///< nothing keeps the preemptor any more
        bool in_memory = false;   ///< the last victim was not bound yet: no watch event tells of its end
    };
    using RunningPtr = std::shared_ptr<Running>;

    const Host &host_;
    Rules rules_;
    std::string plugin_;
    std::unordered_map<std::string, RunningPtr> running_;  ///< by the preemptor's uid

    /// The pod is not there any more, or another one has its name. A deletion that names the UID and nothing else is in
    /// conflict with a pod of another UID only. (A webhook that refuses it with the same reason does not name the pod.)
    static bool is_deleted(const Answer &answer, std::string_view name) {
        return answer.not_found() || (answer.status() == http_conflict && answer.reason() == "Conflict" &&
                                      answer.value()["details"]["name"].string() == name);
    }
    /// The same of a patch, which names the UID as the object's.
    static bool is_gone(const Answer &answer) {
        if (answer.not_found()) return true;
        const auto causes = answer.reason() == "Invalid" ? answer.value()["details"]["causes"] : Value{};
        for (std::size_t i = 0; i < causes.size(); ++i)
            if (causes.at(i)["field"].string() == "metadata.uid") return true;
        return false;
    }

    /// Whether the response to a deletion shows a pod with a grace period: then the watch event of its end is still to
    /// come.
    static bool has_grace(Value deleted) {
        return deleted["metadata"]["deletionGracePeriodSeconds"].integer().value_or(0) > 0;
    }

    static std::string now_text(std::int64_t ns) {
        const std::time_t seconds = static_cast<std::time_t>(ns / 1'000'000'000);
        std::tm utc{};
        gmtime_r(&seconds, &utc);
        char text[32];
        return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
    }

    /// The begin of a patch of the status of the pod with that uid, and of no other that has its name by then.
    static std::string status_of(std::string_view uid) {
        return "{\"metadata\":{\"uid\":" + json_quote(uid) + "},\"status\":";
    }

    /// The status patch that marks a victim, or "" if it is marked already.
    std::string mark(const Running &running, const Victim &victim) const {
        std::string message = running.scheduler + ": preempting to accommodate a higher priority pod";
        auto conditions = host_.object_at(victim.object.raw(), "/status/conditions");
        std::string since = now_text(host_.now_ns());
        // Without its order a list that is merged begins with what the patch names.
        std::string order;
        bool known = false;
        auto add = [&](std::string_view type) {
            order += (order.empty() ? "{\"type\":" : ",{\"type\":") + json_quote(type) + "}";
        };
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            auto old = conditions.at(i);
            add(old["type"].string());
            if (old["type"].string() != "DisruptionTarget") continue;
            known = true;
            if (old["status"].string() != "True") continue;
            if (old["reason"].string() == "PreemptionByScheduler" && old["message"].string() == message) return {};
            if (!old["lastTransitionTime"].string().empty()) since = old["lastTransitionTime"].string();
        }
        if (!known) add("DisruptionTarget");
        auto generation = host_.object_at(victim.object.raw(), "/metadata/generation").integer().value_or(0);
        return status_of(victim.uid) + "{\"$setElementOrder/conditions\":[" + order +
               "],\"conditions\":[{\"lastProbeTime\":null,\"lastTransitionTime\":" + json_quote(since) +
               ",\"message\":" + json_quote(message) +
               (generation ? ",\"observedGeneration\":" + std::to_string(generation) : std::string()) +
               ",\"reason\":\"PreemptionByScheduler\",\"status\":\"True\",\"type\":\"DisruptionTarget\"}]}}";
    }

    void patch_status(std::string_view name_space, std::string_view name, std::string_view body,
                      Host::OnAnswer done) const {
        Request request;
        request.verb = BERTH_VERB_PATCH;
        request.resource = "pods";
        request.name_space = name_space;
        request.name = name;
        request.subresource = "status";
        request.content_type = "application/strategic-merge-patch+json";
        request.body = body;
        host_.send(request, std::move(done));
    }

    void remove(const RunningPtr &running, std::size_t i) {
        const Victim &victim = running->victims[i];
        Request request;
        request.verb = BERTH_VERB_DELETE;
        request.resource = "pods";
        request.name_space = victim.name_space;
        request.name = victim.name;
        // A request that seems to be lost is repeated, and by then the name may be another pod's.
        const std::string body =
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":)" + json_quote(victim.uid) + "}}";
        request.body = body;
        host_.send(request, [this, running, i](const Answer &answer) {
            if (answer.ok()) deleted(*running, i, answer.value());
            else refused(*running, i, is_deleted(answer, running->victims[i].name), answer.text());
            ended(running);
        });
    }

    void evict(const RunningPtr &running, std::size_t i) {
        const Victim &victim = running->victims[i];
        // A pod that is not bound yet goes back to its queue; its placement is known to this scheduler alone. Its
        // binding fails in a turn of its own, when this has ended.
        if (host_.preempt_waiting(victim.uid, "preempted") ||
            host_.cancel_pre_bind(victim.uid, "preempted by " + plugin_)) {
            record_event(*running, victim, " (in kube-scheduler memory).");
            running->in_memory = running->last;
            return ended(running);
        }
        std::string body = mark(*running, victim);
        if (body.empty()) return remove(running, i);
        patch_status(victim.name_space, victim.name, body, [this, running, i](const Answer &answer) {
            if (answer.ok()) return remove(running, i);
            refused(*running, i, is_gone(answer), answer.text());
            ended(running);
        });
    }

    void record_event(const Running &running, const Victim &victim, std::string_view where) const {
        host_.event(victim.object.raw(), "Normal", "Preempted", "Preempting",
                    "Preempted by pod " + running.preemptor + " on node " + running.node + std::string(where));
    }

    void fail(Running &running, const std::string &what, std::string_view why) const {
        running.failed = true;
        host_.warning(what + std::string(why));
    }
    void deleted(Running &running, std::size_t victim, Value answer) const {
        running.missed = running.last && !has_grace(answer);
        record_event(running, running.victims[victim], {});
    }
    void refused(Running &running, std::size_t victim, bool gone, std::string_view why) const {
        if (gone) running.missed = running.last;
        else not_evicted(running, victim, why);
    }
    void not_evicted(Running &running, std::size_t victim, std::string_view why) const {
        running.broken = true;
        fail(running, "pod " + running.victims[victim].name + " was not evicted: ", why);
    }

    /// One of the round has ended: after the first round comes the last victim, then the end.
    void ended(const RunningPtr &running) {
        if (--running->pending > 0) return;
        if (!running->broken && !running->last) {
            running->last = true;
            running->pending = 1;
            return evict(running, running->victims.size() - 1);
        }
        if (!running->failed && running->kept && running->missed && !running->gone)
            return wait_for_watch_event(running);
        running_.erase(running->preemptor);
        if (running->failed || (running->in_memory && rules_.in_memory_victim_activates))
            host_.activate(running->preemptor);
    }

    /// The watch event of the last victim wakes the preemptor, unless it came before the response, while the preemptor
    /// was gated: then nothing else would wake it.
    void wait_for_watch_event(const RunningPtr &running) {
        constexpr std::int64_t second_ns = 1'000'000'000;
        running->over = true;
        host_.after(second_ns, [this, running] {
            auto at = running_.find(running->preemptor);
            if (at == running_.end() || at->second != running) return;
            running_.erase(at);
            host_.activate(running->preemptor);
        });
    }

public:
    Evictions(const Host &host, const Rules &rules, std::string_view plugin)
        : host_(host), rules_(rules), plugin_(plugin) {}
    Evictions(const Evictions &) = delete;
    Evictions &operator=(const Evictions &) = delete;

    /// Whether victims of that pod are still being evicted. It is over when the response or the watch says that the
    /// last one has gone.
    bool busy(std::string_view preemptor) {
        auto at = running_.find(std::string(preemptor));
        if (at == running_.end() || at->second->gone) return false;
        at->second->kept = true;
        if (!at->second->over) return true;
        running_.erase(at);
        return false;
    }

    /// The watch says that a pod is gone, and that this may help that preemptor.
    void gone(std::string_view preemptor, std::string_view pod) {
        auto at = running_.find(std::string(preemptor));
        if (at == running_.end() || !at->second->last || at->second->victims.back().uid != pod) return;
        if (at->second->over) running_.erase(at);
        else at->second->gone = true;
    }

    /// Evicts `victims`, at least one, from `node`, and takes back the nominations of lesser pods to it.
    void start(const Pod &preemptor, std::string_view node, std::vector<Victim> victims) {
        auto running = std::make_shared<Running>();
        running->preemptor = preemptor.uid();
        running->scheduler = preemptor.scheduler_name();
        running->node = node;
        running->victims = std::move(victims);
        running_[running->preemptor] = running;
        struct Lesser {
            std::string name_space, name, uid;
        };
        std::vector<Lesser> lesser;
        host_.each_nominated(node, [&](const berth_pod *pod) {
            if (pod->priority < preemptor.priority() && pod->nominated_node.len != 0)
                lesser.push_back(
                    {std::string(view(pod->namespace_)), std::string(view(pod->name)), std::string(view(pod->uid))});
        });
        const std::size_t first = running->victims.size() - 1;
        running->pending = lesser.size() + first + 1;  // and this function itself
        for (const auto &pod : lesser)
            patch_status(pod.name_space, pod.name, status_of(pod.uid) + R"({"nominatedNodeName":null}})",
                         [this, running, name = pod.name](const Answer &answer) {
                             if (!answer.ok() && (answer.not_found() || !is_gone(answer)))
                                 fail(*running, "the nomination of pod " + name + " stays: ", answer.text());
                             ended(running);
                         });
        for (std::size_t i = 0; i < first; ++i) evict(running, i);
        ended(running);
    }
};

}  // namespace berth::preemption
