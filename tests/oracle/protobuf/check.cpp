// SPDX-License-Identifier: Apache-2.0
// Reads pairs of the same events and lists from the standard input, in protobuf and in JSON, as
// tests/oracle/judge/protobuf writes them, and compares the trees. Ends with "N passed, M failed": one each for a
// kind's events, its list, and what is made of broken bytes; the exit code is 0 only when M is 0.

#include "decode/wire.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>

namespace {

using namespace berth;

std::string shown(model::Value v) {
    if (!v) return "(nothing)";
    if (v.is_object()) return "an object of " + std::to_string(v.size());
    if (v.is_array()) return "a list of " + std::to_string(v.size());
    if (v.is_null()) return "null";
    if (auto n = v.integer()) return std::to_string(*n);
    return '"' + std::string(v.string()) + '"';
}

/// Where two trees differ first; empty: nowhere.
std::string difference(model::Value a, model::Value b, const std::string &path) {
    if (a.is_object() && b.is_object()) {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!b[a.key(i)]) return path + "." + std::string(a.key(i)) + ": protobuf has " + shown(a.member(i));
        for (std::size_t i = 0; i < b.size(); ++i) {
            const auto name = path + "." + std::string(b.key(i));
            if (!a[b.key(i)]) return name + ": JSON has " + shown(b.member(i));
            auto below = difference(a[b.key(i)], b.member(i), name);
            if (!below.empty()) return below;
        }
    } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            auto below = difference(a.at(i), b.at(i), path + "[" + std::to_string(i) + "]");
            if (!below.empty()) return below;
        }
    }
    return model::equal(a, b) ? "" : path + ": protobuf has " + shown(a) + ", JSON has " + shown(b);
}

std::string difference(const decode::WatchEvent &a, const decode::WatchEvent &b) {
    if (a.unknown_fields) return "protobuf has fields that are not known";
    if (a.type != b.type) return "type: protobuf has " + a.type + ", JSON has " + b.type;
    if (a.object.fault != b.object.fault) return "protobuf: " + a.object.fault + ", JSON: " + b.object.fault;
    return difference(a.object.tree->value(), b.object.tree->value(), "object");
}

std::string difference(const decode::ListPage &a, const decode::ListPage &b) {
    if (a.unknown_fields) return "protobuf has fields that are not known";
    if (a.resource_version != b.resource_version || a.next != b.next) return "the list's metadata differ";
    if (a.items.size() != b.items.size()) return "the lists differ in length";
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        auto below = difference(a.items[i].tree->value(), b.items[i].tree->value(), "items[" + std::to_string(i) + "]");
        if (!below.empty()) return below;
    }
    return "";
}

template <class T>
std::string compared(const model::Result<T> &a, const model::Result<T> &b) {
    if (!a) return "protobuf: " + a.error().text;
    if (!b) return "JSON: " + b.error().text;
    return difference(*a, *b);
}

std::string sized_bytes() {
    std::array<unsigned char, 4> length{};
    std::cin.read(reinterpret_cast<char *>(length.data()), length.size());
    std::string out(
        std::size_t{length[0]} << 24 | std::size_t{length[1]} << 16 | std::size_t{length[2]} << 8 | length[3], '\0');
    std::cin.read(out.data(), static_cast<std::streamsize>(out.size()));
    return out;
}

/// Reads it cut off somewhere, and with another byte somewhere: whatever comes of it, it comes.
void break_it(const std::string &frame, std::mt19937_64 &random) {
    (void)decode::WireReader().watch_event(std::string_view(frame).substr(0, random() % frame.size()));
    std::string other = frame;
    for (int i = 0; i < 3; ++i) other[random() % other.size()] = static_cast<char>(random());
    (void)decode::WireReader().watch_event(other);
}

}  // namespace

int main(int argc, char **argv) {
    std::mt19937_64 random(argc > 1 ? std::stoull(argv[1]) : 1);
    std::string version, kind;
    int passed = 0, failed = 0;
    std::size_t events = 0, wrong = 0;
    auto report = [&](const std::string &what, const std::string &fault) {
        ++(fault.empty() ? passed : failed);
        if (!fault.empty()) std::cout << "FAILED: " << version << " " << kind << ", " << what << ": " << fault << "\n";
    };
    for (int letter = std::cin.get(); letter != EOF; letter = std::cin.get()) {
        if (letter == 'K') {
            std::cin >> version >> kind;
            std::cin.get();
            events = wrong = 0;
            if (!decode::reads_protobuf(version, kind)) report("the kind", "is not read in protobuf");
            continue;
        }
        const auto a = sized_bytes(), b = sized_bytes();
        if (letter == 'E') {
            auto fault = compared(decode::WireReader().watch_event(a), decode::WireReader().watch_event(b));
            ++events;
            if (!fault.empty() && ++wrong == 1) report("event " + std::to_string(events), fault);
            break_it(a, random);
        } else {
            if (wrong == 0) report("events", events == 0 ? "there are none" : "");
            report("list", compared(decode::WireReader().list_page(a, version, kind),
                                    decode::WireReader().list_page(b, version, kind)));
        }
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
