// SPDX-License-Identifier: Apache-2.0
#include "offline/plot_file.h"

#include "env/command.h"
#include "env/nameless_file.h"
#include "report/plot.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace berth::offline {
namespace {

/// librsvg's, which draws the picture as a browser does; a picture in points needs fonts, and those are its business.
env::CommandEnd convert(std::vector<std::string> arguments) {
    constexpr std::chrono::seconds patience{60};
    constexpr std::size_t most = 64 << 20;
    const std::atomic<bool> stop = false;
    return env::run_command({"rsvg-convert", std::move(arguments), {}}, patience, most, stop);
}

model::Result<void> write_file(const std::string &path, const std::string &text) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) return model::Error{"cannot be written: " + std::string(std::strerror(errno))};
    file << text;
    file.flush();
    if (!file) return model::Error{"could not be written to the end; is the disk full?"};
    return {};
}

model::Result<void> write_png(const std::string &path, const std::string &svg) {
    const env::NamelessFile drawing(svg);
    const auto end = convert({"--format=png", "--zoom=2", drawing.path()});
    if (!end.why.empty()) return model::Error{"rsvg-convert: " + end.why + ": " + end.complaints};
    return write_file(path, end.output);
}

}  // namespace

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
    const bool png = path_.ends_with(".png");
    if (!png && !path_.ends_with(".svg") && !path_.ends_with(".html"))
        return model::Error{"--plot " + path_ + ": expected a name that ends in .svg, .html or .png"};
    if (is_input(options, path_))
        return model::Error{"--plot " + path_ + ": is an input, too; give the picture another file"};
    if (png && !convert({"--version"}).found)
        return model::Error{"--plot " + path_ +
                            ": needs the program rsvg-convert; install it (Debian: librsvg2-bin), or give the picture "
                            "a name that ends in .svg or .html"};
    return {};
}

void PlotFile::watch(Simulated &simulated) {
    if (path_.empty()) return;
    series_ = std::make_unique<report::TimeSeries>(simulated.clock(), [&] { return simulated.sink().attempts(); });
    simulated.watch(*series_);
}

void PlotFile::take(const Simulated &simulated, std::string name) {
    if (path_.empty()) return;
    curves_.push_back(series_->curves(simulated.profiles()));
    curves_.back().name = std::move(name);
}

model::Result<void> PlotFile::write(const std::optional<sim::Scenario> &scenario) const {
    if (path_.empty()) return {};
    const auto plot = report::plot_of(curves_, scenario ? scenario->name : "");
    const auto written = path_.ends_with(".svg")    ? write_file(path_, report::to_svg(plot))
                         : path_.ends_with(".html") ? write_file(path_, report::to_html(plot))
                                                    : write_png(path_, report::to_svg(plot));
    if (!written) return model::Error{"--plot " + path_ + ": " + written.error().text};
    return {};
}

}  // namespace berth::offline
