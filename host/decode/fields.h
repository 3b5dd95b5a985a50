// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The strict reader of one JSON object into a struct, as in Kubernetes' strict decoding. An unknown member is an
/// error, and all errors of a file are found at once, each with its place and path.

#include "decode/document.h"

#include <berth/time.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// One thing wrong with a file.
struct FieldError {
    std::string file;
    Position position;
    std::string path;  ///< `profiles[0].schedulerName`; empty for the whole document
    std::string text;  ///< what is wrong, and how to put it right

    /// "config.yaml:7:14: profiles[0].schedulerName: expected a string, got a number"
    std::string message() const;
};
using FieldErrors = std::vector<FieldError>;

/// The messages in the order of the file, one a line, without a newline at the end.
std::string messages(FieldErrors errors);

/// Reads the members of one object. Each getter answers nothing when the member is absent or null, and also when it is
/// wrong (the error is then recorded). finish() records the members that no getter read. The document and the error
/// list must outlive it; used by one thread.
class Fields {
    const Document *document_;
    model::Value value_;
    std::string path_;
    FieldErrors *errors_;
    std::vector<std::string> known_;

public:
    /// The document's root; records an error if that is no object.
    Fields(const Document &document, FieldErrors &errors);
    /// `value`, a value of the document, at `path`; records an error if it is no object (null counts as an empty one).
    Fields(const Document &document, model::Value value, std::string path, FieldErrors &errors);

    model::Value value() const { return value_; }
    const std::string &path() const { return path_; }
    const Document &document() const { return *document_; }

    bool has(std::string_view name);  ///< present and not null; counts as read
    std::optional<std::string> string(std::string_view name);
    std::optional<bool> boolean(std::string_view name);
    std::optional<std::int32_t> int32(std::string_view name);
    std::optional<std::int64_t> int64(std::string_view name);
    std::optional<double> number(std::string_view name);
    /// A metav1.Duration: a string as Go's time.ParseDuration reads it, such as "15s" or "1h2m0.5s".
    std::optional<std::chrono::nanoseconds> duration(std::string_view name);
    std::vector<std::string> strings(std::string_view name);                              ///< a list of strings
    std::optional<std::map<std::string, std::string>> string_map(std::string_view name);  ///< string to string
    std::optional<std::map<std::string, bool>> bool_map(std::string_view name);           ///< string to boolean
    std::optional<Fields> object(std::string_view name);
    std::vector<Fields> objects(std::string_view name);  ///< a list of objects
    /// The items of a list of anything; their paths are `path_of(name)[i]`.
    std::vector<model::Value> list(std::string_view name);
    /// Any value, also null, unchanged.
    model::Value any(std::string_view name);

    std::string path_of(std::string_view name) const;
    /// Records that the member (or, with an empty name, this object) is wrong.
    void error(std::string_view name, std::string text);
    /// Records that `v`, a value of the document at `path`, is wrong.
    void error_at(model::Value v, std::string path, std::string text);
    /// Records the members that were never read. To be called when everything known was.
    void finish();

private:
    model::Value find(std::string_view name);
    bool expect(bool right, model::Value v, const std::string &path, std::string_view expected);
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most,
                                        std::string_view expected);
};

using berth::parse_duration;

/// What people call a value of that kind: "a string", "a number", "an object", …
std::string_view kind_name(model::Value v);

}  // namespace berth::decode
