// SPDX-License-Identifier: Apache-2.0
#include "record/values.h"

#include "decode/wire.h"
#include "decode/write.h"
#include "record/tree.h"

#include <map>

namespace berth::record {
namespace {

constexpr int refused = 400;
constexpr int status_too_long = -1;  ///< in place of 0

std::string text(Bytes &bytes) { return std::string(bytes.text()); }

void put_texts(std::string &out, const std::vector<std::string> &texts) {
    put_number(out, texts.size());
    for (const auto &one : texts) put_text(out, one);
}
std::vector<std::string> take_texts(Bytes &bytes) {
    std::vector<std::string> out;
    for (auto n = bytes.number(); n > 0 && bytes.good(); --n) out.push_back(text(bytes));
    return out;
}

void put_map(std::string &out, const std::map<std::string, std::string> &map) {
    put_number(out, map.size());
    for (const auto &[key, value] : map) {
        put_text(out, key);
        put_text(out, value);
    }
}
std::map<std::string, std::string> take_map(Bytes &bytes) {
    std::map<std::string, std::string> out;
    for (auto n = bytes.number(); n > 0 && bytes.good(); --n) {
        auto key = text(bytes);
        out[std::move(key)] = text(bytes);
    }
    return out;
}

}  // namespace

void put_decision(std::string &out, const model::Decision &d) {
    for (const auto *one : {&d.pod.name_space, &d.pod.name, &d.pod.uid, &d.profile}) put_text(out, *one);
    put_number(out, d.seq);
    put_number(out, d.attempt);
    put_number(out, d.cycle);
    put_signed(out, d.time_ns);
    out.push_back(static_cast<char>(d.result));
    for (const auto *one : {&d.phase, &d.node, &d.reason, &d.message}) put_text(out, *one);
    put_texts(out, d.rejected_by);
    put_text(out, d.nominated_node);
    out.push_back(d.nomination ? 1 : 0);
    if (d.nomination) put_text(out, *d.nomination);
    put_texts(out, d.victims.pods);
    put_number(out, d.victims.more);
    put_text(out, d.victims.reason);
    put_number(out, d.evaluated_nodes);
    put_number(out, d.feasible_nodes);
    put_number(out, d.start_index);
}

model::Decision take_decision(Bytes &bytes) {
    model::Decision d;
    for (auto *one : {&d.pod.name_space, &d.pod.name, &d.pod.uid, &d.profile}) *one = text(bytes);
    d.seq = bytes.number();
    d.attempt = static_cast<std::uint32_t>(bytes.number());
    d.cycle = bytes.number();
    d.time_ns = bytes.signed_number();
    const auto result = bytes.byte();
    if (result > static_cast<std::uint8_t>(model::AttemptResult::Error)) bytes.fail();
    else d.result = static_cast<model::AttemptResult>(result);
    for (auto *one : {&d.phase, &d.node, &d.reason, &d.message}) *one = text(bytes);
    d.rejected_by = take_texts(bytes);
    d.nominated_node = text(bytes);
    if (bytes.byte()) d.nomination = text(bytes);
    d.victims.pods = take_texts(bytes);
    d.victims.more = bytes.number();
    d.victims.reason = text(bytes);
    d.evaluated_nodes = static_cast<std::uint32_t>(bytes.number());
    d.feasible_nodes = static_cast<std::uint32_t>(bytes.number());
    d.start_index = static_cast<std::uint32_t>(bytes.number());
    return d;
}

std::uint64_t digest_of(const env::ApiRequest &r) {
    auto out = static_cast<std::uint64_t>(r.verb);
    for (const auto *one :
         {&r.group, &r.version, &r.resource, &r.name_space, &r.name, &r.subresource, &r.content_type, &r.body})
        out = digest(*one, out);
    if (r.verb != env::Verb::List) return out;
    for (const auto *one : {&r.list.label_selector, &r.list.field_selector, &r.list.after}) out = digest(*one, out);
    return digest(std::to_string(r.list.limit), out);
}

void put_answer(std::string &out, const env::ApiAnswer &answer, bool to_binding) {
    put_signed(out, answer.too_long ? status_too_long : answer.http_status);
    if (answer.http_status == 0 || answer.http_status >= refused) {
        put_text(out, answer.body);
        return put_text(out, answer.refusal);
    }
    auto body = to_binding ? model::Error{} : decode::read_api_json(answer.body);
    if (!body) return put_tree(out, {}, {});
    put_tree(out, (*body)->value(), {}, (*body)->value()["kind"].string() == "Secret");
}

void put_read(std::string &out, const env::ApiAnswer &answer, bool secret) {
    if (answer.http_status == 0 || answer.http_status >= refused) return put_answer(out, answer, false);
    const auto body = decode::read_api_json(answer.body);
    // For the plugin no answer came either.
    if (!body) return put_answer(out, {0, "the answer is not JSON: " + body.error().text}, false);
    put_signed(out, answer.http_status);
    put_tree(out, (*body)->value(), {}, secret);
}

env::ApiAnswer take_answer(Bytes &bytes) {
    env::ApiAnswer out;
    out.http_status = static_cast<int>(bytes.signed_number());
    out.too_long = out.http_status == status_too_long;
    if (out.too_long) out.http_status = 0;
    if (out.http_status == 0 || out.http_status >= refused) {
        out.body = text(bytes);
        out.refusal = text(bytes);
        return out;
    }
    model::Arena arena;
    const auto body = take_tree(bytes, {}, arena);
    const model::Value value{&body};
    out.body = value.is_null() ? "{}" : decode::to_json(value);
    return out;
}

void put_said(std::string &out, const env::Extender::Filtered &said) {
    put_texts(out, said.left);
    put_map(out, said.failed);
    put_map(out, said.unresolvable);
}
void put_said(std::string &out, const std::vector<env::Extender::Score> &said) {
    put_number(out, said.size());
    for (const auto &one : said) {
        put_text(out, one.node);
        put_signed(out, one.score);
    }
}
void put_said(std::string &out, const env::Extender::Preempted &said) {
    put_number(out, said.size());
    for (const auto &[node, victims] : said) {
        put_text(out, node);
        put_texts(out, victims.uids);
        put_signed(out, victims.violations);
    }
}

void take_said(Bytes &bytes, env::Extender::Filtered &said) {
    said.left = take_texts(bytes);
    said.failed = take_map(bytes);
    said.unresolvable = take_map(bytes);
}
void take_said(Bytes &bytes, std::vector<env::Extender::Score> &said) {
    for (auto n = bytes.number(); n > 0 && bytes.good(); --n) {
        auto node = text(bytes);
        said.push_back({std::move(node), bytes.signed_number()});
    }
}
void take_said(Bytes &bytes, env::Extender::Preempted &said) {
    for (auto n = bytes.number(); n > 0 && bytes.good(); --n) {
        auto &victims = said[text(bytes)];
        victims.uids = take_texts(bytes);
        victims.violations = bytes.signed_number();
    }
}

}  // namespace berth::record
