// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods and nodes for tests, written as YAML.

#include "catch.h"
#include "decode/document.h"
#include "model/any_object.h"
#include "model/node.h"

#include <string>
#include <vector>

namespace berth {

inline model::TreePtr tree_of(std::string_view yaml) {
    auto document = decode::read_document(yaml, "test.yaml");
    if (!document) FAIL(document.error().text);
    return document->tree;
}

/// Fails the test unless there are no faults.
inline void no_faults(model::Value, std::string path, std::string text) { FAIL(path << ": " << text); }

inline model::PodPtr pod_of(std::string_view yaml) { return model::read_pod(tree_of(yaml), no_faults); }
inline model::NodePtr node_of(std::string_view yaml) { return model::read_node(tree_of(yaml), no_faults); }

inline model::AnyPtr any_object(const model::Kind &kind, std::string_view yaml) {
    return model::read_object(tree_of(yaml), kind, no_faults);
}

/// The faults of an object that must have some, as "path: text".
template <class Read>
std::vector<std::string> faults_of(Read read, std::string_view yaml) {
    std::vector<std::string> faults;
    auto object = read(tree_of(yaml), [&](model::Value, const std::string &path, const std::string &text) {
        faults.push_back(path + ": " + text);
    });
    CHECK(object == nullptr);
    return faults;
}

}  // namespace berth
