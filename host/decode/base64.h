// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A decoder of standard Base64 with the rules of Go's encoding/base64: padded, line breaks ignored.

#include <string>
#include <string_view>

namespace berth::decode {

/// False when the text is none.
bool decode_base64(std::string_view text, std::string &out);

}  // namespace berth::decode
