// SPDX-License-Identifier: Apache-2.0
#include "report/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <sys/resource.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <sstream>

namespace berth::report {

namespace pm = prometheus;

namespace {

/// The metrics of client_golang's process collector, from proc(5).
std::string process_text() {
    constexpr std::size_t user_ticks = 11, system_ticks = 12, start_ticks = 19, virtual_bytes = 20, resident_pages = 21;
    std::ifstream stat("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    // The name of the program is in brackets and may hold anything; what is counted here comes after it.
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::vector<std::string> fields((std::istream_iterator<std::string>(rest)), {});
    if (fields.size() <= resident_pages) return {};
    auto number = [&](std::size_t i) { return std::stod(fields[i]); };
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    double boot = 0;
    std::ifstream system("/proc/stat");
    for (std::string word; system >> word;)
        if (word == "btime") system >> boot;
    std::error_code error;
    std::size_t open = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end; at.increment(error))
        ++open;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    std::ostringstream out;
    out.precision(std::numeric_limits<double>::max_digits10);
    auto write = [&](const char *name, const char *type, const char *help, double value) {
        out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n'
            << name << ' ' << value << '\n';
    };
    write("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.",
          (number(user_ticks) + number(system_ticks)) / ticks);
    write("process_max_fds", "gauge", "Maximum number of open file descriptors.", static_cast<double>(files.rlim_cur));
    write("process_open_fds", "gauge", "Number of open file descriptors.", static_cast<double>(open));
    write("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.",
          number(resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    write("process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
          boot + number(start_ticks) / ticks);
    write("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", number(virtual_bytes));
    return out.str();
}

}  // namespace

void Counter::add(double n) const {
    if (counter_) static_cast<pm::Counter *>(counter_)->Increment(n);
}
double Counter::value() const { return counter_ ? static_cast<pm::Counter *>(counter_)->Value() : 0; }
void Gauge::set(double n) const {
    if (gauge_) static_cast<pm::Gauge *>(gauge_)->Set(n);
}
void Histogram::observe(double n) const {
    if (histogram_) static_cast<pm::Histogram *>(histogram_)->Observe(n);
}

std::vector<double> exponential_buckets(double start, double factor, std::size_t count) {
    std::vector<double> out(count);
    for (auto &bound : out) {
        bound = start;
        start *= factor;
    }
    return out;
}

struct Metrics::State {
    pm::Registry registry;
    std::mutex mutex;
    std::map<std::string, std::set<pm::Gauge *>> gauges;  ///< by the metric's name
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Counter Metrics::counter(const Metric &metric, const Labels &labels) {
    return Counter(&pm::BuildCounter().Name(metric.name).Help(metric.help).Register(state_->registry).Add(labels));
}

Gauge Metrics::gauge(const Metric &metric, const Labels &labels) {
    auto &gauge = pm::BuildGauge().Name(metric.name).Help(metric.help).Register(state_->registry).Add(labels);
    std::lock_guard lock(state_->mutex);
    state_->gauges[metric.name].insert(&gauge);
    return Gauge(&gauge);
}

Histogram Metrics::histogram(const Metric &metric, const Labels &labels) {
    return Histogram(&pm::BuildHistogram()
                          .Name(metric.name)
                          .Help(metric.help)
                          .Register(state_->registry)
                          .Add(labels, metric.buckets));
}

void Metrics::clear_gauges(const Metric &metric) {
    std::lock_guard lock(state_->mutex);
    for (auto *gauge : state_->gauges[metric.name]) gauge->Set(0);
}

std::string Metrics::text() const {
    return pm::TextSerializer().Serialize(state_->registry.Collect()) + process_text();
}

}  // namespace berth::report
