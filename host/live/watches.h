// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The watches of the kinds that plugins need beside nodes and pods. Each kind, or a part of its objects, is
/// followed at the API server for as long as some plugin watches it. An older server may lack a recent kind of
/// Kubernetes' own: it has no objects then.

#include "env/api.h"
#include "kube/reflector.h"
#include "plugin/profile.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace berth::live {

/// A kind that the API server does not show, and what to do about it.
struct Unwatchable {
    model::Kind kind;
    std::string text;
};
/// The same for a kind that was answered with `status`; without plugins it is the scheduler that watches it.
Unwatchable unwatchable(const plugin::Watched &watched, int status, const std::string &why);

/// Loop only.
class Watches {
public:
    using Done = std::function<void(std::vector<Unwatchable>)>;

    using Forget = std::function<void(const model::Kind &)>;

    /// All outlive it, `transport` excepted: it must be gone before. `forget` gets the kinds that `observer` no longer
    /// gets events of.
    Watches(kube::Transport &transport, env::Clock &clock, env::Log &log, env::Observer &observer, Forget forget,
            std::uint64_t seed, std::shared_ptr<kube::LeftOut> left_out);

    /// Asks for JSON, also of kinds that can be read in protobuf; before follow().
    void speak_json() { speaks_json_ = true; }
    /// Follows these kinds too. Once all of them are listed or refused, or eight seconds after the others, calls `done`
    /// once with the refused ones, possibly during this call. A recent kind that is not served counts as listed, and is
    /// asked for again from time to time: the server may be updated. The log has it then when the right to see the kind
    /// is missing. A kind of which only a part is
    /// followed that lacks some of these objects is refused, and then none is followed: for a while two watches would
    /// disagree about an object.
    void follow(const std::vector<plugin::Watched> &kinds, Done done);
    bool follows(const model::Kind &kind) { return followed(kind) != nullptr; }
    /// Follows no others than these any more.
    void keep(const std::vector<plugin::Watched> &kinds);
    /// Notifies of every known object again (kube::Reflector).
    void resync();
    /// As kube::Reflector, of all.
    std::size_t bytes() const;
    /// Ends all watches; no more notifications.
    void stop();

private:
    /// Those that somebody waits for together.
    struct Round {
        std::size_t open = 0;
        std::vector<Unwatchable> refused;
        Done done;

        void answered();
        void end();
    };
    struct One {
        plugin::Watched watched;
        std::unique_ptr<kube::Reflector> reflector;  ///< stays, because answers to it may be under way
        bool followed = false;
        std::shared_ptr<Round> awaited_by;  ///< the round that waits for it; null: none does
        bool said_absent = false;           ///< the log has that the server lacks it
        std::uint64_t generation = 0;       ///< a timer of an earlier one asks nothing
    };

    One &make(const plugin::Watched &watched);
    One *followed(const model::Kind &kind);
    std::vector<Unwatchable> lacking(const std::vector<plugin::Watched> &kinds);
    void refused(One &one, int status, const std::string &why);
    void absent(One &one, const std::string &why);
    void ask_again(One &one);

    kube::Transport &transport_;
    env::Clock &clock_;
    env::Log &log_;
    env::Observer &observer_;
    Forget forget_;
    std::uint64_t seed_;
    std::shared_ptr<kube::LeftOut> left_out_;
    bool speaks_json_ = false;
    std::map<std::string, One> all_;  ///< by kind and part
};

}  // namespace berth::live
