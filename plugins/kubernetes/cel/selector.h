// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The compiler and evaluator of CEL selectors for devices, in DeviceClasses and ResourceClaims. As Kubernetes 1.36
/// uses it (k8s.io/dynamic-resource-allocation/cel with cel-go 0.26.0), or 1.37 as far as `Rules` goes. README.md lists
/// what is not supported.

#include "device.h"
#include "rules.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kubernetes::cel {

class Program;  ///< a compiled selector; threads may share it
struct DeviceValues;

/// A device made ready for selectors, once for all of them. Keeps no reference to the Device.
class Input {
    std::shared_ptr<const DeviceValues> values_;

public:
    explicit Input(const Device &device);
    const DeviceValues &values() const { return *values_; }
};

struct Compiled {
    std::shared_ptr<const Program> program;  ///< nullptr if the text is not a selector
    std::string error;                       ///< upstream's, such as "compilation failed: ERROR: <input>:1:1: ..."
    std::size_t bytes = 0;                   ///< of memory that the program takes, at most
};

/// Time and memory are bounded whatever `text` is.
Compiled compile(std::string_view text, Rules rules = Rules(false));

struct Result {
    bool matches = false;
    std::string error;       ///< if not empty, the evaluation failed and `matches` means nothing
    std::uint64_t cost = 0;  ///< in upstream's units; at most a little more than the limit of 1,000,000
    std::uint64_t work = 0;  ///< in the units of work.h
};

/// Time and memory are bounded.
Result evaluate(const Program &program, const Input &device);

}  // namespace kubernetes::cel
