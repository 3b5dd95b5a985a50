// SPDX-License-Identifier: Apache-2.0
#include "env/sha256.h"

#include <openssl/evp.h>

#include <unistd.h>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

namespace berth::env {

model::Result<std::string> sha256_of(int fd) {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (!context || !EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr))
        return model::Error{"libcrypto offers no SHA-256"};
    std::vector<char> block(1 << 16);
    for (off_t at = 0;;) {
        auto got = ::pread(fd, block.data(), block.size(), at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return model::Error{std::generic_category().message(errno)};
        if (got == 0) break;
        EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(got));
        at += got;
    }
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
