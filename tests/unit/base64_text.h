// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>

#include <string>

namespace berth {

inline std::string base64(const std::string &bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char *>(out.data()),
                    reinterpret_cast<const unsigned char *>(bytes.data()), static_cast<int>(bytes.size()));
    out.pop_back();
    return out;
}

}  // namespace berth
