// SPDX-License-Identifier: Apache-2.0
// The main function of `berth`.
#include "cli/command_line.h"
#include "live/crash_record.h"

int main(int argc, char **argv) {
    const int code = berth::cli::run(argc, argv);
    berth::live::ends_in_order();
    return code;
}
