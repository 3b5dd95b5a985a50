// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds that plugins watch beside nodes and pods, each followed at the API server for as long as some plugin
/// watches it.

#include "kube/reflector.h"
#include "plugin/profile.h"
#include "scheduler.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace berth::cli {

/// Loop only.
class Watches {
public:
    using Done = std::function<void(model::Result<void>)>;

    /// All outlive it, `transport` excepted: it must be gone before.
    Watches(kube::Transport &transport, env::Clock &clock, env::Log &log, Scheduler &scheduler, std::uint64_t seed);

    /// Follows these kinds too. `done` is told, once, that all of them are known, or that one cannot be and what to do
    /// about it; maybe from within the call.
    void follow(const std::vector<plugin::Watched> &kinds, Done done);
    /// Follows no others than these any more.
    void keep(const std::vector<plugin::Watched> &kinds);
    /// Tells nothing more.
    void stop();

private:
    /// Those that somebody waits for together.
    struct Round {
        std::size_t open = 0;
        Done done;
    };
    struct One {
        plugin::Watched watched;
        std::unique_ptr<kube::Reflector> reflector;  ///< stays, because answers to it may be under way
        bool followed = false;
    };

    One &make(const plugin::Watched &watched);
    void refused(const plugin::Watched &watched, int status, const std::string &why);

    kube::Transport &transport_;
    env::Clock &clock_;
    env::Log &log_;
    Scheduler &scheduler_;
    std::uint64_t seed_;
    std::map<std::string, One> all_;  ///< by the text of the kind
    std::shared_ptr<Round> round_;    ///< the last one
};

}  // namespace berth::cli
