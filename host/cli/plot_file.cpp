// SPDX-License-Identifier: Apache-2.0
#include "cli/plot_file.h"

#include "report/plot.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace berth::cli {

std::vector<std::string> names_of(const SimulateOptions &options, const std::optional<sim::Scenario> &scenario) {
    auto paths = options.configs.empty() ? std::vector<std::string>{""} : options.configs;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto at = paths.begin() + static_cast<std::ptrdiff_t>(i);
        const auto before = std::count(paths.begin(), at, *at);
        auto name = !at->empty()                          ? *at
                    : scenario && scenario->configuration ? "the configuration of " + scenario->name
                                                          : "kube-scheduler's default profile";
        names.push_back(before > 0 ? name + " (" + std::to_string(before + 1) + ")" : name);
    }
    return names;
}

model::Result<void> PlotFile::set(const SimulateOptions &options) {
    path_ = options.plot;
    if (path_.empty()) return {};
    if (!path_.ends_with(".svg") && !path_.ends_with(".html"))
        return model::Error{"--plot " + path_ + ": expected a name that ends in .svg or .html"};
    if (is_input(options, path_))
        return model::Error{"--plot " + path_ + ": is an input, too; give the picture another file"};
    return {};
}

void PlotFile::watch(Simulated &simulated) {
    if (path_.empty()) return;
    course_ = std::make_unique<report::Course>(simulated.clock(), [&] { return simulated.sink().attempts(); });
    simulated.watch(*course_);
}

void PlotFile::take(const Simulated &simulated, std::string name) {
    if (path_.empty()) return;
    curves_.push_back(course_->curves(simulated.profiles()));
    curves_.back().name = std::move(name);
}

model::Result<void> PlotFile::write(const std::optional<sim::Scenario> &scenario) const {
    if (path_.empty()) return {};
    const auto plot = report::plot_of(curves_, scenario ? scenario->name : "");
    errno = 0;
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    if (!file) return model::Error{"--plot " + path_ + ": cannot be written: " + std::strerror(errno)};
    file << (path_.ends_with(".svg") ? report::to_svg(plot) : report::to_html(plot));
    file.flush();
    if (!file) return model::Error{"--plot " + path_ + ": could not be written to the end; is the disk full?"};
    return {};
}

}  // namespace berth::cli
