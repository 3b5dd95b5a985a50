// SPDX-License-Identifier: Apache-2.0
// Reads texts and what Kubernetes' decoder makes of them from the standard input, as tests/oracle/judge/gojson writes
// them, and compares that with what Berth makes of them: as an answer, in an event, in a page of a list, and with the
// reader for strange JSON alone. Ends with "N passed, M failed", one each for these ways; the exit code is 0 only when
// M is 0.

#include "decode/go_json.h"
#include "decode/wire.h"
#include "decode/write.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace berth;

void append_text(std::string &out, std::string_view text) {
    out += 's' + std::to_string(text.size()) + ':';
    out += text;
}

void append_scalar(std::string &out, model::Value v) {
    if (const auto b = v.boolean()) {
        out += *b ? 't' : 'f';
    } else if (const auto n = v.integer()) {
        out += 'i' + std::to_string(*n) + ';';
    } else if (const auto d = v.number()) {
        std::array<char, 32> bits{};
        const auto end =
            std::to_chars(bits.data(), bits.data() + bits.size(), std::bit_cast<std::uint64_t>(*d), 16).ptr;
        (out += 'd').append(bits.data(), end) += ';';
    } else if (v.is_string()) {
        append_text(out, v.string());
    } else {
        out += 'n';
    }
}

/// As the other program writes it.
std::string canonical(model::Value root) {
    struct Open {
        model::Value v;
        std::vector<std::size_t> order;  ///< of an object's members, by their keys
        std::size_t next = 0;
    };
    std::string out;
    std::vector<Open> open;
    auto begin = [&](model::Value v) {
        if (!v.is_array() && !v.is_object()) return append_scalar(out, v);
        out += v.is_object() ? '{' : '[';
        Open one{v, std::vector<std::size_t>(v.size())};
        for (std::size_t i = 0; i < v.size(); ++i) one.order[i] = i;
        if (v.is_object()) std::ranges::stable_sort(one.order, {}, [&](std::size_t i) { return v.key(i); });
        open.push_back(std::move(one));
    };
    begin(root);
    while (!open.empty()) {
        auto &in = open.back();
        if (in.next == in.v.size()) {
            out += in.v.is_object() ? '}' : ']';
            open.pop_back();
            continue;
        }
        const auto i = in.order[in.next++];
        const auto v = in.v;
        if (v.is_object()) append_text(out, v.key(i));
        begin(v.is_object() ? v.member(i) : v.at(i));
    }
    return out;
}

/// Nothing: it was refused.
using Made = std::optional<std::string>;

Made of_object(const decode::WireObject &object) {
    if (!object.fault.empty()) return std::nullopt;
    return canonical(object.tree->value());
}

Made as_answer(const std::string &text) {
    const auto read = decode::read_api_json(text);
    if (!read) return std::nullopt;
    auto made = canonical((*read)->value());
    // What is written without a point reads as an integer if it can be one, and -0 as 0: from then on it stays as it
    // is.
    const auto written = decode::read_api_json(decode::to_json((*read)->value()));
    if (!written) return "what was written cannot be read: " + decode::to_json((*read)->value());
    const auto text_again = decode::to_json((*written)->value());
    const auto again = decode::read_api_json(text_again);
    if (!again || decode::to_json((*again)->value()) != text_again) return "written as " + text_again;
    return made;
}

/// A list in the place of the object is no event.
bool may_be_object(const std::string &text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '{';
}

Made in_event(const std::string &text) {
    const auto event = decode::WireReader().watch_event(R"({"type":"ADDED","object":)" + text + "}");
    return event ? of_object(event->object) : std::nullopt;
}

/// Among others, which it must not cost anything.
Made in_list(const std::string &text) {
    const auto page = decode::WireReader().list_page(
        R"({"metadata":{"resourceVersion":"7"},"items":[{"x":1},)" + text + R"(,{"x":2}]})", "", "");
    if (!page || page->items.size() != 3) return std::nullopt;
    return of_object(page->items[1]);
}

Made slowly(const std::string &text) {
    model::Tree tree;
    if (decode::read_go_json(text, {}, tree.arena, tree.root)) return std::nullopt;
    return canonical(tree.value());
}

struct Way {
    const char *name;
    Made (*read)(const std::string &);
    /// Whether Go's verdict about the text is one about it in that place: what is broken may be something else there.
    bool any_text, any_value;
    std::size_t texts = 0, wrong = 0;
};

std::string sized_bytes() {
    std::array<unsigned char, 4> length{};
    std::cin.read(reinterpret_cast<char *>(length.data()), length.size());
    std::string out(
        std::size_t{length[0]} << 24 | std::size_t{length[1]} << 16 | std::size_t{length[2]} << 8 | length[3], '\0');
    std::cin.read(out.data(), static_cast<std::streamsize>(out.size()));
    return out;
}

std::string shown(std::string text) {
    if (text.size() > 300) text = text.substr(0, 150) + " … " + text.substr(text.size() - 150);
    return text;
}

}  // namespace

int main() {
    std::array ways{Way{"as an answer", as_answer, true, true}, Way{"in an event", in_event, false, false},
                    Way{"in a list", in_list, false, true}, Way{"slowly", slowly, true, true}};
    std::map<char, std::size_t> verdicts;
    while (std::cin.peek() != EOF) {
        const auto text = sized_bytes();
        const auto verdict = static_cast<char>(std::cin.get());
        const auto wanted = verdict == 'R' ? sized_bytes() : std::string();
        ++verdicts[verdict];
        for (auto &way : ways) {
            if ((verdict == 'F' && !way.any_text) || (!way.any_value && !may_be_object(text))) {
                (void)way.read(text);  // whatever comes of it, it comes
                continue;
            }
            ++way.texts;
            const auto made = way.read(text);
            const bool right = verdict == 'R' ? made == wanted : made.has_value() == (verdict == 'O');
            if (right || ++way.wrong > 3) continue;
            std::cout << "FAILED: " << way.name << ": " << shown(text) << "\n  Go: " << verdict << ' ' << shown(wanted)
                      << "\n  Berth: " << shown(made.value_or("refused")) << '\n';
        }
    }
    int passed = 0, failed = 0;
    for (const auto &way : ways) {
        const bool right = way.wrong == 0 && way.texts > 0;
        ++(right ? passed : failed);
        std::cout << (right ? "ok    " : "FAIL  ") << way.name << ": " << way.texts << " texts, " << way.wrong
                  << " differ\n";
    }
    std::cout << verdicts['R'] << " that Go reads, " << verdicts['F'] << " that it refuses, " << verdicts['O']
              << " with a number out of range\n";
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
