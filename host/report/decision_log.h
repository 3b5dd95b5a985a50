// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The decision log (`--decisions`): one JSON object a line (docs/decision-record.md).

#include "model/decision.h"
#include "model/result.h"

#include <fstream>
#include <memory>
#include <ostream>
#include <string>

namespace berth::report {

class DecisionLog {
    std::ofstream file_;
    std::ostream *out_ = nullptr;
    std::string path_;
    model::Detail detail_ = model::Detail::Summary;

public:
    /// Opens `path` ("-": standard output) for writing, replacing what is there. An empty path: no log is written.
    model::Result<void> open(const std::string &path, model::Detail detail);
    bool is_open() const { return out_ != nullptr; }
    model::Detail detail() const { return detail_; }
    void write(const model::Decision &decision);
    void write(const model::DecisionEvent &event);
    /// Everything has reached the file, or why not.
    model::Result<void> finish();
};

}  // namespace berth::report
