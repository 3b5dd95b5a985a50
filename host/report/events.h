// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Events about objects, as kubectl describe shows them (specification 4.3).

#include "env/api.h"
#include "env/clock.h"
#include "env/log.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::report {

/// One event of an object.
struct ObjectEvent {
    bool warning = false;             ///< else normal
    std::string_view reason, action;  ///< "FailedScheduling", "Scheduling"
    std::string note;                 ///< cut to 1024 bytes when written
    std::string_view controller;      ///< the profile's scheduler name
};

/// Writes events.k8s.io/v1 Events. The same event again within six minutes is not written again but counted: the
/// second one makes a series of the first, later ones are counted here, and a series that nothing was added to for six
/// minutes, or that is half an hour old, is brought up to date at the server. Loop only.
class EventWriter {
public:
    /// All outlive it and what they are still to call back; `log` may be null. `host_name` is this machine's.
    EventWriter(env::Api &api, env::Clock &clock, env::Log *log, std::string host_name);

    void write(const model::Object &about, const ObjectEvent &event);

    /// Events that were thrown away because too many were waiting, or that the server would not take.
    std::size_t lost() const { return lost_; }

private:
    struct Series {
        std::string name, name_space;
        std::uint64_t count = 1, told = 1;  ///< how many there were, and how many the server knows of
        std::int64_t last_ns = 0, told_ns = 0;
        bool written = false;  ///< the server has the event
    };

    void create(const model::Object &about, const ObjectEvent &event, const std::string &key, std::int64_t now);
    void tell_series(Series &series, std::int64_t now);
    void send(env::ApiRequest request, int tries, std::function<void(bool)> done);
    void sweep();
    std::string unused_name(std::string_view object, std::int64_t now);

    env::Api &api_;
    env::Clock &clock_;
    env::Log *log_;
    std::string host_name_;
    std::unordered_map<std::string, Series> series_;  ///< by everything but the note
    std::size_t waiting_ = 0, lost_ = 0;
    std::int64_t last_name_ns_ = 0;
    bool sweeping_ = false;
};

/// `note` as an Event may have it: at most 1024 bytes, the last four " ..." if it was cut; never within a character.
std::string cut_note(std::string note);

}  // namespace berth::report
