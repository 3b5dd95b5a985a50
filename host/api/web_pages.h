// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The dashboard's pages, under /ui (docs/dashboard.md). They hold nothing of the cluster: what they show they ask for.

#include "kube/served.h"
#include "model/result.h"

#include <string>

namespace berth::api {

struct WebOptions {
    bool on = false;
    std::string directory;  ///< pages from there, as they are now; empty: those in the program
};

/// The error is that of a directory without pages.
model::Result<void> check(const WebOptions &options);
/// Before the server starts.
void add_web_pages(kube::Routes &routes, const WebOptions &options);

}  // namespace berth::api
