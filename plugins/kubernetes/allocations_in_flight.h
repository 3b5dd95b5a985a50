// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Chosen devices of claims until the watch shows them (upstream: in-flight allocations), for all profiles.

#include "device_uses.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace kubernetes {

/// Devices that were chosen for a claim, from Reserve until the watch shows the claim with them.
struct AllocationInFlight {
    enum class State {
        Chosen,      ///< not sent yet
        Sent,        ///< in the request under way
        Written,     ///< the API server has it, and the watch does not show it yet
        Unanswered,  ///< the API server may have it: no answer came, or one that leaves it open
    };
    std::string name_space, name, uid;  ///< the claim; without a name it is not made yet
    bool made = false;                  ///< by the attempt, so that the watch shows it only later
    std::string json = {};              ///< its status.allocation
    bool conditions = false;            ///< its driver attaches some of the devices first
    std::vector<DeviceUse> devices = {};
    std::uint64_t id = 0;
    State state = State::Chosen;
    std::string over = {};      ///< the version of the claim that the request replaces
    std::int64_t until_ns = 0;  ///< of Unanswered
};

/// The allocations in flight of all profiles of this process: what one has chosen no other may choose. Thread: any.
class AllocationsInFlight {
public:
    using Entry = std::shared_ptr<AllocationInFlight>;
    using State = AllocationInFlight::State;

private:
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
    std::uint64_t version_ = 1, last_id_ = 0;

    template <class Condition>
    void erase_if(Condition &&condition) {
        if (std::erase_if(entries_, condition) > 0) ++version_;
    }
    void erase(const Entry &entry) {
        erase_if([&](const Entry &e) { return e == entry; });
    }

public:
    /// How long devices stay reserved for a claim whose allocation may or may not have been written, if the watch never
    /// shows what became of it.
    static constexpr std::int64_t doubt_ns = 60'000'000'000;

    /// The one of this process, as long as somebody keeps it.
    static std::shared_ptr<AllocationsInFlight> of_process() {
        static std::mutex mutex;
        static std::weak_ptr<AllocationsInFlight> known;
        const std::lock_guard lock(mutex);
        auto out = known.lock();
        if (!out) known = out = std::make_shared<AllocationsInFlight>();
        return out;
    }

    Entry add(AllocationInFlight allocation) {
        const std::lock_guard lock(mutex_);
        allocation.id = ++last_id_;
        ++version_;
        return entries_.emplace_back(std::make_shared<AllocationInFlight>(std::move(allocation)));
    }
    /// The claim has been made.
    void made(const Entry &entry, std::string_view name, std::string_view uid) {
        const std::lock_guard lock(mutex_);
        entry->name = name;
        entry->uid = uid;
        entry->made = true;
    }
    /// The pod has lost its node. What a request has under way, or has written, stays.
    void give_up(const Entry &entry) {
        const std::lock_guard lock(mutex_);
        if (entry->state == State::Chosen) erase(entry);
    }
    void sent(const Entry &entry, std::string over) {
        const std::lock_guard lock(mutex_);
        entry->state = State::Sent;
        entry->over = std::move(over);
    }
    /// The request has succeeded; `now` is the claim's version as the watch shows it.
    void written(const Entry &entry, std::string_view now) {
        const std::lock_guard lock(mutex_);
        entry->state = State::Written;
        if (now != entry->over) erase(entry);
    }
    /// The request has failed. `certainly`: the API server has refused it.
    void failed(const Entry &entry, bool certainly, std::int64_t now_ns) {
        const std::lock_guard lock(mutex_);
        if (certainly) {
            entry->state = State::Chosen;
            return;
        }
        entry->state = State::Unanswered;
        entry->until_ns = now_ns + doubt_ns;
    }
    /// The watch shows another version of the claim of that uid; empty: it is gone.
    void saw(std::string_view uid, std::string_view version, bool allocated) {
        const std::lock_guard lock(mutex_);
        erase_if([&](const Entry &e) {
            if (e->uid != uid) return false;
            if (version.empty() || allocated) return true;
            const bool may_be_there = e->state == State::Written || e->state == State::Unanswered;
            return may_be_there && version != e->over;
        });
    }
    /// Whether devices were chosen for the claim of that uid.
    bool pending(std::string_view uid) const {
        const std::lock_guard lock(mutex_);
        return std::any_of(entries_.begin(), entries_.end(),
                           [&](const Entry &e) { return e->uid == uid && e->state != State::Unanswered; });
    }
    /// Other devices are chosen for the claim of that uid: if it was written after all, its next request meets a
    /// conflict.
    void replace_unanswered(std::string_view uid) {
        const std::lock_guard lock(mutex_);
        erase_if([&](const Entry &e) { return e->uid == uid && e->state == State::Unanswered; });
    }
    void expire(std::int64_t now_ns) {
        const std::lock_guard lock(mutex_);
        erase_if([&](const Entry &e) { return e->state == State::Unanswered && e->until_ns < now_ns; });
    }
    /// Grows with every change of what is in flight.
    std::uint64_t version() const {
        const std::lock_guard lock(mutex_);
        return version_;
    }
    std::vector<Entry> all() const {
        const std::lock_guard lock(mutex_);
        return entries_;
    }
};

}  // namespace kubernetes
