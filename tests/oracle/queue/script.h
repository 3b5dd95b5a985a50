// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A script as tests/oracle/judge/queue/script.go writes it, and the plugins that say what it says.

#include "model/node.h"
#include "plugin/profile.h"

#include <map>
#include <string>
#include <vector>

namespace queue_play {

using berth::model::Value;

/// What the plugins say at the moment. Keys are those of pods.
struct Answers {
    struct Gate {
        std::string plugin;
        std::int32_t code = 0;
    };
    std::map<std::pair<std::string, std::string>, std::string> hints;  ///< by plugin and pod
    std::map<std::string, Gate> gates;
    bool sort_key = false;

    void set(Value answer);
};

/// What a plugin instance is to itself.
struct Scripted {
    std::string name;
    const Answers *answers;
};

/// The profiles of the script's head; `plugins` holds the plugins' own data.
std::vector<berth::plugin::Profile> make_profiles(Value script, const Answers &answers,
                                                  std::vector<std::unique_ptr<Scripted>> &plugins);

/// An object of a step, or null if there is none. Ends the program if it cannot be read.
berth::model::PodPtr pod_of(Value object);
berth::model::NodePtr node_of(Value object);

/// A number of the script; 0 if absent.
std::int64_t number(Value value);

/// A list of upstream's names of actions as BERTH_EVENT_… bits. Ends the program if there is no action of a name.
std::uint64_t actions(Value value);

}  // namespace queue_play
