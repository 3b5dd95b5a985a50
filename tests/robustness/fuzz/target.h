// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the fuzzer throws bytes at: one function for each input that comes from outside. A target ends the process when
/// what was read breaks a promise; a complete refusal of the bytes is no such thing.

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace berth::fuzz {

void answer(std::string_view bytes);         ///< what an API server or an extender answers, from the head on
void cel(std::string_view bytes);            ///< a selector of devices
void cluster(std::string_view bytes);        ///< files of objects, and scenarios
void configuration(std::string_view bytes);  ///< KubeSchedulerConfiguration of every version
void kubeconfig(std::string_view bytes);
void plugin(std::string_view bytes);  ///< a library's file, or the text of its note
void quantity(std::string_view bytes);
void request(std::string_view bytes);   ///< what a client sends to Berth's server, and what the API server says of it
void selector(std::string_view bytes);  ///< of labels, fields and nodes
void watch(std::string_view bytes);     ///< lists and events of the API server

struct Target {
    const char *name;
    void (*run)(std::string_view bytes);
};
inline const std::vector<Target> &targets() {
    static const std::vector<Target> all{
        {"answer", answer},         {"cel", cel},       {"cluster", cluster},   {"configuration", configuration},
        {"kubeconfig", kubeconfig}, {"plugin", plugin}, {"quantity", quantity}, {"request", request},
        {"selector", selector},     {"watch", watch},
    };
    return all;
}

/// Ends the process unless a promise was kept.
inline void promise(bool kept, const char *what) {
    if (kept) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

}  // namespace berth::fuzz
