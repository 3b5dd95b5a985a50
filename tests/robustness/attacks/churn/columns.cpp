// SPDX-License-Identifier: Apache-2.0
// Pods that name thousands of resources, labels and topology keys which no node has come to a cluster, stay a while and
// go, twice, with other names: everything of `berth run` but the network, beside an API server in the same process.
// Prints what a usual pod costs, of CPU time, and the memory in use, before, while they are there, and after; fails if
// memory grew by more than so many per cent while they were there, or after, or the CPU time by more than so many.
//
//     berth_host_columns NODES PLACED-PODS POISON-PODS NAMES MEMORY-WITH MEMORY-AFTER CPU
#include "beside.h"
#include "poison.h"

#include <malloc.h>
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace churn;

struct Size {
    std::uint64_t nodes = 1'000, placed = 10'000, poisons = 8, names = 2'000, memory_with = 60, memory_after = 10,
                  cpu = 50;
};

double cpu_us() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}
double in_use_mib() {
    const auto heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd) / (1024.0 * 1024.0);
}

/// What is measured before, while and after. The least CPU time of the rounds: other programs only add to it.
struct Phase {
    const char *name;
    double pod_us = 1e300, most_us = 0, mib = 0;

    void round(double us) {
        pod_us = std::min(pod_us, us);
        most_us = std::max(most_us, us);
    }
    void print() const {
        if (most_us == 0) return void(std::printf("%-6s was not reached\n", name));
        std::printf("%-6s %8.1f us of CPU a pod (at most %.1f), %8.2f MiB in use\n", name, pod_us, most_us, mib);
        std::fflush(stdout);
    }
};

class Siege {
    static constexpr std::uint64_t pods = 1'000, rounds = 6, waves = 2;
    static constexpr std::int64_t soon_ns = 1'000'000, settle_ns = 300'000'000;

    Size size_;
    env::Loop &loop_;
    Server &server_;
    std::function<void()> scrape_;
    std::uint64_t next_usual_ = 0, waves_ = 0, rounds_ = 0;
    std::set<std::string> awaited_;  // names of pods
    std::vector<std::pair<std::uint64_t, std::string>> bound_;
    double begun_us_ = 0;
    std::function<void()> then_;
    Phase before_{"before"}, there_{"there"}, after_{"after"};

    void tell_pod(const char *type, const std::string &object) { server_.tell("/api/v1/pods", type, object); }
    void wait_for(std::function<void()> then) {
        then_ = std::move(then);
        if (awaited_.empty()) std::exchange(then_, {})();
    }
    void answered(std::string_view path) {
        awaited_.erase(std::string(path.substr(path.rfind('/') + 1)));
        if (awaited_.empty() && then_) std::exchange(then_, {})();
    }
    void bound(std::string_view path, const std::string &body) {
        const std::string name(path.substr(path.rfind('/') + 1));
        auto node = body.substr(body.find("\"node-") + 1);
        node.resize(node.find('"'));
        const auto n = std::strtoull(name.c_str() + name.rfind('-') + 1, nullptr, 10);
        if (name.starts_with("poison-"))
            tell_pod("MODIFIED", Poison{n, size_.names}.json(server_.next_version(), node));
        else {
            tell_pod("MODIFIED", usual_pod(n, server_.next_version(), node));
            bound_.emplace_back(n, node);
        }
        answered(path);
    }

    /// Usual pods come, get nodes and go, `rounds` times.
    void measure(Phase &phase, std::function<void()> then) {
        rounds_ = 0;
        round(phase, std::move(then));
    }
    void round(Phase &phase, std::function<void()> then) {
        begun_us_ = cpu_us();
        for (std::uint64_t i = 0; i < pods; ++i, ++next_usual_) {
            awaited_.insert("usual-" + text(next_usual_));
            tell_pod("ADDED", usual_pod(next_usual_, server_.next_version(), ""));
        }
        wait_for([this, &phase, then = std::move(then)]() mutable {
            phase.round((cpu_us() - begun_us_) / static_cast<double>(pods));
            for (const auto &[n, node] : bound_) tell_pod("DELETED", usual_pod(n, server_.next_version(), node));
            bound_.clear();
            scrape_();
            loop_.after(settle_ns, [this, &phase, then = std::move(then)]() mutable {
                if (++rounds_ < rounds) return round(phase, std::move(then));
                phase.mib = std::max(phase.mib, in_use_mib());
                then();
            });
        });
    }

    void poison() {
        const auto first = waves_ * size_.poisons;
        for (auto n = first; n < first + size_.poisons; ++n) {
            const Poison one{n, size_.names};
            awaited_.insert(one.name());
            tell_pod("ADDED", one.json(server_.next_version(), ""));
        }
        wait_for([this, first] {
            measure(there_, [this, first] {
                for (auto n = first; n < first + size_.poisons; ++n)
                    tell_pod("DELETED", Poison{n, 0}.json(server_.next_version(), ""));
                ++waves_;
                measure(after_, [this] { waves_ < waves ? poison() : loop_.stop(); });
            });
        });
    }

    /// Whether it has grown by no more than so many per cent.
    static bool within(const char *phase, const char *what, double before, double now, std::uint64_t percent) {
        const auto grown = (now / before - 1) * 100;
        if (grown <= static_cast<double>(percent)) return true;
        std::printf("%s them, %s has grown by %.1f %%, more than %llu %%\n", phase, what, grown,
                    static_cast<unsigned long long>(percent));
        return false;
    }

public:
    Siege(Size size, env::Loop &loop, Server &server, std::function<void()> scrape)
        : size_(size), loop_(loop), server_(server), scrape_(std::move(scrape)) {
        server_.on_binding = [this](std::string_view pod, const std::string &body) { bound(pod, body); };
        server_.on_status = [this](std::string_view pod) { answered(pod); };
    }
    void begin() {
        if (!server_.watched("/api/v1/pods")) return loop_.after(soon_ns, [this] { begin(); });
        for (std::uint64_t i = 0; i < size_.nodes; ++i)
            server_.tell("/api/v1/nodes", "ADDED", usual_node(i, server_.next_version()));
        for (; next_usual_ < size_.placed; ++next_usual_)
            tell_pod("ADDED",
                     usual_pod(next_usual_, server_.next_version(), "node-" + text(next_usual_ % size_.nodes)));
        // The first rounds are not counted: what is kept of decisions and events fills up.
        loop_.after(settle_ns, [this] {
            measure(before_, [this] {
                before_ = {"before"};
                measure(before_, [this] { poison(); });
            });
        });
    }
    bool judge(int errors) const {
        for (const auto *phase : {&before_, &there_, &after_}) phase->print();
        bool ok = errors == 0;
        if (after_.most_us == 0) return false;
        for (const auto *phase : {&there_, &after_}) {
            const auto *when = phase == &there_ ? "with" : "after";
            const auto percent = phase == &there_ ? size_.memory_with : size_.memory_after;
            ok = within(when, "memory", before_.mib, phase->mib, percent) && ok;
            ok = within(when, "a usual pod's CPU time", before_.pod_us, phase->pod_us, size_.cpu) && ok;
        }
        if (errors) std::printf("%d errors\n", errors);
        std::printf(
            "%llu pods that name %llu things each: memory %.0f MiB before, %.0f with them, %.0f after; CPU of a usual "
            "pod "
            "%.0f us, %.0f, %.0f\n",
            static_cast<unsigned long long>(size_.poisons), static_cast<unsigned long long>(size_.names), before_.mib,
            there_.mib, after_.mib, before_.pod_us, there_.pod_us, after_.pod_us);
        return ok;
    }
};

}  // namespace

int main(int argc, char **argv) {
    Size size;
    std::uint64_t *const numbers[] = {&size.nodes,       &size.placed,       &size.poisons, &size.names,
                                      &size.memory_with, &size.memory_after, &size.cpu};
    for (int i = 1; i < argc && i <= 7; ++i) *numbers[i - 1] = std::strtoull(argv[i], nullptr, 10);
    std::optional<Siege> siege;
    const auto errors = run_beside([&](env::Loop &loop, Server &server, std::function<void()> scrape) {
        siege.emplace(size, loop, server, std::move(scrape));
        loop.post([&] { siege->begin(); });
    });
    return !errors ? 2 : siege->judge(*errors) ? 0 : 1;
}
