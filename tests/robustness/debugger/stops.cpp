// SPDX-License-Identifier: Apache-2.0

/// A plugin that stops in Filter in the way that its arguments say; the script finds the lines by their comments.

#include <berth/plugin.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cstdlib>
#include <string>

namespace {

class Stops {
    std::string how_, ready_, go_;

    /// Says so to one pipe and waits for a byte of the other.
    __attribute__((noinline)) int wait() const {
        char byte = '\n';
        const int ready = ::open(ready_.c_str(), O_WRONLY | O_CLOEXEC), go = ::open(go_.c_str(), O_RDONLY | O_CLOEXEC);
        if (::write(ready, &byte, 1) != 1) return -1;
        return ::read(go, &byte, 1) == 1 ? 0 : -1;  // waits here
    }
    __attribute__((noinline)) static int recurse(volatile int *deeper) {
        volatile int here[1000] = {};
        here[0] = *deeper;
        return here[0] > 0 ? recurse(here) + here[1] : 0;
    }

public:
    static constexpr const char *description = "Stops where a test wants to look at it";

    explicit Stops(berth::Args args)
        : how_(args.string("how", "")), ready_(args.string("ready", "")), go_(args.string("go", "")) {
        // The debugger need not be an ancestor of this process.
        ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    }

    berth::Verdict filter(berth::Pod, berth::Node) const {
        volatile int deeper = 1;  // begins
        volatile int *volatile nothing = nullptr;
        int (*volatile nobody)() = nullptr;
        int result = 0;
        if (how_ == "waits") result += wait();    // calls the wait
        if (how_ == "writes") *nothing = 1;       // writes to nothing
        if (how_ == "calls") result += nobody();  // calls nobody
        if (how_ == "aborts") std::abort();       // aborts
        if (how_ == "recurses") result += recurse(&deeper);
        return result == 0 ? berth::ok : berth::error("there was nothing to wait for");
    }
};

}  // namespace

BERTH_PLUGIN(Stops, "Stops", "1.0.0")
