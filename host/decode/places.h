// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where all the values of a document stand, found in one walk: for whoever needs many places, as Document::where()
/// searches for each.

#include "decode/document.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::decode {

/// Of a document that outlives it. May be read by several threads at once.
class Places {
    const Document &document_;
    std::vector<Mark> marks_;
    std::unordered_map<const berth_value *, std::size_t> index_;  ///< among the marks

    void walk(model::Value value, std::size_t &at);

public:
    explicit Places(const Document &document);

    /// As Document::where().
    std::string where(model::Value value) const;
    /// Objects that stand inside the document, each as a document of its own that knows its place in the file: the
    /// items of `value`, or `value` itself if that is no list. Empty for a stranger.
    std::vector<Document> parts(model::Value value) const;
};

}  // namespace berth::decode
