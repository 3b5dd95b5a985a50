// SPDX-License-Identifier: Apache-2.0
#include "live/file_watch.h"
#include "config/file.h"

#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <utility>

namespace berth::live {
namespace {

namespace fs = std::filesystem;

/// Identifies the state of a file; "" if there is no file.
std::string facts_of(const std::string &path) {
    struct stat facts{};
    if (path.empty() || ::stat(path.c_str(), &facts) != 0) return {};
    std::string out;
    for (auto n : {static_cast<std::int64_t>(facts.st_dev), static_cast<std::int64_t>(facts.st_ino),
                   static_cast<std::int64_t>(facts.st_size), static_cast<std::int64_t>(facts.st_mtim.tv_sec),
                   static_cast<std::int64_t>(facts.st_mtim.tv_nsec), static_cast<std::int64_t>(facts.st_ctim.tv_sec),
                   static_cast<std::int64_t>(facts.st_ctim.tv_nsec)})
        out += std::to_string(n) + ' ';
    return out;
}

std::string content_of(const std::string &path) {
    auto text = path.empty() ? model::Result<std::string>{std::string{}} : config::read_config_text(path);
    return text ? *std::move(text) : std::string{};
}

}  // namespace

FileWatch::FileWatch(std::string config, const plugin::PluginOptions &plugins)
    : config_(std::move(config)), directories_(plugin::plugin_directories(plugins)) {
    for (const auto &text : plugins.pins)
        if (auto pin = plugin::parse_pin(text)) files_.push_back(pin->file);
    read();
}

FileWatch::Seen FileWatch::look() const {
    Seen out{facts_of(config_), {}};
    auto files = files_;
    for (const auto &directory : directories_) {
        std::error_code error;
        for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
            if (it->path().extension() == ".so") files.push_back(it->path().string());
    }
    std::ranges::sort(files);
    for (const auto &file : files) out.libraries += file + ' ' + facts_of(file) + '\n';
    return out;
}

bool FileWatch::changed() {
    auto seen = look();
    if (std::exchange(last_, seen) != seen || seen == known_) return false;
    const bool same = seen.libraries == known_.libraries && content_of(config_) == content_;
    read();
    return !same;
}

void FileWatch::read() {
    known_ = last_ = look();
    content_ = content_of(config_);
}

}  // namespace berth::live
