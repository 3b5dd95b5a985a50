// SPDX-License-Identifier: Apache-2.0
#include "cycle/extenders.h"
#include "model/look_ups.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace berth::cycle {

namespace {

/// MaxNodeScore / MaxExtenderPriority.
constexpr std::int64_t per_point = BERTH_SCORE_MAX / 10;

std::vector<env::Extender::Node> nodes_at(const berth_nodes &nodes, std::span<const std::uint32_t> slots) {
    std::vector<env::Extender::Node> out;
    out.reserve(slots.size());
    for (auto slot : slots) out.push_back({model::view(nodes.name[slot]), model::object_of(nodes.obj[slot])});
    return out;
}

/// What is left after one extender's answer.
void take(const berth_nodes &nodes, const env::Extender::Filtered &answer, ExtenderVerdicts &verdicts) {
    auto slot_of = [&](const std::string &name) { return model::find_node(nodes, model::to_str(name)); };
    std::vector<std::uint32_t> left;
    std::unordered_set<std::uint32_t> kept;
    for (const auto &name : answer.left)
        if (auto slot = slot_of(name); kept.insert(slot).second) left.push_back(slot);
    for (auto slot : verdicts.left) {
        if (kept.contains(slot)) continue;
        std::string name(model::view(nodes.name[slot]));
        if (auto why = answer.unresolvable.find(name); why != answer.unresolvable.end())
            verdicts.rejected.push_back({slot, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, why->second});
        else if (auto other = answer.failed.find(name); other != answer.failed.end())
            verdicts.rejected.push_back({slot, BERTH_STATUS_UNSCHEDULABLE, other->second});
    }
    verdicts.left = std::move(left);
}

}  // namespace

void Extenders::use(std::span<const std::unique_ptr<env::Extender>> all, env::Log *log) {
    all_ = all;
    log_ = log;
}

bool Extenders::any_filters() const {
    return std::any_of(all_.begin(), all_.end(), [](const auto &one) { return one->traits().filters; });
}

bool Extenders::any_prioritizes() const {
    return std::any_of(all_.begin(), all_.end(), [](const auto &one) { return one->traits().prioritizes; });
}

void Extenders::filter(const Search &search, std::vector<std::uint32_t> feasible, Filtered done) {
    ExtenderVerdicts verdicts;
    verdicts.left = std::move(feasible);
    ask(search, 0, std::move(verdicts), std::move(done));
}

void Extenders::ask(const Search &search, std::size_t next, ExtenderVerdicts so_far, Filtered done) {
    const auto &pod = *model::object_of(search.pod.obj);
    while (next < all_.size() && !(all_[next]->traits().filters && all_[next]->interested(pod))) ++next;
    if (next == all_.size() || so_far.left.empty()) return done(std::move(so_far));
    env::Extender &extender = *all_[next];
    auto nodes = nodes_at(search.nodes, so_far.left);
    extender.filter(
        pod, nodes,
        [this, weak = std::weak_ptr(alive_), &search, &extender, next, so_far = std::move(so_far),
         done = std::move(done)](model::Result<env::Extender::Filtered> answer) mutable {
            if (!weak.lock()) return;
            if (answer) {
                take(search.nodes, *answer, so_far);
            } else if (!extender.traits().ignorable) {
                so_far.status = {.code = BERTH_STATUS_ERROR, .error = answer.error().text, .reasons = {}, .plugin = {}};
                return done(std::move(so_far));
            } else if (log_) {
                log_->write(env::Severity::Info, 0, "Skipping extender as it returned error and has ignorable flag set",
                            {{"extender", extender.traits().url}, {"err", answer.error().text}});
            }
            ask(search, next + 1, std::move(so_far), std::move(done));
        });
}

void Extenders::prioritize(const Search &search, std::span<const std::uint32_t> feasible, Scored done) {
    const auto &pod = *model::object_of(search.pod.obj);
    std::vector<env::Extender *> called;
    for (const auto &one : all_)
        if (one->traits().prioritizes && one->interested(pod)) called.push_back(one.get());
    if (called.empty()) return done({});
    struct Round {
        std::vector<ExtenderScores> scores;
        std::unordered_map<std::string, std::size_t> place;
        std::size_t outstanding = 0;
        Scored done;
    };
    auto round = std::make_shared<Round>();
    round->done = std::move(done);
    round->outstanding = called.size();
    auto nodes = nodes_at(search.nodes, feasible);
    for (std::size_t i = 0; i < nodes.size(); ++i) round->place.emplace(nodes[i].name, i);
    for (const auto *one : called)
        round->scores.push_back(
            {one->traits().url, static_cast<std::int64_t>(static_cast<std::uint64_t>(one->traits().weight) * per_point),
             std::vector<std::int64_t>(nodes.size())});
    for (std::size_t i = 0; i < called.size(); ++i) {
        called[i]->prioritize(pod, nodes,
                              [this, weak = std::weak_ptr(alive_), round, i,
                               url = called[i]->traits().url](model::Result<std::vector<env::Extender::Score>> answer) {
                                  if (!weak.lock()) return;
                                  if (answer) {
                                      for (const auto &[node, score] : *answer)
                                          if (auto at = round->place.find(node); at != round->place.end())
                                              round->scores[i].scores[at->second] = score;
                                  } else if (log_) {
                                      log_->write(env::Severity::Info, 5,
                                                  "Failed to run extender's priority function. No score given by this "
                                                  "extender.",
                                                  {{"extender", url}, {"err", answer.error().text}});
                                  }
                                  if (--round->outstanding > 0) return;
                                  round->done(std::move(round->scores));
                              });
    }
}

}  // namespace berth::cycle
