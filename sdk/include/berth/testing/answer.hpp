// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a point of a plugin answers in a test, and what stands behind its status and its call.

#include <berth/testing/host.hpp>

#include <chrono>
#include <optional>

namespace berth::testing {

/// What a point answered. An answer that comes later (BERTH_IN_PROGRESS) is here once it has come.
class Answer {
    struct Data {
        std::int32_t code = BERTH_SUCCESS;
        std::vector<std::string> texts;
    };
    std::shared_ptr<Data> data_ = std::make_shared<Data>();
    friend class Plugin;
    friend class StatusSlot;

public:
    std::int32_t code() const { return data_->code; }
    bool ok() const { return code() == BERTH_SUCCESS; }
    const std::vector<std::string> &texts() const { return data_->texts; }  ///< reasons, or the text of an error
    std::string text() const {
        std::string out;
        for (const auto &t : texts()) out += (out.empty() ? "" : ", ") + t;
        return out;
    }
    std::optional<std::chrono::milliseconds> timeout{};  ///< of Permit: how long it may wait
    std::optional<std::string> nominated{};              ///< of PostFilter: the node
    std::optional<std::vector<std::string>> nodes{};     ///< of PreFilter: those it narrows to
    bool parallel = false;                               ///< of PreBindPreFlight
};

/// A berth_status that ends in an Answer.
class StatusSlot {
    berth_status raw_{};
    std::shared_ptr<Answer::Data> data_;

public:
    explicit StatusSlot(const Answer &answer) : data_(answer.data_) {
        raw_ = {sizeof raw_, 0, BERTH_SUCCESS, 0, data_.get(), set_error, set_reasons};
    }
    StatusSlot(const StatusSlot &) = delete;
    StatusSlot &operator=(const StatusSlot &) = delete;
    berth_status *raw() { return &raw_; }
    void take() { data_->code = raw_.code; }

private:
    static void set_error(berth_status *s, berth_str text) {
        static_cast<Answer::Data *>(s->ctx)->texts = {std::string(view(text))};
    }
    static void set_reasons(berth_status *s, const berth_str *texts, std::uint64_t n) {
        auto &into = static_cast<Answer::Data *>(s->ctx)->texts;
        into.clear();
        for (std::uint64_t i = 0; i < n; ++i) into.emplace_back(view(texts[i]));
    }
};

/// A berth_call, with what it interns and lends.
class CallSlot {
    berth_call raw_{};
    std::vector<std::vector<std::string>> reasons_{{}};
    std::deque<std::vector<std::byte>> scratch_;

public:
    explicit CallSlot(std::uint64_t cycle) {
        raw_.struct_size = sizeof raw_;
        raw_.ctx = this;
        raw_.cycle_id = cycle;
        raw_.reasons = intern, raw_.scratch = lend;
    }
    CallSlot(const CallSlot &) = delete;
    CallSlot &operator=(const CallSlot &) = delete;
    const berth_call *raw() const { return &raw_; }
    const std::vector<std::string> &reasons(std::uint32_t id) const {
        if (id >= reasons_.size()) throw std::runtime_error("an id of reasons that was never given out");
        return reasons_[id];
    }

private:
    static std::uint32_t intern(const berth_call *c, const berth_str *texts, std::uint64_t n) {
        auto &lists = static_cast<CallSlot *>(c->ctx)->reasons_;
        std::vector<std::string> list;
        for (std::uint64_t i = 0; i < n; ++i) list.emplace_back(view(texts[i]));
        auto found = std::ranges::find(lists, list);
        if (found == lists.end()) found = lists.insert(found, list);
        return static_cast<std::uint32_t>(found - lists.begin());
    }
    static void *lend(const berth_call *c, std::uint64_t size, std::uint64_t align) {
        auto &block = static_cast<CallSlot *>(c->ctx)->scratch_.emplace_back(size + align);
        void *at = block.data();
        auto room = block.size();
        return std::align(align, size, at, room);
    }
};

}  // namespace berth::testing
