// SPDX-License-Identifier: Apache-2.0
// berth.host.log_fields/draft1.
#include "plugin/current_call.h"
#include "service_world.h"
#include "strict_world.h"

#include <limits>

using service_world::One;
namespace model = berth::model;
namespace plugin = berth::plugin;

namespace {

berth_kv text_field(const char *key, std::string_view text) {
    berth_kv out{};
    out.key = model::to_str(key);
    out.value.kind = BERTH_VALUE_STRING;
    out.value.n.len = text.size();
    out.value.ptr.string = text.data();
    return out;
}
berth_kv whole_field(const char *key, std::int64_t number) {
    berth_kv out{};
    out.key = model::to_str(key);
    out.value.kind = BERTH_VALUE_INT;
    out.value.n.integer = number;
    return out;
}
berth_kv bool_field(const char *key, bool on) {
    auto out = whole_field(key, on);
    out.value.kind = BERTH_VALUE_BOOL;
    return out;
}
berth_kv number_field(const char *key, double number) {
    berth_kv out{};
    out.key = model::to_str(key);
    out.value.kind = BERTH_VALUE_DOUBLE;
    out.value.n.number = number;
    return out;
}

struct Writer : One {
    std::string line(std::string_view message, const std::vector<berth_kv> &fields, std::uint32_t verbosity = 0) {
        log.lines.clear();
        get<berth_host_log_fields>(BERTH_HOST_LOG_FIELDS_DRAFT1)
            .write(&host, BERTH_LOG_WARNING, verbosity, model::to_str(message), fields.data(), fields.size());
        return log.lines.empty() ? "" : log.lines.back();
    }
};

}  // namespace

TEST_CASE("log fields: numbers stand bare, texts are quoted, trees are JSON", "[plugin]") {
    Writer w;
    CHECK(w.line("Held a pod", {}) == "\"Held a pod\"");
    const auto fields = {text_field("group", "a \"b\""), whole_field("missing", -3), number_field("wait_s", 0.25),
                         bool_field("last", true), berth_kv{BERTH_STR("nothing"), {}}};
    CHECK(w.line("Held a pod", fields) ==
          R"("Held a pod" group="a \"b\"" missing=-3 wait_s=0.25 last=true nothing=null)");
    CHECK(w.log.severities.back() == berth::env::Severity::Warning);

    auto tree = berth::tree_of(R"({"a": [1, "x", {"b": null}], "c": {}})");
    berth_kv field{BERTH_STR("tree"), *tree->value().raw()};
    CHECK(w.line("Looked", {field}) == R"("Looked" tree={"a":[1,"x",{"b":null}],"c":{}})");
    CHECK(w.line("Too verbose", {}, 3).empty());
    CHECK(w.line("Too verbose", {}, std::numeric_limits<std::uint32_t>::max()).empty());
    const auto &plain = w.get<berth_host_log>(BERTH_HOST_LOG_V1);
    CHECK(plain.enabled(&w.host, BERTH_LOG_INFO, std::numeric_limits<std::uint32_t>::max()) == 0);
    for (double n : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        CHECK(w.line("m", {number_field("n", n)}) == "\"m\" n=null");
}

TEST_CASE("log fields: a line about a pod names it once", "[plugin]") {
    Writer w;
    const std::string name = "Tea";
    const plugin::AboutPod about(berth::plain_pod("p"));
    CHECK(w.line("Between calls", {}) == "\"Between calls\"");
    const plugin::InCall call(name, "Filter");
    CHECK(w.line("Held", {whole_field("missing", 3)}) == R"("Held" pod="default/p" missing=3)");
    CHECK(w.line("Held", {text_field("pod", "another")}) == R"("Held" pod="another")");
}

TEST_CASE("log fields: what is too long is cut, and says so", "[plugin]") {
    Writer w;
    const std::string longest(1'024, 'a');
    CHECK(w.line(longest, {text_field("k", longest)}) == "\"" + longest + "\" k=\"" + longest + "\"");
    CHECK(w.line(longest + "b", {}) == "\"" + longest + "\" cut=true");
    // Before a character.
    CHECK(w.line("m", {text_field("k", longest.substr(1) + "\u00e9")}) ==
          "\"m\" k=\"" + longest.substr(1) + "\" cut=true");
    std::vector<berth_kv> many(40, whole_field("k", 1));
    const auto line = w.line("m", many);
    CHECK(line.size() == std::string("\"m\" cut=true").size() + 32 * std::string(" k=1").size());
    CHECK(line.ends_with(" k=1 cut=true"));

    auto nested = berth::tree_of("[[[[[[[[[1]]]]]]]]]");
    CHECK(w.line("m", {{BERTH_STR("k"), *nested->value().raw()}}) == "\"m\" k=[[[[[[[[[]]]]]]]]] cut=true");
    std::string wide = "[0";
    for (int i = 0; i < 100'000; ++i) wide += ",0";
    auto items = berth::tree_of(wide + "]");
    const auto cut = w.line("m", {{BERTH_STR("k"), *items->value().raw()}});
    CHECK(cut.size() < 1'100);
    CHECK(cut.ends_with("] cut=true"));
}

// promise(plugin): A log line with fields stays one line, and no value of it looks like another field.
TEST_CASE("log fields: newlines and terminal controls of a value stay in the line", "[plugin]") {
    Writer w;
    CHECK(w.line("a\nb", {text_field("k", "c\nd\x1b[31m")}) == R"("a\nb" k="c\nd\u001b[31m")");
    CHECK(w.line("m", {text_field("k", "\xff")}) == "\"m\" k=\"\uFFFD\"");
    // A key cannot be made to look like another field.
    CHECK(w.line("m", {text_field("a b", "x"), text_field("", "x"), text_field("k=1 l", "x"),
                       text_field("ok/K_.-", "x")}) == R"("m" ok/K_.-="x")");
    CHECK(w.line("m", {{{nullptr, 5}, {}}}) == "\"m\"");
    CHECK(w.line("m", {text_field("k", "\u0085\x7f")}) == R"("m" k="\u0085\u007f")");
    // What points to nothing is nothing.
    auto none = text_field("k", "");
    none.value.n.len = 5;
    none.value.ptr.string = nullptr;
    CHECK(w.line("m", {none}) == "\"m\" k=\"\"");
    none.value.kind = BERTH_VALUE_ARRAY;
    CHECK(w.line("m", {none}) == "\"m\" k=[]");
    none.value.kind = BERTH_VALUE_OBJECT;
    CHECK(w.line("m", {none}) == "\"m\" k={}");
    berth_kv member{{nullptr, 3}, {}};
    member.value.kind = BERTH_VALUE_STRING;
    member.value.n.len = 3;
    none.value.n.len = 1;
    none.value.ptr.members = &member;
    CHECK(w.line("m", {none}) == R"("m" k={"":""})");
}

TEST_CASE("log fields: misuse is named", "[plugin]") {
    auto first = [](const std::string &fault, int pods = 1) {
        strict_world::World world("strict_" + fault, strict_world::everywhere);
        for (int i = 0; i < pods; ++i) world.add("p" + std::to_string(i));
        return world.decisions.back().message;
    };
    const auto write = "it called write of berth.host.log_fields/draft1 ";
    CHECK(first("fields_key").ends_with(write + std::string("with an invalid key: \"no key\"")));
    CHECK(first("fields_twice").ends_with(write + std::string("with the key \"a\" twice")));
    CHECK(first("fields_kept_item", 2).ends_with("it passed a text that it had kept from an earlier call"));
    CHECK(first("fields_kept_text", 2).ends_with("it passed a text that it had kept from an earlier call"));
}
