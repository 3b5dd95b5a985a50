// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace berth::decode {

/// Decodes standard Base64 as Go's encoding/base64 does: padded, line breaks ignored. False when the text is none.
bool decode_base64(std::string_view text, std::string &out);

}  // namespace berth::decode
