// SPDX-License-Identifier: Apache-2.0
#include "kube/extender_json.h"

#include "decode/document.h"
#include "decode/fields.h"
#include "decode/write.h"

#include <algorithm>

namespace berth::kube {

namespace {

using env::Extender;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_but_for_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

/// The members of an answer, as Go's encoding/json finds them. What is of another type is remembered, and counts as
/// left out.
class Reader {
    model::Error *wrong_;
    model::Value value_;
    std::string path_;

    model::Value expect(bool right, model::Value value, const std::string &path, const char *expected) {
        if (right) return value;
        if (wrong_->text.empty())
            wrong_->text = path + ": expected " + expected + ", got " + std::string(decode::kind_name(value));
        return {};
    }

public:
    Reader(model::Error &wrong, model::Value value, std::string path)
        : wrong_(&wrong), value_(value), path_(std::move(path)) {
        value_ = value.is_null() ? model::Value{} : expect(value.is_object(), value, path_, "an object");
    }

    std::string path_of(std::string_view name) const { return path_ + (path_.empty() ? "" : ".") + std::string(name); }

    model::Value any(std::string_view name) const {
        auto found = value_[name];
        for (std::size_t i = 0; !found && i < value_.size(); ++i)
            if (same_but_for_case(value_.key(i), name)) found = value_.member(i);
        return found.is_null() ? model::Value{} : found;
    }
    model::Value list(std::string_view name) {
        auto found = any(name);
        return found ? expect(found.is_array(), found, path_of(name), "a list") : found;
    }
    std::string text(std::string_view name) {
        auto found = any(name);
        return found ? text_of(found, path_of(name)) : "";
    }
    std::string text_of(model::Value value, const std::string &path) {
        return std::string(expect(value.is_string(), value, path, "a string").string());
    }
    std::int64_t integer(std::string_view name) {
        auto found = any(name);
        if (!found) return 0;
        return expect(found.integer().has_value(), found, path_of(name), "an integer").integer().value_or(0);
    }
    std::map<std::string, std::string> texts(std::string_view name) {
        std::map<std::string, std::string> out;
        auto found = any(name);
        if (found) found = expect(found.is_object(), found, path_of(name), "an object");
        for (std::size_t i = 0; i < found.size(); ++i) {
            std::string key(found.key(i));
            out[key] = text_of(found.member(i), path_of(name) + "." + key);
        }
        return out;
    }
    Reader object(std::string_view name) { return {*wrong_, any(name), path_of(name)}; }
    std::size_t size() const { return value_.size(); }
    std::string_view key(std::size_t i) const { return value_.key(i); }
    Reader member(std::size_t i) { return {*wrong_, value_.member(i), path_of(key(i))}; }
    Reader item(std::string_view list, model::Value items, std::size_t i) {
        return {*wrong_, items.at(i), path_of(list) + "[" + std::to_string(i) + "]"};
    }
};

model::Result<decode::Document> parse(std::string_view body) {
    constexpr std::string_view blanks = " \t\r\n";
    auto text = body.substr(std::min(body.find_first_not_of(blanks), body.size()));
    text = text.substr(0, text.find_last_not_of(blanks) + 1);
    if (text == "null") return decode::Document{};
    // Nothing else is read as JSON only.
    if (!text.starts_with('{') && !text.starts_with('['))
        return model::Error{"answer.json: expected an object or a list in JSON, got \"" +
                            std::string(text.substr(0, 100)) + "\""};
    return decode::read_document(text, "answer.json");
}

/// A pod of a file may lack its namespace and its UID, which the API server would have filled in.
void append_pod(std::string &out, const model::Object &pod) {
    auto root = pod.tree->value();
    auto metadata = root["metadata"];
    if (!metadata["namespace"].string().empty() && !metadata["uid"].string().empty())
        return decode::append_json(out, root);
    model::Arena arena;
    auto with = [&](model::Value object, std::string_view name, berth_value value) {
        std::vector<berth_kv> members;
        for (std::size_t i = 0; i < object.size(); ++i)
            if (object.key(i) != name)
                members.push_back({model::to_str(object.key(i)), model::copy(arena, object.member(i))});
        members.push_back({model::to_str(name), value});
        return model::make_object(arena, members);
    };
    auto text = [&](berth_str of) { return model::make_string(arena, model::view(of)); };
    auto named = with(metadata, "namespace", text(pod.meta().namespace_));
    auto complete = with(model::Value{&named}, "uid", text(pod.meta().uid));
    auto whole = with(root, "metadata", complete);
    decode::append_json(out, model::Value{&whole});
}

}  // namespace

std::string extender_args(const model::Object &pod, std::span<const Extender::Node> nodes, bool names_only) {
    std::string out = "{\"Pod\":";
    append_pod(out, pod);
    out += names_only ? ",\"Nodes\":null,\"NodeNames\":[" : ",\"Nodes\":{\"metadata\":{},\"items\":[";
    for (const auto &node : nodes) {
        if (&node != &nodes.front()) out += ',';
        if (names_only) decode::append_json_string(out, node.name);
        else decode::append_json(out, node.object->tree->value());
    }
    return out += names_only ? "]}" : "]},\"NodeNames\":null}";
}

std::string extender_preemption_args(const model::Object &pod, std::span<const Extender::Candidate> candidates,
                                     bool uids_only) {
    std::string out = "{\"Pod\":";
    append_pod(out, pod);
    out += uids_only ? ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{" : ",\"NodeNameToVictims\":{";
    for (const auto &candidate : candidates) {
        if (&candidate != &candidates.front()) out += ',';
        decode::append_json_string(out, candidate.node);
        out += ":{\"Pods\":[";
        for (std::size_t i = 0; i < candidate.victims.size(); ++i) {
            if (i > 0) out += ',';
            if (uids_only) {
                out += "{\"UID\":";
                decode::append_json_string(out, model::view(candidate.victims[i]->meta().uid));
                out += '}';
            } else {
                append_pod(out, *candidate.victims[i]);
            }
        }
        out += "],\"NumPDBViolations\":" + std::to_string(candidate.violations) + "}";
    }
    return out += uids_only ? "}}" : "},\"NodeNameToMetaVictims\":null}";
}

std::string extender_binding_args(const model::Pod &pod, std::string_view node) {
    std::string out = "{\"PodName\":";
    decode::append_json_string(out, pod.name());
    out += ",\"PodNamespace\":";
    decode::append_json_string(out, pod.name_space());
    out += ",\"PodUID\":";
    decode::append_json_string(out, pod.uid());
    out += ",\"Node\":";
    decode::append_json_string(out, node);
    return out += '}';
}

model::Result<Extender::Filtered> read_filter_result(std::string_view body, bool names_only) {
    auto document = parse(body);
    if (!document) return document.error();
    model::Error wrong;
    Reader root(wrong, document->value(), "");
    Extender::Filtered out;
    auto error = root.text("Error");
    auto names = root.list("NodeNames");
    if (names_only && names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            out.left.push_back(root.text_of(names.at(i), "NodeNames[" + std::to_string(i) + "]"));
    } else {
        auto nodes = root.object("Nodes");
        auto items = nodes.list("items");
        for (std::size_t i = 0; i < items.size(); ++i)
            out.left.push_back(nodes.item("items", items, i).object("metadata").text("name"));
    }
    out.failed = root.texts("FailedNodes");
    out.unresolvable = root.texts("FailedAndUnresolvableNodes");
    if (!wrong.text.empty()) return wrong;
    if (!error.empty()) return model::Error{std::move(error)};
    return out;
}

model::Result<std::vector<Extender::Score>> read_host_priorities(std::string_view body) {
    auto document = parse(body);
    if (!document) return document.error();
    auto list = document->value();
    model::Error wrong;
    std::vector<Extender::Score> out;
    if (!list.is_array() && !list.is_null())
        return model::Error{"expected a list, got " + std::string(decode::kind_name(list))};
    for (std::size_t i = 0; i < list.size(); ++i) {
        Reader one(wrong, list.at(i), "[" + std::to_string(i) + "]");
        out.push_back({one.text("Host"), one.integer("Score")});
    }
    if (!wrong.text.empty()) return wrong;
    return out;
}

model::Result<Extender::Preempted> read_preemption_result(std::string_view body) {
    constexpr std::string_view name = "NodeNameToMetaVictims";
    auto document = parse(body);
    if (!document) return document.error();
    model::Error wrong;
    Extender::Preempted out;
    auto nodes = Reader(wrong, document->value(), "").object(name);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto node = nodes.member(i);
        auto &victims = out[std::string(nodes.key(i))];
        victims.violations = node.integer("NumPDBViolations");
        auto pods = node.list("Pods");
        for (std::size_t k = 0; k < pods.size(); ++k) victims.uids.push_back(node.item("Pods", pods, k).text("UID"));
    }
    if (!wrong.text.empty()) return wrong;
    return out;
}

model::Result<void> read_binding_result(std::string_view body) {
    auto document = parse(body);
    if (!document) return document.error();
    model::Error wrong;
    auto error = Reader(wrong, document->value(), "").text("Error");
    if (!wrong.text.empty()) return wrong;
    if (!error.empty()) return model::Error{std::move(error)};
    return {};
}

}  // namespace berth::kube
