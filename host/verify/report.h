// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The test results of `berth plugin verify`: text, JSON and JUnit.

#include "verify/runner.h"

#include <string>

namespace berth::verify {

/// One line for a test that passed; for one that failed, what was expected, what happened, where, and how to repeat it.
std::string line(const Result &result);
/// What was called how often, and what never; a paragraph for each plugin.
std::string coverage(const Report &report);
std::string summary(const Report &report);
std::string to_json(const Report &report);
/// As JUnit's readers take it: a suite per file, a class per plugin.
std::string to_junit(const Report &report);

}  // namespace berth::verify
