// SPDX-License-Identifier: Apache-2.0
#include "plugin/fault.h"

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>
#include <memory>

namespace berth::plugin {

std::string in_quotes(std::string_view text) {
    constexpr std::size_t most = 200;
    std::string out = "\"";
    for (unsigned char c : text.substr(0, most)) {
        if (c == '"' || c == '\\') out += '\\', out += static_cast<char>(c);
        else if (c < 0x20 || c == 0x7f) {
            out += "\\x";
            out += "0123456789abcdef"[c >> 4];
            out += "0123456789abcdef"[c & 15];
        } else out += static_cast<char>(c);
    }
    return out + (text.size() > most ? "…\"" : "\"");
}

std::string listed(const std::vector<std::string> &names, std::size_t most) {
    if (names.empty()) return "nothing";
    const auto shown = std::min(names.size(), most);
    std::string out;
    for (std::size_t i = 0; i < shown; ++i) {
        if (i) out += i + 1 == names.size() ? " and " : ", ";
        out += in_quotes(names[i]);
    }
    if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
    return out;
}

std::string demangled(const std::string &name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> out(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          std::free);
    return out ? out.get() : name;
}

model::Error fault(std::string_view file, std::string_view text) {
    return {std::string(file) + ": " + std::string(text)};
}

}  // namespace berth::plugin
