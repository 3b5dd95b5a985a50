// SPDX-License-Identifier: Apache-2.0

/// NodeNameScore: a score by the node's name. See README.md.

#include <berth/plugin.hpp>

#include <limits>
#include <regex>
#include <string>
#include <vector>

namespace {

struct Rule {
    enum class By { Exact, Prefix, Regex, Hash } by;
    std::string text;
    std::regex pattern;
    std::int64_t score;
};

/// 32 bits of FNV-1a: the same on every machine.
std::uint32_t fnv1a(std::string_view text) {
    std::uint32_t hash = 2166136261u;
    for (unsigned char byte : text) hash = (hash ^ byte) * 16777619u;
    return hash;
}

/// Reads one rule; what is wrong with it goes to `fault(path, text)`.
template <class Fault>
Rule read_rule(berth::Value v, Fault fault) {
    constexpr std::int64_t most = 100;
    Rule rule{Rule::By::Hash, "", {}, most};
    int kinds = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        auto key = std::string(v.key(i));
        berth::Value field = v.member(i);
        if (key == "score") {
            rule.score = field.integer().value_or(-1);
            if (rule.score < 0 || rule.score > most) fault("." + key, "expected a whole number from 0 to 100");
            continue;
        }
        if (key == "exact") rule.by = Rule::By::Exact;
        else if (key == "prefix") rule.by = Rule::By::Prefix;
        else if (key == "regex") rule.by = Rule::By::Regex;
        else if (key != "hash") {
            fault("." + key, "unknown field; expected exact, prefix, regex or hash, and score");
            continue;
        }
        ++kinds;
        rule.text = field.string();
        if (!field.is_string()) fault("." + key, "expected a string, got " + std::string(berth::kind_name(field)));
    }
    if (kinds != 1) fault("", "expected one of exact, prefix, regex and hash");
    if (rule.by == Rule::By::Regex) try {
            rule.pattern = std::regex(rule.text, std::regex::ECMAScript);
        } catch (const std::regex_error &e) {
            fault(".regex", std::string("not a regular expression: ") + e.what());
        }
    return rule;
}

class NodeNameScore {
    std::vector<Rule> rules_;

    std::int64_t score_of(std::string_view name) const {
        for (const auto &rule : rules_) switch (rule.by) {
                case Rule::By::Exact:
                    if (name == rule.text) return rule.score;
                    break;
                case Rule::By::Prefix:
                    if (name.starts_with(rule.text)) return rule.score;
                    break;
                case Rule::By::Regex:
                    if (std::regex_search(name.begin(), name.end(), rule.pattern)) return rule.score;
                    break;
                case Rule::By::Hash: return fnv1a(rule.text + std::string(name)) % (rule.score + 1);
            }
        return 0;
    }

public:
    static constexpr const char *description = "Scores nodes by their names";

    static void default_args(berth::ArgsReader &args) {
        berth::Value rules = args.field("rules");
        if (!rules.is_null() && !rules.is_array()) args.error("rules", "expected a list of rules");
        for (std::size_t i = 0; rules.is_array() && i < rules.size(); ++i)
            read_rule(rules.at(i), [&](const std::string &path, const std::string &text) {
                args.error("rules[" + std::to_string(i) + "]" + path, text);
            });
        args.set("rules", rules.is_array() ? berth::json(rules) : R"([{"hash":""}])");
    }

    explicit NodeNameScore(berth::Args args) {
        berth::Value rules = args["rules"];
        for (std::size_t i = 0; i < rules.size(); ++i)
            rules_.push_back(read_rule(rules.at(i), [](const auto &, const auto &) {}));
    }

    std::int64_t score(berth::Pod, berth::Node node) const { return score_of(node.name()); }
};

}  // namespace

BERTH_PLUGIN(NodeNameScore, "NodeNameScore", "0.1.0")
