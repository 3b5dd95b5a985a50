// SPDX-License-Identifier: Apache-2.0

/// ReadsAll: at PreFilter writes into the file args.out, for every ResourceClaim and every example.com/v1 Oddity, a
/// line with its name and a digest of its spec: of every value in it, in the form that tests/oracle/judge/gojson writes
/// too.

#include <berth/plugin.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

void append_text(std::string &out, std::string_view text) { (out += 's' + std::to_string(text.size()) + ':') += text; }

void append_scalar(std::string &out, berth::Value v) {
    if (const auto b = v.boolean()) out += *b ? 't' : 'f';
    else if (const auto n = v.integer()) out += 'i' + std::to_string(*n) + ';';
    else if (v.kind() == BERTH_VALUE_DOUBLE) {
        char bits[32];
        std::snprintf(bits, sizeof bits, "d%" PRIx64 ";", std::bit_cast<std::uint64_t>(*v.number()));
        out += bits;
    } else if (v.is_string()) append_text(out, v.string());
    else out += 'n';
}

/// An object may have 10,000 levels: a list of what is open, and no recursion.
std::string canonical(berth::Value root) {
    struct Open {
        berth::Value v;
        std::vector<std::size_t> order;
        std::size_t next;
    };
    std::string out;
    std::vector<Open> open;
    auto begin = [&](berth::Value v) {
        if (!v.is_array() && !v.is_object()) return append_scalar(out, v);
        out += v.is_object() ? '{' : '[';
        std::vector<std::size_t> order(v.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        if (v.is_object())
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v.key(a) < v.key(b); });
        open.push_back({v, std::move(order), 0});
    };
    begin(root);
    while (!open.empty()) {
        auto &in = open.back();
        if (in.next == in.order.size()) {
            out += in.v.is_object() ? '}' : ']';
            open.pop_back();
            continue;
        }
        const auto v = in.v;
        const auto i = in.order[in.next++];
        if (v.is_object()) append_text(out, v.key(i));
        begin(v.is_object() ? v.member(i) : v.at(i));
    }
    return out;
}

std::uint64_t fnv(std::string_view text) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
}

class ReadsAll {
    const berth::Host &host_;
    std::string out_;
    std::array<std::pair<const char *, berth::Kind>, 2> kinds_;

public:
    static constexpr const char *description = "Writes down what it reads in claims and oddities";
    static constexpr std::array watches{"resource.k8s.io/v1/resourceclaims", "example.com/v1/oddities"};

    ReadsAll(berth::Args args, const berth::Host &host)
        : host_(host),
          out_(args.string("out", "")),
          kinds_{{{"claim", host.kind("resource.k8s.io", "v1", "resourceclaims")},
                  {"oddity", host.kind("example.com", "v1", "oddities")}}} {}

    void declare(berth::Declare d) const {
        d.watch("resource.k8s.io", "v1", "resourceclaims");
        d.watch("example.com", "v1", "oddities");
    }

    berth::Verdict pre_filter(berth::Pod) const {
        std::set<std::string> lines;
        for (const auto &[what, kind] : kinds_)
            host_.each(kind, "", [&, name = what](berth::Object object) {
                char digest[32];
                std::snprintf(digest, sizeof digest, " %016" PRIx64, fnv(canonical(object.at("/spec"))));
                lines.insert(name + (' ' + std::string(object.name_space()) + '/') + std::string(object.name()) +
                             digest);
            });
        std::ofstream file(out_ + ".new");
        for (const auto &line : lines) file << line << '\n';
        file.close();
        std::rename((out_ + ".new").c_str(), out_.c_str());
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(ReadsAll, "ReadsAll", "1.0.0")
