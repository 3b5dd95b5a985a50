// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reflector of one collection: it lists, then watches, and tries again with a backoff. It notifies of changes.
/// After a break it resumes at the last resource version or, if the server no longer knows that, lists again and
/// notifies of the differences. The protocol and its waits are those of client-go v0.36.3, tools/cache/reflector.go:
/// the list comes as the beginning of the watch, or in pages from a server that does not know that.

#include "env/clock.h"
#include "env/log.h"
#include "kube/left_out.h"
#include "kube/transport.h"
#include "kube/watch_events.h"
#include "model/keyed_hash.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::kube {

/// How long to wait before the next try: 0.8 s, doubled with each failure up to 30 s, and up to as much again by
/// chance. Two minutes without a failure and it begins anew.
class Backoff {
    std::int64_t next_ns_ = first_ns, last_failure_ns_ = 0;
    std::uint64_t seed_, drawn_ = 0;

public:
    static constexpr std::int64_t first_ns = 800'000'000, most_ns = 30'000'000'000, quiet_ns = 120'000'000'000;
    explicit Backoff(std::uint64_t seed) : seed_(seed) {}
    std::int64_t next(std::int64_t monotonic_ns);
};

/// Loop only. Decoding happens on the threads of the transport.
class Reflector {
public:
    /// All outlive it, `transport` excepted: it must be gone before the reflector is. `log` may be null. `left_out`
    /// gets the objects that cannot be read.
    Reflector(Transport &transport, env::Clock &clock, env::Log *log, Collection collection, std::uint64_t seed,
              std::shared_ptr<LeftOut> left_out = std::make_shared<LeftOut>());
    ~Reflector();
    Reflector(const Reflector &) = delete;
    Reflector &operator=(const Reflector &) = delete;

    /// Asks for JSON, also of kinds that can be read in protobuf; before start().
    void speak_json() { protobuf_ = false; }
    /// Begins; `synced` runs once, after the notifications of the first list.
    void start(std::function<void()> synced);
    /// Lists anew, whatever the watch may bring yet; `fresh` runs once, after notifications of everything that the
    /// server has now.
    void refresh(std::function<void()> fresh);
    /// Ends the watch; no more notifications.
    void stop();
    /// The same, and what it knew is forgotten; it may begin again.
    void forget();
    /// Notifies of every known object as added, in the order of their names.
    void resync();
    std::size_t size() const { return objects_.size(); }
    /// What it takes of the heap to know the objects by their names, and to hold a list under way, beside the objects
    /// themselves; about.
    std::size_t bytes() const;
    /// The known objects, in no order, by "namespace/name" or "name".
    void each(const std::function<void(const std::string &key, const ObjectPtr &)> &fn) const {
        for (const auto &[key, object] : objects_) fn(key, object);
    }

    /// A watch that brings nothing for so long, no bookmark either, is given up and taken up again where it was: a
    /// server that is well sends a bookmark about every minute.
    static constexpr std::int64_t longest_silence_ns = 150'000'000'000;

private:
    void list();
    void list_as_stream();
    void list_in_pages();
    void request_page(const std::string &next);
    void listed(Page page);
    void list_failed(const HttpAnswer &answer);
    void replace();
    void watch();
    void open_stream(const std::string &query);
    void listen(std::int64_t ns);
    void streamed(Change change);
    void stream_list_ended(const HttpAnswer &answer);
    void begun();
    void changed(std::vector<Change> changes);
    void ended(const HttpAnswer &answer);
    void present(Change change);
    void unreadable(Change change);
    void name(const LeftOut::One &one);
    void apply(const std::string &key, ObjectPtr object);
    void remove(const std::string &key, ObjectPtr last);
    void retry(void (Reflector::*step)(), const std::string &why);
    std::string_view accepted() const;
    void go_on_in_json(const std::string &why);
    void warn(std::string_view message, const std::string &why) const;
    std::string with_selector(std::string query) const;

    Transport &transport_;
    env::Clock &clock_;
    env::Log *log_;
    Collection collection_;
    Backoff backoff_;
    std::uint64_t seed_, watches_ = 0;
    std::function<void()> synced_, fresh_;
    model::KeyedTable<ObjectPtr> objects_;  ///< by "namespace/name" or "name"
    std::shared_ptr<LeftOut> left_out_;
    std::int64_t names_until_ns_ = 0;  ///< which name() counts up
    std::string version_;              ///< of the last list, event or bookmark
    std::vector<Change> listing_;      ///< what the list under way has had so far, in its order
    std::string listing_version_;
    bool protobuf_;              ///< requests ask for it
    bool streams_lists_ = true;  ///< the server has not refused to
    bool listing_as_stream_ = false;
    std::map<std::string, Change> streamed_;  ///< what the list under way has had so far, as a stream
    std::optional<std::int64_t> refused_since_ns_;
    bool whole_list_ = false;  ///< without pages, because a list in pages took too long
    /// Callbacks of earlier requests and watches are recognized by this number and ignored.
    std::uint64_t generation_ = 0;
    std::optional<Transport::StreamId> stream_;
    std::int64_t watch_began_ns_ = 0, last_sign_ns_ = 0;
    bool watch_said_something_ = false;
};

}  // namespace berth::kube
