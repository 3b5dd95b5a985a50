// SPDX-License-Identifier: Apache-2.0
#include "decode/stream.h"

#include "decode/json_stream.h"
#include "decode/yaml.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace berth::decode {

model::Result<std::uint64_t> read_stream(std::istream &in, const std::string &file, const Receive &receive,
                                         const Progress &progress, std::uint64_t total) {
    Source source{in, progress, total};
    std::string no_json;
    if (char c = source.first_visible(); c == '{' || c == '[') {
        auto result = JsonStream{source, file, receive}.read();
        if (result.ok) return result.objects;
        if (!result.syntax || result.objects > 0 || !source.small() || file.ends_with(".json"))
            return model::Error{result.message};
        no_json = std::move(result.message);
        source.rewind();
    }
    auto result = read_yaml(source, file, YamlMode::Objects, receive);
    if (result.ok) return result.objects;
    return model::Error{!no_json.empty() && result.syntax ? no_json : result.message};
}

model::Result<std::uint64_t> read_file(const std::string &path, const Receive &receive, const Progress &progress) {
    namespace fs = std::filesystem;
    std::error_code error;
    auto status = fs::status(path, error);
    if (error) return model::Error{path + ": cannot be read: " + error.message()};
    if (!fs::is_regular_file(status) && !fs::is_fifo(status) && !fs::is_character_file(status))
        return model::Error{path + ": cannot be read: it is " + (fs::is_directory(status) ? "a directory" : "no file")};
    std::uint64_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
    errno = 0;
    std::ifstream in{path, std::ios::binary};
    if (!in) return model::Error{path + ": cannot be read: " + std::generic_category().message(errno)};
    return read_stream(in, path, receive, progress, error ? 0 : size);
}

}  // namespace berth::decode
