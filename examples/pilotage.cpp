// SPDX-License-Identifier: Apache-2.0

/// Pilotage: pods go to the nodes that a pilot recommends. The score of a node is its entry in the ConfigMap
/// args.namespace/args.name, or 0. The plugin reads the ConfigMap at its start and then every args.seconds.

#include <berth/plugin.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace {

class Pilotage {
    const berth::Host &host_;
    std::string name_space_, name_;
    std::int64_t period_ns_;
    std::map<std::string, std::int64_t, std::less<>> scores_;

    void read() {
        // The next read begins when this one has come to its end, so that they never pile up.
        host_.read(berth::Get{.resource = "configmaps", .name_space = name_space_, .name = name_},
                   [this](const berth::Answer &answer) {
                       take(answer);
                       host_.after(period_ns_, [this] { read(); });
                   });
    }

    /// Without an answer, what was read before stays.
    void take(const berth::Answer &answer) {
        if (answer.not_found()) return scores_.clear();
        if (!answer.ok()) return host_.warning("Cannot read the pilot's ConfigMap", {{"why", answer.text()}});
        scores_.clear();
        const auto data = answer.value()["data"];
        for (std::size_t i = 0; i < data.size(); ++i) {
            const auto text = data.member(i).string();
            std::int64_t score = 0;
            std::from_chars(text.data(), text.data() + text.size(), score);
            scores_.emplace(data.key(i), std::clamp<std::int64_t>(score, 0, 100));
        }
    }

public:
    static constexpr const char *description = "Scores nodes by a ConfigMap that it reads from time to time";
    static constexpr std::array reads{"get v1/configmaps"};

    static void default_args(berth::ArgsReader &args) {
        args.string("namespace", "kube-system");
        args.string("name", "pilotage");
        args.integer("seconds", 60, 1, 86'400);
    }

    Pilotage(berth::Args args, const berth::Host &host)
        : host_(host),
          name_space_(args.string("namespace", "kube-system")),
          name_(args.string("name", "pilotage")),
          period_ns_(args.integer<std::int64_t>("seconds", 60) * 1'000'000'000) {
        // A read can begin when the constructor and `declare` have returned.
        host.after(1, [this] { read(); });
    }
    Pilotage(const Pilotage &) = delete;
    Pilotage &operator=(const Pilotage &) = delete;

    void declare(berth::Declare d) const { d.read(BERTH_READ_GET, "", "v1", "configmaps"); }

    std::int64_t score(berth::Pod, berth::Node node) const {
        const auto found = scores_.find(node.name());
        return found == scores_.end() ? 0 : found->second;
    }
};

}  // namespace

BERTH_PLUGIN(Pilotage, "Pilotage", "1.0.0")
