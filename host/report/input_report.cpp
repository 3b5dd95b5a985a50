// SPDX-License-Identifier: Apache-2.0
#include "report/input_report.h"

#include "report/table.h"

namespace berth::report {
namespace {

std::string names(const model::MissingObjects &missing) {
    std::string text;
    for (const auto &name : missing.first) text += (text.empty() ? "" : ", ") + printable(name);
    return text + (missing.count.value_or(0) > missing.first.size() ? ", …" : "");
}

berth_value list(model::Arena &arena, const std::vector<std::string> &texts) {
    model::ArrayBuilder out(arena);
    for (const auto &text : texts) out.add(std::string_view{text});
    return out.value();
}

}  // namespace

std::string missing_text(const model::InputReport &input) {
    if (input.missing.empty()) return "";
    Table table({"RESOURCE", ">MISSING", ">PODS", "EFFECT", "SUCH AS"});
    for (const auto &one : input.missing)
        table.add({printable(one.resource), one.count ? grouped(*one.count) : "any", grouped(one.pods), one.effect,
                   names(one)});
    return "MISSING from the input\n" + table.text(2) +
           (input.command.empty() ? "" : "  To include them: " + printable(input.command) + "\n");
}

void add_input(model::Arena &arena, model::ObjectBuilder &result, const model::InputReport &input) {
    model::ObjectBuilder out(arena);
    if (!input.missing.empty()) {
        model::ArrayBuilder missing(arena);
        for (const auto &one : input.missing) {
            model::ObjectBuilder entry(arena);
            entry.add("resource", std::string_view{one.resource});
            if (one.count) entry.add("count", *one.count);
            entry.add("pods", one.pods).add("effect", std::string_view{one.effect});
            missing.add(entry.add("first", list(arena, one.first)).value());
        }
        out.add("missing", missing);
        if (!input.command.empty()) out.add("command", std::string_view{input.command});
    }
    if (const auto &skipped = input.skipped; skipped.documents + skipped.files > 0) {
        model::ObjectBuilder of(arena);
        of.add("documents", skipped.documents).add("files", skipped.files).add("first", list(arena, skipped.first));
        out.add("skipped", of);
    }
    if (!out.empty()) result.add("input", out);
}

}  // namespace berth::report
