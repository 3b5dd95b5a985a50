// SPDX-License-Identifier: Apache-2.0
#include "decode/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace berth::decode {

model::Result<std::string> read_text_file(const std::string &path, std::string_view expected) {
    constexpr std::size_t piece = 64 << 10, most = 64 << 20;
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return model::Error{path + ": is a directory; expected " + std::string(expected)};
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) return model::Error{path + ": cannot be read: " + std::strerror(errno)};
    std::string out;
    while (in && out.size() <= most) {
        const auto before = out.size();
        out.resize(before + piece);
        in.read(out.data() + before, static_cast<std::streamsize>(piece));
        out.resize(before + static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) return model::Error{path + ": cannot be read: " + std::strerror(errno)};
    if (out.size() > most) return model::Error{path + ": is larger than 64 MiB; expected " + std::string(expected)};
    return out;
}

}  // namespace berth::decode
