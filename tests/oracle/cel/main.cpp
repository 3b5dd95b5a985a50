// SPDX-License-Identifier: Apache-2.0
// Reads a line per device and per expression; of each expression it writes a line with what comes of it on the device
// before, as the release of Kubernetes that is the argument. Texts are hexadecimal, so that fields are words:
//
//   device DRIVER SHARED [bool|int|string|version|capacity NAME VALUE]...
//   expression TEXT          ->  compile ERROR | value TRUE COST | error ERROR COST
#include <cel/selector.h>

#include <iostream>
#include <optional>
#include <sstream>
#include <string>

namespace {

namespace cel = kubernetes::cel;

/// Of a dash and hexadecimal digits: the dash makes an empty text a word.
std::string decoded(const std::string &word) {
    std::string text;
    for (std::size_t i = 1; i + 1 < word.size(); i += 2)
        text += static_cast<char>(static_cast<unsigned char>(std::stoi(word.substr(i, 2), nullptr, 16)));
    return text;
}

std::string encoded(const std::string &text) {
    static const char *const digits = "0123456789abcdef";
    std::string word = "-";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        word += digits[byte >> 4];
        word += digits[byte & 15];
    }
    return word;
}

std::string next(std::istream &words) {
    std::string word;
    words >> word;
    return decoded(word);
}

cel::Device read_device(std::istream &words) {
    cel::Device device;
    device.driver = next(words);
    device.allow_multiple_allocations = next(words) == "true";
    for (std::string kind; words >> kind;) {
        const auto name = next(words);
        const auto value = next(words);
        if (kind == "bool") device.attributes.push_back({name, value == "true"});
        else if (kind == "int") device.attributes.push_back({name, std::int64_t{std::stoll(value)}});
        else if (kind == "string") device.attributes.push_back({name, value});
        else if (kind == "version") device.attributes.push_back({name, cel::VersionText{value}});
        else device.capacity.push_back({name, value});
    }
    return device;
}

std::string outcome(const std::string &text, const cel::Input &device, cel::Rules rules) {
    const auto compiled = cel::compile(text, rules);
    if (!compiled.program) return "compile " + encoded(compiled.error);
    const auto result = cel::evaluate(*compiled.program, device);
    const auto cost = std::to_string(result.cost);
    if (!result.error.empty()) return "error " + encoded(result.error) + ' ' + cost;
    return std::string{"value "} + (result.matches ? "true " : "false ") + cost;
}

}  // namespace

int main(int argc, char **argv) {
    const cel::Rules rules(argc == 2 && std::string_view(argv[1]).starts_with("1.37"));
    std::optional<cel::Input> device;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words{line};
        std::string kind;
        words >> kind;
        if (kind == "device") device.emplace(read_device(words));
        else if (kind == "expression" && device)
            std::cout << outcome(next(words), *device, rules) << '\n' << std::flush;
    }
}
