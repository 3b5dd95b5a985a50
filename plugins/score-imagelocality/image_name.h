// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// The full name of an image as container runtimes make it (the distribution project's reference grammar): registry,
/// repository, and a tag or a digest. "nginx" is "docker.io/library/nginx:latest". With a digest the tag says nothing
/// and is left out.
inline std::string normalized_image(std::string_view name) {
    std::string_view digest;
    if (auto at = name.find('@'); at != std::string_view::npos) {
        digest = name.substr(at);
        name = name.substr(0, at);
    }
    std::string_view tag;
    auto slash = name.rfind('/'), colon = name.rfind(':');
    if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
        tag = name.substr(colon);
        name = name.substr(0, colon);
    }
    // The first part is a registry only if it looks like a host.
    std::string_view registry = "docker.io";
    if (auto first = name.find('/'); first != std::string_view::npos) {
        auto head = name.substr(0, first);
        if (head.find_first_of(".:") != std::string_view::npos || head == "localhost") {
            registry = head == "index.docker.io" ? "docker.io" : head;
            name = name.substr(first + 1);
        }
    }
    std::string full(registry);
    full += '/';
    if (registry == "docker.io" && name.find('/') == std::string_view::npos) full += "library/";
    full += name;
    if (!digest.empty()) full += digest;
    else full += tag.empty() ? std::string_view(":latest") : tag;
    return full;
}
