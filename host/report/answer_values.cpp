// SPDX-License-Identifier: Apache-2.0
#include "report/answer_values.h"

#include "decode/write.h"
#include "model/time.h"

namespace berth::report {

using model::ArrayBuilder;
using model::ObjectBuilder;

void add_texts(model::Arena &arena, ObjectBuilder &to, std::string_view key, const std::vector<std::string> &texts) {
    if (texts.empty()) return;
    ArrayBuilder list(arena);
    for (const auto &text : texts) list.add(std::string_view{text});
    to.add(key, list);
}

void add_text(ObjectBuilder &to, std::string_view key, std::string_view text) {
    if (!text.empty()) to.add(key, text);
}

void add_time(ObjectBuilder &to, std::string_view key, std::int64_t ns) {
    if (ns != 0) to.add(key, std::string_view{model::format_time(ns)});
}

void add_rejections(model::Arena &arena, ObjectBuilder &to, const std::vector<model::Rejection> &rejections) {
    if (rejections.empty()) return;
    ArrayBuilder list(arena);
    for (const auto &r : rejections) {
        ObjectBuilder one(arena);
        one.add("nodes", r.nodes).add("plugin", std::string_view{r.plugin});
        one.add("status", std::string_view{model::code_name(r.code)});
        add_texts(arena, one, "reasons", r.reasons);
        list.add(one.value());
    }
    to.add("rejections", list);
}

ArrayBuilder wakes_value(model::Arena &arena, const std::vector<model::Waking> &wakes, bool with_plugin) {
    ArrayBuilder out(arena);
    for (const auto &w : wakes) {
        ObjectBuilder one(arena);
        ArrayBuilder actions(arena);
        for (auto action : w.actions) actions.add(action);
        if (with_plugin) one.add("plugin", std::string_view{w.plugin});
        one.add("resource", std::string_view{w.resource});
        out.add(one.add("actions", actions).add("hint", w.looks).value());
    }
    return out;
}

ObjectBuilder answer_head(model::Arena &arena, const char *kind, const Answerer &by, const model::PodRef *pod) {
    ObjectBuilder out(arena), metadata(arena);
    if (pod) {
        metadata.add("namespace", std::string_view{pod->name_space}).add("name", std::string_view{pod->name});
        add_text(metadata, "uid", pod->uid);
    }
    out.add("kind", kind).add("apiVersion", explain_api).add("metadata", metadata);
    add_text(out, "kubernetesVersion", by.kubernetes_version);
    return out.add("leads", by.leads).add("time", std::string_view{model::format_time(by.time_ns)});
}

std::string text_of(const ObjectBuilder &object) {
    const auto value = object.value();
    return decode::to_json(model::Value{&value}) + "\n";
}

}  // namespace berth::report
