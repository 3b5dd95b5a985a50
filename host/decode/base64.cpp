// SPDX-License-Identifier: Apache-2.0
#include "decode/base64.h"

#include <cstdint>

namespace berth::decode {

bool decode_base64(std::string_view text, std::string &out) {
    out.clear();
    std::uint32_t bits = 0;
    int have = 0, padding = 0;
    for (char c : text) {
        int digit = 0;
        if (c >= 'A' && c <= 'Z') digit = c - 'A';
        else if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
        else if (c >= '0' && c <= '9') digit = c - '0' + 52;
        else if (c == '+') digit = 62;
        else if (c == '/') digit = 63;
        else if (c == '=' && ++padding <= 2) continue;
        else if (c == '\n' || c == '\r') continue;
        else return false;
        if (padding > 0) return false;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if (++have % 4 == 0) {
            out += static_cast<char>(bits >> 16 & 0xff);
            out += static_cast<char>(bits >> 8 & 0xff);
            out += static_cast<char>(bits & 0xff);
        }
    }
    if (have % 4 == 1 || (have + padding) % 4 != 0) return false;
    if (have % 4 >= 2) out += static_cast<char>(bits >> (have % 4 == 2 ? 4 : 10) & 0xff);
    if (have % 4 == 3) out += static_cast<char>(bits >> 2 & 0xff);
    return true;
}

}  // namespace berth::decode
