// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Series that are kept after their first use, so that Metrics need not look up their labels again each time.

#include "report/metrics.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace berth::report {

/// Copies of texts, for views that outlive the originals.
class Texts {
    std::set<std::string, std::less<>> texts_;

public:
    std::string_view keep(std::string_view text) {
        const auto at = texts_.find(text);
        return at != texts_.end() ? *at : *texts_.emplace(text).first;
    }
};

/// The series of one kind by what their labels say. A `Key` is ordered, views its texts, and has labels() and
/// kept_in(Texts &): itself with texts that stay.
template <class Key, class Series>
class SeriesBy {
    std::function<Series(const Metrics::Labels &)> make_;
    std::map<Key, Series> series_;
    Texts texts_;

public:
    explicit SeriesBy(std::function<Series(const Metrics::Labels &)> make) : make_(std::move(make)) {}
    const Series &of(const Key &key) {
        const auto at = series_.find(key);
        return at != series_.end() ? at->second
                                   : series_.emplace(key.kept_in(texts_), make_(key.labels())).first->second;
    }
};

}  // namespace berth::report
