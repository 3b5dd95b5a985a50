// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The configuration of an HTTP extender, a server that filters, scores or binds pods beside the plugins.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

/// As the file has it: a data field is Base64 of PEM, and wins over its file.
struct ExtenderTls {
    bool insecure = false;
    std::string server_name;
    std::string cert_file, key_file, ca_file;
    std::string cert_data, key_data, ca_data;
};

struct ManagedResource {
    std::string name;
    bool ignored_by_scheduler = false;
};

/// An empty verb is one that the extender does not have.
struct Extender {
    std::string url_prefix, filter_verb, preempt_verb, prioritize_verb, bind_verb;
    std::int64_t weight = 0;
    bool enable_https = false;
    std::optional<ExtenderTls> tls;
    std::chrono::nanoseconds http_timeout = std::chrono::seconds{5};  ///< 0 and less: never
    bool node_cache_capable = false;
    std::vector<ManagedResource> managed_resources;  ///< none: it is called for every pod
    bool ignorable = false;
    std::string where;  ///< what a message about it begins with
};

/// The resources that plugins leave to the extenders; as long as these.
std::vector<std::string_view> ignored_by_scheduler(const std::vector<Extender> &extenders);

}  // namespace berth::config
