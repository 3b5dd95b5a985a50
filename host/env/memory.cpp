// SPDX-License-Identifier: Apache-2.0
#include "env/memory.h"

#include <malloc.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace berth::env {
namespace {

/// A version of control groups, and how it names what is wanted here.
struct Version {
    const char *file_system;
    const char *controller;  ///< as /proc/self/cgroup lists it; "": the one hierarchy of v2
    const char *limit, *usage, *inactive;
};
constexpr Version v2{"cgroup2", "", "memory.max", "memory.current", "inactive_file"};
constexpr Version v1{"cgroup", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/// v1 has no word for "no limit" but the largest multiple of a page, and no machine has as much as this.
constexpr std::uint64_t no_limit = std::uint64_t{1} << 60;

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t out = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed != std::errc{} || end == text.data()) return std::nullopt;
    return out;
}

std::optional<std::uint64_t> number_in(const std::string &path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return number(word);
}

bool lists(std::string_view comma_separated, std::string_view word) {
    while (true) {
        const auto comma = comma_separated.find(',');
        if (comma_separated.substr(0, comma) == word) return true;
        if (comma == std::string_view::npos) return false;
        comma_separated.remove_prefix(comma + 1);
    }
}

/// The process's group in the hierarchy of that version: lines "ID:CONTROLLERS:PATH".
std::optional<std::string> group_of(const Version &version, const std::string &root) {
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        if (lists(std::string_view(line).substr(first + 1, second - first - 1), version.controller))
            return line.substr(second + 1);
    }
    return std::nullopt;
}

struct Mount {
    std::string group;  ///< what is seen at the folder
    std::string folder;
};

/// Where that hierarchy is mounted: "ID PARENT DEVICE ROOT FOLDER OPTIONS … - TYPE SOURCE OPTIONS".
std::optional<Mount> mount_of(const Version &version, const std::string &root) {
    std::ifstream file(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string skipped, type, options;
        Mount out;
        words >> skipped >> skipped >> skipped >> out.group >> out.folder;
        while (words >> skipped && skipped != "-") {
        }
        words >> type >> skipped >> options;
        if (type == version.file_system && (*version.controller == '\0' || lists(options, version.controller)))
            return out;
    }
    return std::nullopt;
}

std::uint64_t inactive_in(const std::string &folder, std::string_view key) {
    std::ifstream file(folder + "/memory.stat");
    for (std::string name, value; file >> name >> value;)
        if (name == key) return number(value).value_or(0);
    return 0;
}

void look_at(const Version &version, const std::string &root, std::optional<GroupMemory> &out) {
    const auto group = group_of(version, root);
    const auto mount = mount_of(version, root);
    if (!group || !mount) return;
    // A container that sees only its own group has it at the mount itself, whatever the path says.
    std::string below;
    const std::string above = mount->group == "/" ? "" : mount->group;
    if ((*group + '/').starts_with(above + '/') && group->find("/..") == std::string::npos)
        below = group->substr(above.size());
    while (!below.empty() && below.back() == '/') below.pop_back();
    for (;; below.erase(below.rfind('/'))) {
        const std::string folder = root + mount->folder + below;
        const auto limit = number_in(folder + '/' + version.limit), usage = number_in(folder + '/' + version.usage);
        if (limit && usage && *limit < no_limit) {
            const auto used = *usage - std::min(*usage, inactive_in(folder, version.inactive));
            const auto free = *limit - std::min(*limit, used);
            if (!out) out = {*limit, used, free};
            if (*limit < out->limit) out->limit = *limit, out->used = used;
            out->free = std::min(out->free, free);
        }
        if (below.empty()) return;
    }
}

}  // namespace

std::optional<GroupMemory> group_memory(const std::string &root) {
    std::optional<GroupMemory> out;
    look_at(v2, root, out);
    look_at(v1, root, out);
    return out;
}

ProcessMemory process_memory(const std::string &root) {
    std::ifstream file(root + "/proc/self/statm");
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::uint64_t total = 0, resident = 0, files = 0;
    if (!(file >> total >> resident >> files)) return {};
    return {resident * page, files * page, ::mallinfo2().fordblks};
}

}  // namespace berth::env
