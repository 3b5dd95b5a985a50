// SPDX-License-Identifier: Apache-2.0
#include "kube/url.h"

#include <charconv>

namespace berth::kube {
namespace {

/// Removes a name and password before the host.
std::string without_credentials(std::string_view url) {
    const auto at = url.rfind('@');
    if (at == url.npos) return std::string(url);
    auto from = url.find("//");
    from = from == url.npos || from > at ? 0 : from + 2;
    return std::string(url.substr(0, from)) + "xxxxx" + std::string(url.substr(at));
}

}  // namespace

model::Result<ServerAddress> parse_server(std::string_view url) {
    auto wrong = [&](const std::string &why) {
        return model::Error{"\"" + without_credentials(url) + "\" is no address of a server: " + why};
    };
    ServerAddress out;
    std::string_view rest = url;
    if (rest.starts_with("https://")) out.tls = true;
    else if (!rest.starts_with("http://")) return wrong("expected https:// or http://");
    rest.remove_prefix(rest.find("//") + 2);
    auto slash = rest.find('/');
    if (slash != rest.npos) {
        out.path = rest.substr(slash);
        rest = rest.substr(0, slash);
    }
    while (out.path.ends_with('/')) out.path.pop_back();
    out.authority = rest;
    for (std::string_view part : {std::string_view(out.authority), std::string_view(out.path)})
        for (char c : part)
            if (c <= ' ' || c == 0x7f || c == '@' || c == '?' || c == '#')
                return wrong("expected host, port and path alone");
    auto colon = rest.rfind(':');
    if (rest.starts_with('[')) {
        auto close = rest.find(']');
        if (close == rest.npos) return wrong("expected ']' after the IPv6 address");
        out.host = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        colon = rest.rfind(':');
        if (!rest.empty() && colon != 0) return wrong("expected a port after ']'");
    } else {
        out.host = rest.substr(0, colon);
    }
    if (out.host.empty()) return wrong("expected a host");
    out.port = colon == rest.npos ? (out.tls ? "443" : "80") : rest.substr(colon + 1);
    if (out.port.empty() || out.port.size() > 5 || out.port.find_first_not_of("0123456789") != out.port.npos ||
        std::stoi(out.port) < 1 || std::stoi(out.port) > 65535)
        return wrong("expected a port from 1 to 65535");
    return out;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (char c : text) {
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                     c == '_' || c == '.' || c == '~';
        if (plain) {
            out += c;
        } else {
            auto byte = static_cast<unsigned char>(c);
            (out += '%') += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
    return out;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    constexpr int base = 16;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (text.size() - i < 3) return std::nullopt;
            unsigned char byte = 0;
            const char *last = text.data() + i + 3;
            if (std::from_chars(text.data() + i + 1, last, byte, base).ptr != last) return std::nullopt;
            c = static_cast<char>(byte);
            i += 2;
        }
        if (c == '\0') return std::nullopt;
        out += c;
    }
    return out;
}

}  // namespace berth::kube
