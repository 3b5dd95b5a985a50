// SPDX-License-Identifier: Apache-2.0
#include "cli/upgrade.h"

#include "cli/exit_codes.h"
#include "decode/write.h"
#include "live/watchdog.h"
#include "offline/upgrade_preview.h"
#include "report/log.h"

#include <iostream>

namespace berth::cli {

int upgrade(const offline::UpgradeOptions &options) {
    using Format = offline::UpgradeOptions::Format;
    report::KlogLog log(0);
    const live::Watchdog watchdog(log);
    const auto preview = offline::preview_upgrade(options, warn);
    if (!preview) return refuse(preview.error().text);
    if (options.format == Format::Table) {
        std::cout << report::to_text(*preview, options.all);
    } else {
        const auto tree = report::to_tree(*preview);
        std::cout << (options.format == Format::Json ? decode::to_json(tree->value(), 2) + "\n"
                                                     : decode::to_yaml(tree->value()));
    }
    std::cout.flush();
    if (!std::cout) return refuse("the result could not be written to the end of standard output; is the disk full?");
    return preview->differs() ? answer_is_no : done;
}

}  // namespace berth::cli
