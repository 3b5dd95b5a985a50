// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The decoder of one YAML or JSON document, with the position of each value.
///
/// YAML scalars are read by the core schema of YAML 1.2 (`yes`, `on` and `off` are strings, `012` is twelve), quoted
/// scalars are strings, merge keys (`<<`) are applied, anchors and aliases are expanded within bounds. Refused, each
/// with its place: repeated keys, unknown tags, infinities, cyclic aliases, text that is not UTF-8, more than 200
/// levels of nesting. Nothing that a file contains can crash or exhaust the program.

#include "model/result.h"
#include "model/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// A place in a file: line and column (in bytes) from 1; 0 means unknown.
struct Position {
    int line = 0, column = 0;
    bool operator==(const Position &) const = default;
};

/// What remembers the places of a document's values. Opaque; shared by the copies of a Document.
class SourceMap;

/// One parsed document, or one object of a longer file. Copying is cheap and shares everything. A copy of `tree` alone
/// does not keep the positions. May be read by several threads at once.
struct Document {
    model::TreePtr tree;
    std::string file;  ///< the name to show to people
    std::shared_ptr<const SourceMap> source_map;

    model::Value value() const { return tree ? tree->value() : model::Value{}; }

    /// Where `v`, a value of this document, begins.
    Position position(model::Value v) const;
    /// Where the key of the member whose value is `v` begins; for a value that is no member, position(v).
    Position key_position(model::Value v) const;
    /// "file.yaml:12:3"; only the file's name when the place is unknown.
    std::string where(model::Value v) const;
};

/// Where each key and value of `document` begins, in the order of the text: every value, and before a member's value
/// its key. Empty for a document without places.
std::vector<Position> positions(const Document &document);

/// Objects that stand inside `document`, each as a document of its own that knows its place in the file: the items of
/// `value`, or `value` itself if that is no list. Empty for a stranger.
std::vector<Document> parts(const Document &document, model::Value value);

/// `tree` as a document of its own, such as one that was made out of another: `positions` are those that positions()
/// answers for it.
Document positioned_document(model::TreePtr tree, std::string file, std::vector<Position> positions);

/// "file.yaml:12:3", or only the file's name when the line is unknown, without the column when that is unknown.
std::string where(std::string_view file, Position position);

/// Reads exactly one YAML or JSON document, such as a configuration file. Text whose first visible character is `{` or
/// `[` is JSON; if it is wrong as JSON but right as YAML (a flow collection), it is YAML, unless the file's name ends
/// in
/// `.json`. Else `file` is used in messages only.
model::Result<Document> read_document(std::string_view bytes, const std::string &file);

}  // namespace berth::decode
