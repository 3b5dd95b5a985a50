// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace berth::decode {

/// Decodes standard Base64; line breaks and blanks are ignored. False when the text is none.
bool decode_base64(std::string_view text, std::string &out);

}  // namespace berth::decode
