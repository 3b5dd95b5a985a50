// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of YAML documents, by yaml-cpp; private to decode.

#include "decode/list.h"
#include "decode/source.h"

#include <string>

namespace berth::decode {

/// What becomes of the documents.
enum class YamlMode {
    One,      ///< each document is handed over as it is; a second one is an error
    Objects,  ///< lists are taken apart, documents without content are skipped
};

/// `syntax` of the result: it is no YAML.
ReadResult read_yaml(Source &source, const std::string &file, YamlMode mode, const Receive &receive);

}  // namespace berth::decode
