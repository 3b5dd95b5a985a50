// SPDX-License-Identifier: Apache-2.0
#include "report/status_writer.h"

#include "report/condition.h"

#include <utility>

namespace berth::report {

void StatusWriter::failed(const model::Pod &pod, const model::Decision &decision) {
    if (auto text = condition_patch(pod, decision, clock_.now_ns()))
        write(std::string(pod.uid()), {status_request(pod, std::move(*text)), true, decision.nomination.has_value()});
}

void StatusWriter::nominate(const model::Pod &pod) {
    // The binding does not wait for it and may be first; a pod that has its node is refused a nomination.
    constexpr int bound_already = 422;
    if (auto text = nomination_patch(pod, pod.node_name()))
        write(std::string(pod.uid()), {status_request(pod, std::move(*text)), false, true, bound_already});
}

void StatusWriter::group(const model::PodGroup &group, const model::GroupCondition &condition) {
    write(std::string(group.object->uid), {group_request(group, condition, clock_.now_ns()), true, true, 0, true});
}

void StatusWriter::bound(const model::Pod &pod) {
    auto known = pods_.find(std::string(pod.uid()));
    if (known != pods_.end()) known->second.waiting.clear();
}

void StatusWriter::write(std::string uid, Patch patch) {
    auto &known = pods_[uid];
    std::erase_if(known.waiting, [&](const Patch &older) {
        return (patch.explains || !older.explains) && (patch.nominates || !older.nominates);
    });
    known.waiting.push_back(std::move(patch));
    enqueue(uid, known);
    pump();
}

void StatusWriter::enqueue(const std::string &uid, Pod &pod) {
    if (pod.queued || pod.under_way) return;
    pod.queued = true;
    queue_.push_back(uid);
}

void StatusWriter::pump() {
    while (under_way_ < most_under_way && !queue_.empty()) {
        auto uid = std::move(queue_.front());
        queue_.pop_front();
        auto known = pods_.find(uid);
        auto &pod = known->second;
        pod.queued = false;
        if (pod.waiting.empty()) {
            pods_.erase(known);
            continue;
        }
        auto patch = std::move(pod.waiting.front());
        pod.waiting.pop_front();
        pod.under_way = true;
        ++under_way_;
        auto key = patch.request.name_space + "/" + patch.request.name;
        api_.send(
            std::move(patch.request),
            [this, uid = std::move(uid), key = std::move(key), harmless = patch.harmless, of_group = patch.of_group](
                const env::ApiAnswer &answer) { answered(uid, key, harmless, of_group, answer); });
    }
}

void StatusWriter::answered(const std::string &uid, const std::string &key, int harmless, bool of_group,
                            const env::ApiAnswer &answer) {
    constexpr int ok = 200, refused = 400;
    const bool done = answer.http_status >= ok && answer.http_status < refused;
    if (log_ && !done && !is_gone(answer) && answer.http_status != harmless)
        log_->write(env::Severity::Error, 0, of_group ? "Failed to update PodGroup status" : "Error updating pod",
                    {{of_group ? "podGroup" : "pod", key}, {"err", answer.body}});
    --under_way_;
    auto known = pods_.find(uid);
    known->second.under_way = false;
    if (known->second.waiting.empty()) pods_.erase(known);
    else enqueue(uid, known->second);
    pump();
}

}  // namespace berth::report
