// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include "decode/document.h"
#include "decode/stream.h"
#include "decode/wire.h"
#include "decode/write.h"
#include "kube/extender_json.h"
#include "kube/lease.h"
#include "kube/watch_messages.h"

#include <sstream>

namespace berth::attack {
namespace {

void one(const std::string &text) { (void)decode::read_document(text, "f.json"); }

void many(const std::string &text) {
    std::istringstream in{text};
    (void)decode::read_stream(in, "f.json", [](const decode::Document &) { return model::Result<void>{}; });
}

void places(const std::string &text) {
    const auto document = decode::read_document(text, "f.json");
    if (!document) return;
    const auto root = document->value();
    for (std::size_t i = 0; i < root.size(); ++i) {
        (void)document->where(root.member(i));
        (void)document->key_position(root.member(i));
    }
}

void written(const std::string &text) {
    if (const auto document = decode::read_document(text, "f.json"))
        (void)decode::to_json(document->value()), (void)decode::to_json(document->value(), 2);
}

void page(const std::string &text) { (void)decode::WireReader().list_page(text, "v1", "Pod"); }
void event(const std::string &text) { (void)decode::WireReader().watch_event(text); }

void pieces(const std::string &text, std::size_t size) {
    kube::WatchMessages messages;
    std::size_t all = 0;
    for (std::size_t i = 0; i < text.size(); i += size)
        messages.take(std::string_view(text).substr(i, size), [&](std::string_view line) { all += line.size(); });
}

void extender(const std::string &text) {
    (void)kube::read_filter_result(text, true);
    (void)kube::read_filter_result(text, false);
    (void)kube::read_host_priorities(text);
    (void)kube::read_preemption_result(text);
}

std::string member(std::size_t i) { return "\"k" + number(i) + "\":1,"; }
std::string keys(std::size_t n) { return "{" + repeated(n, member) + "\"end\":1}"; }
std::string items(std::size_t n, std::string_view item) { return repeated(n, std::string(item) + ","); }

/// A field of protobuf that has bytes.
std::string field(unsigned number, const std::string &bytes) {
    std::string out;
    auto varint = [&](std::size_t n) {
        for (; n >= 0x80; n >>= 7) out += static_cast<char>((n & 0x7f) | 0x80);
        out += static_cast<char>(n);
    };
    varint(number << 3 | 2);
    varint(bytes.size());
    return out + bytes;
}
/// A list of one pod with that metadata.
std::string pods(const std::string &metadata) {
    const auto list = field(1, field(2, "1")) + field(2, field(1, metadata));
    return std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "PodList")) + field(2, list);
}
std::string label(std::size_t i) { return field(11, field(1, "k" + number(i)) + field(2, "v")); }

}  // namespace

void add_json(Shapes &to) {
    const auto add = [&](const char *name, std::size_t n, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &) = one) { to.push_back({"json", name, n, make, parse}); };
    add("open brackets", 5000, [](std::size_t n) { return std::string(n, '['); });
    add("open braces", 1000, [](std::size_t n) { return repeated(n, "{\"a\":"); });
    add("deep again and again", 20,
        [](std::size_t n) { return "[" + items(n, std::string(150, '[') + std::string(150, ']')) + "1]"; });
    add("many keys", 2000, keys);
    add("a repeated key at the end", 500, [](std::size_t n) { return "{" + repeated(n, member) + "\"k0\":2}"; });
    add("one key again and again", 2000, [](std::size_t n) { return "{" + repeated(n, "\"k\":1,") + "\"k\":2}"; });
    add("keys with a long common beginning", 200, [](std::size_t n) {
        return "{" + repeated(n, [](std::size_t i) { return "\"" + std::string(100, 'k') + number(i) + "\":1,"; }) +
               "\"end\":1}";
    });
    add("a long text", 20000, [](std::size_t n) { return "[\"" + std::string(n, 'x') + "\"]"; });
    add("a long text without an end", 20000, [](std::size_t n) { return "[\"" + std::string(n, 'x'); });
    add("escapes", 5000, [](std::size_t n) { return "[\"" + repeated(n, "\\u0041\\n") + "\"]"; });
    add("backslashes", 20000, [](std::size_t n) { return "[\"" + std::string(n * 2, '\\') + "\"]"; });
    add("a long number", 20000, [](std::size_t n) { return "[" + std::string(n, '9') + "]"; });
    add("a long fraction", 20000, [](std::size_t n) { return "[0." + std::string(n, '1') + "]"; });
    add("a long exponent", 20000, [](std::size_t n) { return "[1e" + std::string(n, '9') + "]"; });
    add("numbers that are hard to round", 1000, [](std::size_t n) {
        return "[" + items(n, "2.2250738585072011360574097967091319759348195463516456e-308") + "1]";
    });
    add("blanks", 50000, [](std::size_t n) { return std::string(n, ' ') + "{}"; });
    add("a list cut off", 5000, [](std::size_t n) { return "[" + items(n, "1"); });
    add("no UTF-8 at the end", 20000, [](std::size_t n) { return "[\"" + std::string(n, 'x') + "\xff\"]"; });
    add("objects in a row", 1000, [](std::size_t n) { return repeated(n, "{\"a\":1}\n"); }, many);
    add(
        "items of a list", 1000,
        [](std::size_t n) { return "{\"kind\":\"PodList\",\"items\":[" + items(n, "{\"a\":1}") + "{}]}"; }, many);
    add(
        "items of a list in a list", 200,
        [](std::size_t n) {
            return R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"PodList","items":[)" +
                   items(n, "{\"a\":1}") + "{}]}]}";
        },
        many);
    add(
        "keys before and after the items", 1000,
        [](std::size_t n) {
            return "{" + repeated(n, member) + "\"items\":[{}]," +
                   repeated(n, [](std::size_t i) { return "\"z" + number(i) + "\":1,"; }) + "\"end\":1}";
        },
        many);
    add("separators", 5000, [](std::size_t n) { return "{}\n" + repeated(n, "---\n") + "{}\n"; }, many);
    add(
        "a long object in a stream", 20000, [](std::size_t n) { return "{\"a\":\"" + std::string(n, 'x') + "\"}"; },
        many);
    add("a stream without an end", 20000, [](std::size_t n) { return "{\"a\":\"" + std::string(n, 'x'); }, many);
    add("the place of each value", 1000, keys, places);
    add("written again", 1000, keys, written);
    // What the API server and extenders say.
    add(
        "a page of a list", 300,
        [](std::size_t n) {
            return R"({"kind":"PodList","metadata":{},"items":[)" +
                   items(n, R"({"metadata":{"name":"a","managedFields":[{"a":1}]}})") + "{}]}";
        },
        page);
    add(
        "members of a page", 100,
        [](std::size_t n) { return R"({"metadata":{},"items":[],)" + repeated(n, member) + "\"end\":1}"; }, page);
    add(
        "a page that repeats its items", 1000,
        [](std::size_t n) { return "{" + repeated(n, "\"items\":[{}],") + "\"items\":[]}"; }, page);
    to.push_back({"protobuf", "labels", 1000, [](std::size_t n) { return pods(repeated(n, label)); }, page});
    to.push_back(
        {"protobuf", "fields in another order", 1000,
         [](std::size_t n) { return pods(repeated(n, [](std::size_t i) { return label(i) + field(1, "n"); })); },
         page});
    to.push_back({"protobuf", "fields that nobody knows", 1000,
                  [](std::size_t n) { return pods(repeated(n, field(1000, "x"))); }, page});
    to.push_back(
        {"protobuf", "no UTF-8", 5000, [](std::size_t n) { return pods(field(1, std::string(n, '\xff'))); }, page});
    to.push_back({"protobuf", "items", 500,
                  [](std::size_t n) {
                      return std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "PodList")) +
                             field(2, field(1, field(2, "1")) + repeated(n, field(2, field(1, field(1, "n")))));
                  },
                  page});
    add(
        "an event", 1000, [](std::size_t n) { return R"({"type":"ADDED","object":{"metadata":)" + keys(n) + "}}"; },
        event);
    add(
        "an event with repeated keys", 1000,
        [](std::size_t n) {
            return R"({"type":"ADDED","object":{)" + repeated(n, member) + repeated(n, member) + R"("a":1}})";
        },
        event);
    add(
        "an event of deep lists", 10,
        [](std::size_t n) {
            return R"({"type":"ADDED","object":{"a":[)" + items(n, std::string(500, '[') + std::string(500, ']')) +
                   "1]}}";
        },
        event);
    add(
        "an event of numbers that no double holds", 500,
        [](std::size_t n) { return R"({"type":"ADDED","object":{"a":[)" + items(n, "1e999") + "1]}}"; }, event);
    add(
        "an event that is no UTF-8", 5000,
        [](std::size_t n) { return R"({"type":"ADDED","object":{"a":")" + std::string(n, '\xff') + "\"}}"; }, event);
    add(
        "a line that comes byte by byte", 5000, [](std::size_t n) { return std::string(n, 'x') + "\n"; },
        [](const std::string &text) { pieces(text, 1); });
    add(
        "short lines that come at once", 5000, [](std::size_t n) { return repeated(n, "{}\n"); },
        [](const std::string &text) { pieces(text, text.size()); });
    add(
        "short lines that come in pieces", 5000, [](std::size_t n) { return repeated(n, "{}\n"); },
        [](const std::string &text) { pieces(text, 7); });
    add(
        "what an extender answers", 500,
        [](std::size_t n) {
            return R"({"nodenames":[)" + items(n, "\"n\"") + R"("n"],"failedNodes":)" + keys(n) + "}";
        },
        extender);
    add(
        "nodes that an extender answers", 200,
        [](std::size_t n) { return R"({"nodes":{"items":[)" + items(n, R"({"metadata":{"name":"n"}})") + "{}]}}"; },
        extender);
    add(
        "victims that an extender names", 200,
        [](std::size_t n) {
            return R"({"nodeNameToMetaVictims":{)" +
                   repeated(n, [](std::size_t i) { return "\"n" + number(i) + R"(":{"pods":[{"uid":"a"}]},)"; }) +
                   R"("end":{}}})";
        },
        extender);
    add(
        "scores that an extender gives", 500,
        [](std::size_t n) { return "[" + items(n, R"({"host":"n","score":1})") + "{}]"; }, extender);
    add(
        "a lease", 1000, [](std::size_t n) { return R"({"metadata":)" + keys(n) + R"(,"spec":)" + keys(n) + "}"; },
        [](const std::string &text) { (void)kube::read_lease(text); });
}

}  // namespace berth::attack
