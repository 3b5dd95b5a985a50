// SPDX-License-Identifier: Apache-2.0
#include "report/decision_log.h"

#include "decode/write.h"
#include "env/private_file.h"

#include <iostream>

namespace berth::report {

model::Result<void> DecisionLog::open(const std::string &path, model::Detail detail) {
    detail_ = detail;
    path_ = path;
    if (path.empty()) return {};
    if (path == "-") {
        out_ = &std::cout;
        return {};
    }
    auto file = env::open_private(path);
    if (!file) return model::Error{path + ": cannot be written: " + file.error().text};
    file_ = *std::move(file);
    out_ = &file_;
    return {};
}

void DecisionLog::write(const model::Decision &decision) {
    if (!out_) return;
    model::Arena arena;
    auto value = model::to_value(arena, decision, detail_);
    *out_ << decode::to_json(model::Value{&value}) << '\n';
}

void DecisionLog::write(const model::DecisionEvent &event) {
    if (!out_ || detail_ != model::Detail::Events) return;
    model::Arena arena;
    auto value = model::to_value(arena, event);
    *out_ << decode::to_json(model::Value{&value}) << '\n';
}

model::Result<void> DecisionLog::finish() {
    if (!out_) return {};
    out_->flush();
    if (!*out_) return model::Error{path_ + ": could not be written to the end; is the disk full?"};
    return {};
}

}  // namespace berth::report
