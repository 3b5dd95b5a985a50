// SPDX-License-Identifier: Apache-2.0

/// LoadAware: prefers nodes with little load, as a file says it.
///
/// args.path is a text file with a node's name and its load in per cent a line ("node-7 42.5"), as a program beside the
/// scheduler may write it of what a monitoring system knows; write a new file and rename it, so that no half of one is
/// read. From the first pod on, every args.periodSeconds, a timer looks whether the file changed, and a task in the
/// background reads it: the loop never waits for a disk. A node's score is 100 less its load. A node that has no line
/// has 50, and so have all while there is no file; the log says so once, not for every pod.

#include <berth/plugin.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>

namespace {

constexpr std::int64_t neutral = 50;

/// What tells one version of a file from another.
using Version = std::tuple<ino_t, off_t, time_t, long>;

/// What a reading found. Without a version there is no such file.
struct Reading {
    std::optional<Version> version;
    bool same = false;  ///< as the last one
    std::map<std::string, std::int64_t, std::less<>> scores;
    std::string fault;  ///< the first line that says nothing
};

Reading read(const std::string &path, const std::optional<Version> &last) {
    Reading out;
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) return out;
    out.version = {info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    if (out.version == last) {
        out.same = true;
        return out;
    }
    std::ifstream file(path);
    std::string line;
    for (int n = 1; std::getline(file, line); ++n) {
        std::istringstream words(line);
        std::string node, rest;
        double load = 0;
        if (!(words >> node) || node.starts_with('#')) continue;
        if (words >> load && !(words >> rest) && load >= 0) out.scores[node] = std::lround(100 - std::min(load, 100.0));
        else if (out.fault.empty())
            out.fault = path + ":" + std::to_string(n) + ": expected a node and its load in per cent";
    }
    return out;
}

class LoadAware {
    const berth::Host &host_;
    std::string path_;
    std::int64_t period_ns_;
    Reading now_;
    bool read_once_ = false, looking_ = false;
    bool lines_missed_ = false;  ///< of this version of the file, and said so

    void take(Reading reading) {
        if (reading.same) return;
        const bool lost = !reading.version && (now_.version || !read_once_);
        read_once_ = true;
        now_ = std::move(reading);
        lines_missed_ = false;
        if (lost) host_.warning("LoadAware: there is no " + path_ + ": every node has the score 50");
        if (!now_.fault.empty()) host_.warning("LoadAware: " + now_.fault);
    }
    void look() {
        host_.task([path = path_, last = now_.version](berth::Cancel) { return read(path, last); },
                   [this](berth::TaskResult<Reading> result) {
                       if (result) take(std::move(*result));
                   });
        host_.after(period_ns_, [this] { look(); });
    }

public:
    static constexpr const char *description = "Prefers nodes with little load, as a file says it";

    static void default_args(berth::ArgsReader &args) {
        if (args.string("path", "").empty())
            args.error("path", "expected the name of a file with a node and its load a line");
        args.integer("periodSeconds", 5, 1, 3600);
    }

    LoadAware(berth::Args args, const berth::Host &host)
        : host_(host),
          path_(args.string("path", "")),
          period_ns_(args.integer<std::int64_t>("periodSeconds", 5) * 1'000'000'000) {
        take(read(path_, {}));  // so that the first pod finds it; after that in the background
    }

    berth::Verdict pre_score(berth::Pod, berth::Nodes nodes, berth::Slots slots) {
        if (!looking_) {  // an instance that is never asked follows nothing
            looking_ = true;
            look();
        }
        if (lines_missed_ || !now_.version) return berth::ok;
        for (auto slot : slots) {
            if (now_.scores.contains(nodes[slot].name())) continue;
            lines_missed_ = true;
            host_.warning("LoadAware: " + path_ + " has no line for node " + std::string(nodes[slot].name()) +
                          ": nodes without one have the score 50");
            break;
        }
        return berth::ok;
    }

    std::int64_t score(berth::Pod, berth::Node node) const {
        auto at = now_.scores.find(node.name());
        return at == now_.scores.end() ? neutral : at->second;
    }
};

}  // namespace

BERTH_PLUGIN(LoadAware, "LoadAware", "1.0.0")
