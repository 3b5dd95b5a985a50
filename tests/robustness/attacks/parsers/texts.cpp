// SPDX-License-Identifier: Apache-2.0
// Short texts that are given long: quantities, times, pointers, names.
#include "shape.h"

#include "decode/document.h"
#include "model/field.h"
#include "model/name.h"
#include "model/quantity.h"
#include "model/value.h"
#include "report/table.h"

#include <berth/label_syntax.hpp>
#include <berth/time.hpp>

namespace berth::attack {
namespace {

void quantity(const std::string &text) { (void)Quantity::parse(text); }
void duration(const std::string &text) { (void)parse_duration(text); }
void time(const std::string &text) { (void)parse_time(text); }

void pointer(const std::string &text) {
    static const auto deep = decode::read_document(std::string(199, '[') + std::string(199, ']'), "f.json");
    (void)model::at_pointer(deep->value(), text);
}
void member_pointer(const std::string &json) {
    const auto document = decode::read_document(json, "f.json");
    if (document) (void)model::at_pointer(document->value(), "/no~1such");
}
void label(const std::string &text) {
    (void)label_key_fault(text);
    (void)label_value_fault(text);
    (void)model::dns_subdomain(text);
    (void)model::dns_label(text);
}

}  // namespace

void add_texts(Shapes &to) {
    const auto add = [&](const char *parser, const char *name, std::string (*make)(std::size_t),
                         void (*parse)(const std::string &)) { to.push_back({parser, name, 10'000, make, parse}); };
    add("quantity", "digits", [](std::size_t n) { return std::string(n, '9'); }, quantity);
    add("quantity", "zeros", [](std::size_t n) { return std::string(n, '0') + "1"; }, quantity);
    add("quantity", "digits of a fraction", [](std::size_t n) { return "0." + std::string(n, '1') + "Ki"; }, quantity);
    add(
        "quantity", "digits and a decimal suffix",
        [](std::size_t n) { return std::string(n, '9') + "." + std::string(n, '9') + "n"; }, quantity);
    add("quantity", "digits of an exponent", [](std::size_t n) { return "1e" + std::string(n, '9'); }, quantity);
    add("quantity", "zeros of an exponent", [](std::size_t n) { return "1e" + std::string(n, '0') + "1"; }, quantity);
    add("quantity", "a huge exponent", [](std::size_t) { return std::string("1e2147483647"); }, quantity);
    add("quantity", "a tiny exponent", [](std::size_t) { return std::string("1e-2147483647"); }, quantity);
    add("quantity", "signs", [](std::size_t n) { return std::string(n, '-'); }, quantity);
    add("duration", "parts", [](std::size_t n) { return repeated(n, "0s"); }, duration);
    add("duration", "digits", [](std::size_t n) { return std::string(n, '0') + "1s"; }, duration);
    add("duration", "digits of a fraction", [](std::size_t n) { return "0." + std::string(n, '1') + "s"; }, duration);
    add(
        "time", "digits of a fraction",
        [](std::size_t n) { return "2026-01-01T00:00:00." + std::string(n, '1') + "Z"; }, time);
    add("time", "digits of a year", [](std::size_t n) { return std::string(n, '2'); }, time);
    add("pointer", "parts", [](std::size_t n) { return repeated(n, "/0"); }, pointer);
    add("pointer", "a long part", [](std::size_t n) { return "/" + std::string(n, 'a'); }, pointer);
    add("pointer", "escapes", [](std::size_t n) { return "/" + repeated(n, "~1"); }, pointer);
    add("pointer", "digits", [](std::size_t n) { return "/" + std::string(n, '0'); }, pointer);
    add(
        "pointer", "into many members",
        [](std::size_t n) {
            return "{" + repeated(n / 10, [](std::size_t i) { return "\"k" + number(i) + "\":1,"; }) + "\"end\":1}";
        },
        member_pointer);
    add("name", "dots", [](std::size_t n) { return std::string(n, '.'); }, label);
    add("name", "labels of one letter", [](std::size_t n) { return repeated(n, "a."); }, label);
    add("name", "letters", [](std::size_t n) { return std::string(n, 'a'); }, label);
    add("name", "slashes", [](std::size_t n) { return std::string(n, '/'); }, label);
    add(
        "text", "that a terminal would obey", [](std::size_t n) { return repeated(n, "\x1b[2J"); },
        [](const std::string &text) { (void)report::display_width(report::printable(text)); });
}

}  // namespace berth::attack
