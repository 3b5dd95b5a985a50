// SPDX-License-Identifier: Apache-2.0
#include "env/sha256.h"

#include "env/file_blocks.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string_view>

namespace berth::env {

model::Result<std::string> sha256_of(int fd) {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (!context || !EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr))
        return model::Error{"libcrypto offers no SHA-256"};
    auto read =
        each_block(fd, [&](std::string_view block) { EVP_DigestUpdate(context.get(), block.data(), block.size()); });
    if (!read) return read.error();
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context.get(), digest.data(), &size);
    std::string out;
    for (unsigned i = 0; i < size; ++i) {
        out += "0123456789abcdef"[digest[i] >> 4];
        out += "0123456789abcdef"[digest[i] & 15];
    }
    return out;
}

}  // namespace berth::env
