// SPDX-License-Identifier: Apache-2.0
#include "cluster/declarations.h"

#include <algorithm>

namespace berth::cluster {

namespace {

/// The type of a kind's column; 0 for a kind that does not exist.
std::uint32_t type_of(std::uint32_t kind) {
    switch (kind) {
        case BERTH_COLUMN_NODE_LABEL:
        case BERTH_COLUMN_NODE_ANNOTATION:
        case BERTH_COLUMN_POD_LABEL:
        case BERTH_COLUMN_POD_ANNOTATION:
        case BERTH_COLUMN_POD_SCHEDULER_NAME: return BERTH_COLUMN_TYPE_CODE;
        case BERTH_COLUMN_NODE_ALLOCATABLE:
        case BERTH_COLUMN_NODE_REQUESTED: return BERTH_COLUMN_TYPE_INT64;
        case BERTH_COLUMN_NODE_TAINTS:
        case BERTH_COLUMN_NODE_IMAGES:
        case BERTH_COLUMN_NODE_PORTS:
        case BERTH_COLUMN_POD_IMAGES: return BERTH_COLUMN_TYPE_CODES;
        case BERTH_COLUMN_NODE_FIELD:
        case BERTH_COLUMN_POD_FIELD: return BERTH_COLUMN_TYPE_VALUE;
        default: return 0;
    }
}

bool has_key(std::uint32_t kind) {
    switch (kind) {
        case BERTH_COLUMN_NODE_TAINTS:
        case BERTH_COLUMN_NODE_IMAGES:
        case BERTH_COLUMN_NODE_PORTS:
        case BERTH_COLUMN_POD_SCHEDULER_NAME:
        case BERTH_COLUMN_POD_IMAGES: return false;
        default: return true;
    }
}

std::string_view key_of(std::uint32_t kind, std::string_view key) { return has_key(kind) ? key : std::string_view{}; }

std::uint32_t hash_of(std::uint32_t kind, std::string_view key) { return cluster::hash_of(key) + kind; }

constexpr std::size_t most_columns = 0xffff;

}  // namespace

Declarations::Declarations(CodeHistory &history, std::function<Codes *(Declaration &)> codes_of,
                           std::function<void(const Declaration &)> on_end)
    : history_(history), codes_of_(std::move(codes_of)), on_end_(std::move(on_end)) {
    for (auto kind = BERTH_COLUMN_NODE_LABEL; kind <= BERTH_COLUMN_NODE_REQUESTED; ++kind) {
        auto *made = make(kind, {});
        made->absent = true;
        made->holders = 1;
    }
}

bool Declarations::knows(std::uint32_t kind) { return type_of(kind) != 0; }

Declaration *Declarations::find(std::uint32_t kind, std::string_view key) {
    key = key_of(kind, key);
    auto place = index_.find(hash_of(kind, key), [&](std::uint32_t at) {
        return all_[at]->kind == kind && std::string_view{all_[at]->key} == key;
    });
    if (place == CodeIndex::none) return nullptr;
    auto &found = *all_[place];
    found.used = ++uses_;
    found.attempt = attempts_;
    return &found;
}

/// Not in the index yet, without a holder.
Declaration *Declarations::make(std::uint32_t kind, std::string_view key) {
    if (free_.empty()) {
        if (all_.size() == most_columns) return nullptr;
        free_.push_back(static_cast<std::uint32_t>(all_.size()));
        all_.emplace_back();
        generations_.push_back(0);
    }
    auto place = free_.back();
    free_.pop_back();
    auto id = std::uint32_t{generations_[place]} << 16 | (place + 1);
    auto &made = all_[place] = std::make_unique<Declaration>(id, kind, type_of(kind), key, history_);
    made->codes = codes_of_(*made);
    return made.get();
}

Declaration *Declarations::hold(std::uint32_t kind, std::string_view key) {
    auto *held = find(kind, key);
    if (!held) {
        held = make(kind, key_of(kind, key));
        if (!held) return nullptr;
        index_.insert(hash_of(kind, held->key), static_cast<std::uint32_t>(held->place()));
    } else if (held->holders == 0) {
        std::erase(passing_, static_cast<std::uint32_t>(held->place()));
    }
    ++held->holders;
    return held;
}

void Declarations::release(Declaration &declaration) {
    if (--declaration.holders > 0) return;
    declaration.used = ++uses_;
    declaration.attempt = attempts_;
    passing_.push_back(static_cast<std::uint32_t>(declaration.place()));
}

Declaration *Declarations::pass(std::uint32_t kind, std::string_view key, bool beyond) {
    if (!drop_unused() && !beyond) return nullptr;
    auto *made = make(kind, key_of(kind, key));
    if (!made) return nullptr;
    auto place = static_cast<std::uint32_t>(made->place());
    index_.insert(hash_of(kind, made->key), place);
    passing_.push_back(place);
    made->used = ++uses_;
    made->attempt = attempts_;
    return made;
}

/// Frees an entry: drops the least recently requested ones, but none of this attempt. False if all are of this attempt.
bool Declarations::drop_unused() {
    while (passing_.size() >= most) {
        auto oldest = *std::ranges::min_element(passing_, {}, [&](auto place) { return all_[place]->used; });
        if (all_[oldest]->used > began_) return false;
        end(oldest);
    }
    return true;
}

void Declarations::end(std::uint32_t place) {
    const auto &declaration = *all_[place];
    on_end_(declaration);
    std::erase(passing_, place);
    index_.erase(hash_of(declaration.kind, declaration.key), place);
    all_[place].reset();
    ++generations_[place];
    free_.push_back(place);
}

void Declarations::begin_attempt(const std::function<bool(const Declaration &)> &unwanted) {
    ++attempts_;
    began_ = uses_;
    (void)drop_unused();
    for (std::size_t i = passing_.size(); i-- > 0;) {
        const auto &one = *all_[passing_[i]];
        if (one.attempt + idle < attempts_ || (unwanted && unwanted(one))) end(passing_[i]);
    }
}

}  // namespace berth::cluster
