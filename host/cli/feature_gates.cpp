// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_gates.h"

#include "cli/exit_codes.h"
#include "report/table.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace berth::cli {
namespace {

void add(CLI::App &app, const char *name, std::vector<std::string> &into, const char *type, const char *help) {
    app.add_option(name, into, help)->type_name(type)->allow_extra_args(false);
}

const char *treatment_of(const config::FeatureGate &gate) {
    if (gate.locked) return "locked";
    switch (gate.treatment) {
        case config::GateTreatment::Honoured: return "honoured";
        case config::GateTreatment::Ignored: return "ignored";
        case config::GateTreatment::Fixed: break;
    }
    return gate.on == gate.usual ? "fixed" : "refused";
}

const char *text_of(bool value) { return value ? "true" : "false"; }

}  // namespace

void add_gates(CLI::App &app, const char *name, std::vector<std::string> &into, const char *help) {
    add(app, name, into, "GATE=BOOL,...", help);
}

void add_gates(CLI::App &app, config::GateFlags &into) {
    add_gates(app, "--feature-gates", into.gates,
              "kube-scheduler's feature gates (berth version --feature-gates lists them)");
    add(app, "--emulated-version", into.emulated, "VERSION", "Version of Kubernetes whose defaults feature gates have");
    add(app, "--min-compatibility-version", into.compatible, "VERSION",
        "Oldest version of the other components, which decides about defaults of feature gates");
}

std::vector<live::IdleFlag> idle_gates(const config::FeatureGates &gates) {
    std::vector<live::IdleFlag> out;
    for (const auto &gate : gates.without_effect())
        out.push_back({"--feature-gates", gate.name + "=" + text_of(gate.on), gate.why});
    return out;
}

int print_gates(const config::GateFlags &flags, config::Release release) {
    const auto gates = config::FeatureGates::read(flags, release);
    if (!gates) return refuse(gates.error().text);
    report::Table table({"GATE", "VALUE", "DEFAULT", "STAGE", "BERTH", "WHY"});
    for (const auto &gate : gates->all())
        table.add({gate.name, text_of(gate.on), text_of(gate.by_default), gate.stage, treatment_of(gate),
                   gate.locked ? "" : gate.why});
    std::cout << table.text();
    return done;
}

}  // namespace berth::cli
