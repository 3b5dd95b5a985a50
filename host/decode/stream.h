// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The decoder of files with many Kubernetes objects, one object at a time.
///
/// Understood are what `kubectl get -o yaml|json` writes (a List), several YAML documents divided by `---`, JSON
/// objects one after another (also one a line), and a bare sequence of objects. A top-level object with an `items`
/// sequence is a list, and so is one whose kind ends in `List`: its items are handed over one by one and the rest of it
/// is dropped; so it is with a list that is an item of a list. Items of a typed list (`PodList`, as the API server
/// itself writes it) that lack `apiVersion` and `kind` get them from the list when the list says them before its items.
///
/// JSON objects that an API server has written, by their uid and resourceVersion, are read as Kubernetes' decoder reads
/// them, however strange they are (decode/go_json.h); all of such a one stands where it begins. In others what is
/// strange is a fault.
///
/// Memory is bounded by the largest single object, not by the file.

#include "decode/document.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace berth::decode {

/// Takes one object (its document's root; not necessarily a JSON object). An Error ends the reading and is returned by
/// the reader.
using Receive = std::function<model::Result<void>(Document)>;

/// Called at intervals: how many bytes were read, of how many (0: not known).
using Progress = std::function<void(std::uint64_t read, std::uint64_t total)>;

/// Reads all objects of `in` in their order, calling `receive` on this thread; says how many there were. `file` is used
/// in messages only. No object at all is not an error: the caller knows whether that is acceptable. Objects that were
/// handed over before an error was met stay handed over.
///
/// Input whose first visible character is `{` or `[` is read as JSON. If no object could be read as JSON and the input
/// is smaller than 4 MiB, it is read as YAML instead (whose flow collections look like JSON), unless the file's name
/// ends in `.json`.
///
/// After an error `*syntax` says whether the input is neither YAML nor JSON; what is refused of these is another fault.
model::Result<std::uint64_t> read_stream(std::istream &in, const std::string &file, const Receive &receive,
                                         const Progress &progress = {}, std::uint64_t total = 0,
                                         bool *syntax = nullptr);

/// The same for a file by its path; refuses what is not a regular file, a pipe or a character device.
model::Result<std::uint64_t> read_file(const std::string &path, const Receive &receive, const Progress &progress = {},
                                       bool *syntax = nullptr);

}  // namespace berth::decode
