// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a stream of JSON objects and lists, one object at a time; private to decode.

#include "decode/json.h"
#include "decode/list.h"
#include "decode/source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::decode {

/// Finds where each object ends by its brackets and quotes, and parses it when it is whole, so that a list is never in
/// memory as a whole.
class JsonStream {
    Source *source_;
    const std::string *file_;
    const Receive *receive_;
    JsonParser parser_;
    std::string buffer_;       ///< read and not yet done with
    std::size_t at_ = 0;       ///< of the next byte
    Position position_{1, 1};  ///< of the next byte
    bool ended_ = false;       ///< there is nothing after the buffer
    ReadResult result_;

public:
    JsonStream(Source &source, const std::string &file, const Receive &receive)
        : source_(&source), file_(&file), receive_(&receive) {}

    /// `syntax` of the result: it is no JSON.
    ReadResult read();

private:
    bool fill();
    char byte(std::size_t offset);
    void advance(std::size_t n);
    void skip_blanks();
    std::size_t blanks_from(std::size_t offset);
    std::size_t string_end(std::size_t offset);
    std::size_t value_end(std::size_t offset, std::size_t depth);
    std::size_t value_end_or_all(std::size_t depth);
    std::size_t find_items(std::size_t &end);

    bool fail(std::string_view expected);
    bool refuse(JsonRefusal refusal);
    bool parse(std::string_view text, Position start, const ItemType &type, Document &out);
    bool hand_over(Document document);
    bool object();
    bool list(std::size_t items);
    bool items(const ItemType &type);
    bool rest_of_list(const Document &beginning);
};

}  // namespace berth::decode
