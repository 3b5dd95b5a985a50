// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's result at an extension point in a test, with its status and call.

#include <berth/testing/handle.hpp>
#include <berth/testing/objects.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <new>
#include <optional>

namespace berth::testing {

/// What a point answered. An answer that comes later (BERTH_STATUS_IN_PROGRESS) is here once it has come.
class Answer {
    struct Data {
        std::int32_t code = BERTH_STATUS_SUCCESS;
        std::vector<std::string> texts;
    };
    std::shared_ptr<Data> data_ = std::make_shared<Data>();
    friend class Plugin;
    friend class StatusSlot;

public:
    std::int32_t code() const { return data_->code; }
    bool ok() const { return code() == BERTH_STATUS_SUCCESS; }
    const std::vector<std::string> &texts() const { return data_->texts; }  ///< reasons, or the text of an error
    std::string text() const {
        std::string out;
        for (const auto &t : texts()) out += (out.empty() ? "" : ", ") + t;
        return out;
    }
    std::optional<std::chrono::milliseconds> timeout{};  ///< of Permit: how long it may wait
    std::optional<std::string> nominated{};              ///< of PostFilter: the node
    std::vector<std::string> victims{};                  ///< of PostFilter: "namespace/name", as they were named
    std::string victims_reason{};                        ///< of PostFilter: why these
    std::optional<std::vector<std::string>> nodes{};     ///< of PreFilter: those it narrows to
    bool parallel = false;                               ///< of PreBindPreFlight
};

/// A berth_status that ends in an Answer.
class StatusSlot {
    berth_status raw_{};
    std::shared_ptr<Answer::Data> data_;

public:
    explicit StatusSlot(const Answer &answer) : data_(answer.data_) {
        raw_ = {sizeof raw_, 0, BERTH_STATUS_SUCCESS, 0, handle_of(this)};
    }
    StatusSlot(const StatusSlot &) = delete;
    StatusSlot &operator=(const StatusSlot &) = delete;
    berth_status *raw() { return &raw_; }
    void take() { data_->code = raw_.code; }
    void set(const berth_str *texts, std::uint64_t n) {
        data_->texts.clear();
        for (std::uint64_t i = 0; i < n; ++i) data_->texts.emplace_back(view(texts[i]));
    }
};

/// A berth_call, with what it interns and lends.
class CallSlot {
    berth_call raw_{};
    std::vector<std::vector<std::string>> reasons_{{}};
    std::deque<std::vector<std::byte>> scratch_;
    std::uint32_t cancel_ = 0;

public:
    explicit CallSlot(std::uint64_t cycle) {
        raw_.struct_size = sizeof raw_;
        raw_.handle = handle_of(this);
        raw_.cycle_id = cycle;
        raw_.cancel = &cancel_;
    }
    CallSlot(const CallSlot &) = delete;
    CallSlot &operator=(const CallSlot &) = delete;
    const berth_call *raw() const { return &raw_; }
    void cancel() { cancel_ = 1; }
    const std::vector<std::string> &reasons(std::uint32_t id) const {
        if (id >= reasons_.size()) throw std::runtime_error("an id of reasons that was never given out");
        return reasons_[id];
    }
    std::uint32_t intern(const berth_str *texts, std::uint64_t n) {
        std::vector<std::string> list;
        for (std::uint64_t i = 0; i < n; ++i) list.emplace_back(view(texts[i]));
        auto found = std::ranges::find(reasons_, list);
        if (found == reasons_.end()) found = reasons_.insert(found, list);
        return static_cast<std::uint32_t>(found - reasons_.begin());
    }
    void *scratch(std::uint64_t size, std::uint64_t align) try {
        if (align == 0 || align > 64 || (align & (align - 1)) != 0 || size > PTRDIFF_MAX - align) return nullptr;
        auto &block = scratch_.emplace_back(size + align);
        void *at = block.data();
        auto room = block.size();
        return std::align(align, size, at, room);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
};

/// A berth_done, with the call and both of its statuses.
struct LateSlot {
    CallSlot call;
    StatusSlot status, later;
    berth_done done{};
    bool ended = false;
    std::function<void(const CallSlot &)> on_end;

    LateSlot(std::uint64_t cycle, const Answer &answer, std::function<void(const CallSlot &)> then)
        : call(cycle), status(answer), later(answer), on_end(std::move(then)) {
        done = {sizeof done, 0, handle_of(this), later.raw()};
    }
    LateSlot(const LateSlot &) = delete;
    LateSlot &operator=(const LateSlot &) = delete;
    void complete() {
        if (ended) throw std::logic_error("a call was ended twice");
        later.take();
        end();
    }
    void end() {
        ended = true;
        on_end(call);
    }
};

/// Behind a berth_restrict: the names of the nodes.
struct Narrowed {
    const berth_nodes *of;
    std::optional<std::vector<std::string>> nodes{};

    void add(std::string_view name) { nodes->emplace_back(name); }
    berth_restrict *handle() { return reinterpret_cast<berth_restrict *>(this); }
    static Narrowed &behind(berth_restrict *r) {
        auto &to = *reinterpret_cast<Narrowed *>(r);
        if (!to.nodes) to.nodes.emplace();
        return to;
    }
};

/// Behind a berth_nomination.
struct Nominated {
    const berth_pods *pods;
    std::optional<std::string> node{};
    std::vector<std::string> victims{};
    std::string victims_reason{};

    berth_nomination *handle() { return reinterpret_cast<berth_nomination *>(this); }
    static Nominated &behind(berth_nomination *n) { return *reinterpret_cast<Nominated *>(n); }
};

/// A berth_outcome: every node was rejected, with the same code.
class OutcomeSlot {
    const berth_nodes *nodes_;
    std::int32_t code_;
    std::vector<std::int32_t> codes_;
    berth_outcome raw_{};

public:
    OutcomeSlot(const berth_nodes *nodes, std::int32_t code) : nodes_(nodes), code_(code), codes_(nodes->slots, code) {
        raw_ = {sizeof raw_, 0, handle_of(this), codes_.data(), BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, 0};
    }
    OutcomeSlot(const OutcomeSlot &) = delete;
    OutcomeSlot &operator=(const OutcomeSlot &) = delete;
    const berth_outcome *raw() const { return &raw_; }
    std::uint64_t slots_with(std::int32_t code, const std::uint32_t **slots) const {
        *slots = nodes_->order;
        return code == code_ ? std::uint64_t{nodes_->count} : std::uint64_t{0};
    }
};

/// berth.host.call/1.
inline const berth_host_call &call_table() {
    static constexpr berth_host_call table{
        sizeof table,
        0,
        [](const berth_host *, berth_status *s, berth_str text) { behind<StatusSlot>(s->handle).set(&text, 1); },
        [](const berth_host *, berth_status *s, const berth_str *texts, std::uint64_t n) {
            behind<StatusSlot>(s->handle).set(texts, n);
        },
        [](const berth_host *, const berth_done *d, berth_status *) { behind<LateSlot>(d->handle).complete(); },
        [](const berth_host *, const berth_call *c, const berth_str *texts, std::uint64_t n) {
            return behind<CallSlot>(c->handle).intern(texts, n);
        },
        [](const berth_host *, const berth_call *c, std::uint64_t size, std::uint64_t align) {
            return behind<CallSlot>(c->handle).scratch(size, align);
        },
        [](const berth_host *, berth_restrict *r, const std::uint32_t *slots, std::uint64_t n) {
            auto &to = Narrowed::behind(r);
            for (std::uint64_t i = 0; i < n; ++i) to.add(view(to.of->name[slots[i]]));
        },
        [](const berth_host *, berth_restrict *r, const berth_str *names, std::uint64_t n) {
            auto &to = Narrowed::behind(r);
            for (std::uint64_t i = 0; i < n; ++i) to.add(view(names[i]));
        },
        [](const berth_host *, const berth_outcome *, std::uint32_t, const berth_str **) { return std::uint64_t{0}; },
        [](const berth_host *, const berth_outcome *, std::uint32_t) { return BERTH_STR("Filter"); },
        [](const berth_host *, const berth_outcome *o, std::int32_t code, const std::uint32_t **slots) {
            return behind<OutcomeSlot>(o->handle).slots_with(code, slots);
        },
        [](const berth_host *, berth_nomination *n, berth_str node) {
            Nominated::behind(n).node = std::string(view(node));
        }};
    return table;
}

}  // namespace berth::testing
