// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The columns that plugins have declared, and how long each is kept.

#include "cluster/code_index.h"
#include "cluster/dictionary.h"

#include <berth/view/column.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::cluster {

/// A column that a plugin requested.
struct Declaration {
    const std::uint32_t id, kind, type;
    const std::string key;
    Dictionary<berth_str> strings;  ///< of label, annotation, scheduler name and pod image columns
    Codes *codes = nullptr;         ///< of its dictionary, whichever that is; null if it has none
    bool absent = false;            ///< stands for every key of its kind that no node has
    std::uint32_t holders = 0;      ///< how many users want it to stay
    std::uint64_t used = 0;         ///< when it was last requested
    std::uint64_t attempt = 0;      ///< in which attempt

    Declaration(std::uint32_t number, std::uint32_t of_kind, std::uint32_t of_type, std::string_view name,
                CodeHistory &history)
        : id(number), kind(of_kind), type(of_type), key(name), strings(history) {}

    std::size_t place() const { return (id & 0xffff) - 1; }  ///< among all declarations
    bool of_nodes() const { return kind < BERTH_COLUMN_POD_LABEL; }
    /// Made of a node's pods, so that it is kept also while the node is not there.
    bool sums_pods() const { return kind == BERTH_COLUMN_NODE_REQUESTED || kind == BERTH_COLUMN_NODE_PORTS; }
};

/// A column that is held stays. One that was only requested may go once that attempt is over: at most `most` of these
/// are kept, the least recently requested one goes first, and one that was not requested in `idle` attempts goes too.
/// The place of one that is gone is used again, under another id. Loop only, but for `find` by id.
class Declarations {
    CodeHistory &history_;
    std::function<Codes *(Declaration &)> codes_of_;
    std::function<void(const Declaration &)> on_end_;
    std::vector<std::unique_ptr<Declaration>> all_;  // by place
    std::vector<std::uint16_t> generations_;         // by place: how often it was used again
    std::vector<std::uint32_t> free_, passing_;      // places: unused; of those without a holder
    CodeIndex index_;
    std::uint64_t uses_ = 0, attempts_ = 0, began_ = UINT64_MAX;

    Declaration *make(std::uint32_t kind, std::string_view key);
    bool drop_unused();
    void end(std::uint32_t place);

public:
    static constexpr std::size_t most = 512;
    static constexpr std::uint64_t idle = 1024;

    /// `codes_of` says which dictionary a column has; `on_end` is called before a declaration ends: tables forget the
    /// column then. All outlive it.
    Declarations(CodeHistory &history, std::function<Codes *(Declaration &)> codes_of,
                 std::function<void(const Declaration &)> on_end);

    /// Whether there is such a kind (BERTH_COLUMN_NODE_…, BERTH_COLUMN_POD_…).
    static bool knows(std::uint32_t kind);
    /// nullptr for an id that means nothing, or nothing any more.
    Declaration *find(std::uint32_t id) const {
        auto place = (id & 0xffff) - std::size_t{1};
        return place < all_.size() && all_[place] && all_[place]->id == id ? all_[place].get() : nullptr;
    }
    /// nullptr if there is none of that kind, which is known, and key. It counts as requested.
    Declaration *find(std::uint32_t kind, std::string_view key);

    /// A new one, which somebody holds until release(). nullptr if there are too many.
    Declaration *hold(std::uint32_t kind, std::string_view key);
    void release(Declaration &declaration);
    /// A new one, in passing. nullptr if the current attempt has requested too many; `beyond`: then it is made all the
    /// same.
    Declaration *pass(std::uint32_t kind, std::string_view key, bool beyond);
    /// The one that stands for all keys that no node has; of a kind that NodeKeys covers.
    Declaration &absent(std::uint32_t kind) { return *all_[kind - BERTH_COLUMN_NODE_LABEL]; }

    /// What is requested from here on stays until end_attempt(), at least. What is not wanted any more goes now, and
    /// what `unwanted` says.
    void begin_attempt(const std::function<bool(const Declaration &)> &unwanted);
    void end_attempt() { began_ = UINT64_MAX; }

    std::size_t passing() const { return passing_.size(); }
    template <class F>
    void each(F f) {
        for (auto &one : all_)
            if (one) f(*one);
    }
    template <class F>
    void each(F f) const {
        for (const auto &one : all_)
            if (one) f(std::as_const(*one));
    }
};

}  // namespace berth::cluster
