// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes Events about objects, as kubectl describe shows them.

#include "env/api.h"
#include "env/clock.h"
#include "env/log.h"
#include "model/keyed_hash.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::report {

/// One event of an object.
struct ObjectEvent {
    bool warning = false;             ///< else normal
    std::string_view reason, action;  ///< "FailedScheduling", "Scheduling"
    std::string note;                 ///< cut to 1024 bytes when written
    std::string_view controller;      ///< the profile's scheduler name
    bool once = false;                ///< it does not come a second time: nothing is kept of it
};

/// Writes events.k8s.io/v1 Events. The same event again within six minutes is not written again but counted: the
/// second one makes a series of the first, later ones are counted here, and a series that nothing was added to for six
/// minutes, or that is half an hour old, is brought up to date at the server, and made anew there if it is gone. As
/// client-go v0.36.3, tools/events, but for the moment at which a series ends, and for their number. Loop only.
class EventWriter {
public:
    /// All outlive it and what they are still to call back; `log` may be null. `host_name` is this machine's.
    EventWriter(env::Api &api, env::Clock &clock, env::Log *log, std::string host_name);

    void write(const model::Object &about, const ObjectEvent &event);

    /// No more series are kept; the quarter that was silent longest ends early.
    static constexpr std::size_t most_series = 4096;
    std::size_t series() const { return series_.size(); }

    /// No more than this wait for the server at a time.
    static constexpr std::size_t most_waiting = 20'000;  ///< beyond what a burst of bindings leaves behind

    /// Events that were thrown away because too many were waiting, and those that the server would not take.
    std::size_t dropped() const { return dropped_; }
    std::size_t refused() const { return refused_; }
    /// Those that the server has not answered yet.
    std::size_t waiting() const { return waiting_; }

    /// What the series and the events that wait take of the heap, about. Walks the series, of which there are few.
    std::size_t bytes() const;

private:
    using Done = std::function<void(int http_status)>;
    struct Series {
        std::string name, name_space;
        std::uint64_t count = 1, sent = 1;  ///< how many there were, and how many the server knows of
        std::int64_t first_ns = 0, last_ns = 0, sent_ns = 0;
        bool written = false;  ///< the server has the event
        std::string body;      ///< of one that has become a series: the event, in case the server has forgotten it
    };

    void create(const model::Object &about, const ObjectEvent &event, const std::string &key, std::int64_t now);
    std::string body_of(const Series &series, const model::Object &about, const ObjectEvent &event) const;
    void send_series(Series &series, std::int64_t now);
    void create_anew(env::ApiRequest request, const std::string &body, const std::string &series);
    void send(env::ApiRequest request, int tries, Done done);
    void refuse(const env::ApiRequest &request, const std::string &why);
    void begin_waiting(const env::ApiRequest &request);
    void end_waiting(const env::ApiRequest &request);
    void drop();
    void sweep();
    void drop_oldest(std::int64_t now);
    std::string unused_name(std::string_view object, std::int64_t now);

    env::Api &api_;
    env::Clock &clock_;
    env::Log *log_;
    std::string host_name_;
    model::KeyedTable<Series> series_;  ///< by everything but the note
    std::size_t waiting_ = 0, dropped_ = 0, refused_ = 0;
    std::size_t waiting_bytes_ = 0;
    std::int64_t last_name_ns_ = 0;
    bool sweeping_ = false;
};

/// `note` as an Event may have it: at most 1024 bytes, the last four " ..." if it was cut; never within a character.
std::string cut_note(std::string note);

}  // namespace berth::report
