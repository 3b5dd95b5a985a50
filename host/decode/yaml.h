// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Text to documents by yaml-cpp; private to decode.

#include "decode/source.h"
#include "decode/stream.h"

#include <cstdint>
#include <string>

namespace berth::decode {

/// What becomes of the documents.
enum class YamlMode {
    One,      ///< each document is handed over as it is; a second one is an error
    Objects,  ///< lists are taken apart, documents without content are skipped
};

/// Why YAML text was refused, or that the receiver refused an object.
struct YamlResult {
    bool ok = true, syntax = false;  ///< syntax: it is no YAML at all
    std::string message;
    std::uint64_t objects = 0;
};

YamlResult read_yaml(Source &source, const std::string &file, YamlMode mode, const Receive &receive);

}  // namespace berth::decode
