// SPDX-License-Identifier: Apache-2.0
#include "report/pending.h"

#include "report/table.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace berth::report {
namespace {

/// What stands in quotes in the message, such as the name of a claim.
std::vector<std::string_view> quoted(std::string_view message) {
    std::vector<std::string_view> out;
    for (auto from = message.find('"'); from != message.npos;) {
        const auto to = message.find('"', from + 1);
        if (to == message.npos) break;
        out.push_back(message.substr(from + 1, to - from - 1));
        from = message.find('"', to + 1);
    }
    return out;
}

/// The message without what is quoted.
std::string without_names(std::string_view message) {
    std::string out;
    std::size_t from = 0;
    for (const auto name : quoted(message)) {
        const auto at = static_cast<std::size_t>(name.data() - message.data());
        out += message.substr(from, at - from);
        from = at + name.size();
    }
    return out += message.substr(from);
}

/// The message with its numbers left out: "0/3 nodes are available: 2 Insufficient cpu." and the same with other counts
/// say the same to a reader. Numbers inside names are kept.
std::string without_counts(std::string_view message) {
    std::string out;
    for (std::size_t i = 0; i < message.size(); ++i) {
        bool starts_word = i == 0 || message[i - 1] == ' ' || message[i - 1] == '/';
        if (!starts_word || message[i] < '0' || message[i] > '9') {
            out += message[i];
            continue;
        }
        while (i + 1 < message.size() && message[i + 1] >= '0' && message[i + 1] <= '9') ++i;
        out += '#';
    }
    return out;
}

/// Pods that wait for the same reason.
struct Group {
    std::string_view message;          ///< of the first
    std::string nameless;              ///< the message without names
    bool differ = false;               ///< in their counts
    std::set<std::string_view> names;  ///< that the others have where the first has another
    std::vector<const PendingPod *> pods;
    std::vector<std::string_view> own = {};  ///< the names of the first, once they are compared

    void add(const PendingPod &pod) {
        pods.push_back(&pod);
        if (pod.message == message) return;
        differ = differ || without_names(pod.message) != nameless;
        if (own.empty()) own = quoted(message);
        const auto other = quoted(pod.message);
        for (std::size_t i = 0; i < std::min(own.size(), other.size()); ++i)
            if (own[i] != other[i]) names.insert(other[i]);
    }

    std::string text(std::size_t most) const {
        std::string text = "  " + plural(pods.size(), "pod") + ": " + printable(message);
        if (differ) text += "  (and with other counts)";
        std::size_t n = 0;
        for (const auto name : names) {
            if (n == most) break;
            text += (n++ == 0 ? "  (and \"" : ", \"") + printable(name) + "\"";
        }
        if (names.size() > n) text += ", … " + grouped(names.size() - n) + " more";
        if (n > 0) text += ")";
        text += "\n    ";
        for (std::size_t k = 0; k < std::min(most, pods.size()); ++k)
            text += (k ? ", " : "") + printable(pods[k]->pod.name_space + "/" + pods[k]->pod.name);
        if (most < pods.size()) text += ", … " + grouped(pods.size() - most) + " more";
        return text + "\n";
    }
};

/// What would make the first pod of a group fit.
std::string what_helps(const Group &group, const Advise &advise) {
    const auto &pod = group.pods.front()->pod;
    const auto changes = advise(pod);
    if (changes.empty()) return "";
    std::string out = "    " + printable(pod.name_space + "/" + pod.name) + " would fit with" +
                      (changes.size() == 1 ? ": " : " one of:\n      ");
    for (std::size_t i = 0; i < changes.size(); ++i) out += (i > 0 ? "\n      " : "") + printable(changes[i]);
    return out + "\n";
}

std::string message_of(model::Value item) {
    if (const auto message = item["message"].string(); !message.empty()) return std::string(message);
    if (const auto by = item["gatedBy"].string(); !by.empty()) return "gated by " + std::string(by);
    std::string by;
    for (std::size_t i = 0; i < item["rejectedBy"].size(); ++i)
        by.append(by.empty() ? "" : ", ").append(item["rejectedBy"].at(i).string());
    if (!by.empty()) return "rejected by " + by;
    return item["attempts"].integer().value_or(0) > 0 ? "tried, and to be tried again" : "not tried yet";
}

}  // namespace

std::vector<PendingPod> pending_of(model::Value answer, std::string_view name_space) {
    std::vector<PendingPod> out;
    for (std::size_t i = 0; i < answer["items"].size(); ++i) {
        const auto item = answer["items"].at(i), pod = item["pod"];
        if (!name_space.empty() && pod["namespace"].string() != name_space) continue;
        out.push_back({{std::string(pod["namespace"].string()), std::string(pod["name"].string()), {}},
                       model::AttemptResult::Unschedulable,
                       message_of(item)});
    }
    return out;
}

bool nothing_waits(model::Value answer, std::string_view name_space) {
    return pending_of(answer, name_space).empty() && answer["omitted"].integer().value_or(0) == 0;
}

std::string waiting_text(model::Value answer, std::string_view name_space, bool all, const Advise &advise) {
    const auto pods = pending_of(answer, name_space);
    const auto counts = answer["counts"];
    auto count = [&](const char *queue) {
        return grouped(static_cast<std::uint64_t>(counts[queue].integer().value_or(0))) + " ";
    };
    std::string out = count("active") + "active, " + count("backingOff") + "in backoff, " + count("unschedulable") +
                      "unschedulable, " + count("gated") + "gated\n";
    if (answer["leads"].boolean() == false)
        out += "  This instance does not lead: another one schedules, and knows about attempts.\n";
    const auto omitted = answer["omitted"].integer().value_or(0);
    if (omitted > 0)
        out += "  " + plural(static_cast<std::uint64_t>(omitted), "more pod") +
               " that began to wait later: not in this list\n";
    if (pods.empty() && omitted > 0)
        return out + "None of those in this list is in namespace " + printable(name_space) + ".\n";
    if (pods.empty())
        return out + (name_space.empty() ? "No pod is pending.\n"
                                         : "No pod in namespace " + printable(name_space) + " is pending.\n");
    return out + "\n" + pending_text(pods, all, advise);
}

std::string pending_text(const std::vector<PendingPod> &pods, bool all, const Advise &advise) {
    if (pods.empty()) return "";
    std::vector<Group> groups;
    std::unordered_map<std::string, std::size_t> index;
    for (const auto &p : pods) {
        auto nameless = without_names(p.message);
        auto [at, fresh] = index.emplace(all ? p.message : without_counts(nameless), groups.size());
        if (fresh) groups.push_back({p.message, std::move(nameless), false, {}, {}});
        groups[at->second].add(p);
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto &a, const auto &b) { return a.pods.size() > b.pods.size(); });
    std::string text = "PENDING, and why\n";
    std::size_t shown = all ? groups.size() : std::min(groups.size(), rows_shown);
    constexpr std::size_t named = 5;
    for (std::size_t i = 0; i < shown; ++i) {
        text += groups[i].text(all ? SIZE_MAX : named);
        if (advise && i < most_advised) text += what_helps(groups[i], advise);
    }
    if (shown < groups.size()) text += cut_off(groups.size() - shown, "reasons");
    return text;
}

}  // namespace berth::report
