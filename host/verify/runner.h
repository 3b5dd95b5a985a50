// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The runner of tests, each in a process of its own. That is this program once more, with the name of the test.

#include "verify/coverage.h"
#include "verify/test.h"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace berth::verify {

struct Order {
    std::string file, plugin;             ///< no plugin: all of the library
    std::vector<std::string> only{};      ///< names of tests or of groups; none: all
    std::vector<std::string> accepted{};  ///< TEST or TEST#PLUGIN: a finding there is no failure
    std::uint64_t seed = 1;
    std::chrono::seconds patience{60};  ///< with one test
    std::size_t at_once = 1;
    std::vector<std::string> arguments{};              ///< for the processes, beside what the runner says
    std::map<std::string, std::string> environment{};  ///< of the processes; none: no sanitizer watches
    std::string program{};                             ///< as a person would call it, in what repeats a test
};

/// How one test ended.
struct Result {
    std::string test, plugin;  ///< no plugin: the library as a whole
    std::uint64_t seed = 0;
    Found found{};          ///< none: it passed
    bool accepted = false;  ///< what is found is known, and no failure
    double seconds = 0;
    std::string repeat{};  ///< the command that runs this one again
};

/// What all tests of a plugin reached.
struct Reached {
    std::string plugin;
    std::vector<std::string_view> points{};  ///< that it has, in a pod's order
    Coverage coverage{};
};

struct Report {
    std::string file;
    std::uint64_t seed = 0;
    std::vector<Result> results{};
    std::vector<Reached> reached{};  ///< none if single tests were ordered
    std::string left_out{};          ///< why tests were not run; empty: all were

    std::size_t failed() const;
    /// What was found and is accepted.
    std::size_t known() const;
};

/// Calls `each` with every result in the order of the list, as soon as it and the previous ones are there. The error is
/// an order that nothing answers to.
model::Result<Report> run(const Order &order, const std::function<void(const Result &)> &each);

/// The other side: runs one test in this process, and says on `output` how it ended. Standard output is for what
/// plugins print.
int run_here(const Test &test, Run &run, int output);
/// Lets a process that goes on longer than that end as a crash does, so that it says where it is.
void end_after(std::chrono::seconds patience);

}  // namespace berth::verify
