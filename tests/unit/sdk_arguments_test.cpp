// SPDX-License-Identifier: Apache-2.0
// The reader of arguments of the C++ wrapper, and the arguments in a constructor.
#include <berth/args.hpp>

#include "object_text.h"

#include <cmath>
#include <functional>

using namespace berth;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> faults;

const berth_host &fake_host() {
    static const berth_host_sinks sinks = [] {
        berth_host_sinks out{};
        out.struct_size = sizeof out;
        out.add_error = [](const berth_host *, berth_error_sink *, berth_str path, berth_str text) {
            faults.push_back(std::string(view(path)) + ": " + std::string(view(text)));
        };
        return out;
    }();
    static const berth_host host = [] {
        berth_host out{};
        out.struct_size = sizeof out;
        out.get_service = [](const berth_host *, berth_str id) -> const void * {
            return view(id) == BERTH_HOST_SINKS_V1 ? &sinks : nullptr;
        };
        return out;
    }();
    return host;
}

/// The defaulted arguments; what is wrong with them is in `faults`.
std::string defaulted(const std::string &yaml, const std::function<void(ArgsReader &)> &read) {
    const auto tree = tree_of(yaml);
    faults.clear();
    ArgsReader reader(tree->value(), ErrorSink{&fake_host(), nullptr});
    read(reader);
    return reader.finish();
}

std::string thrown(const std::string &yaml, const std::function<void(const Args &)> &read) {
    const auto tree = tree_of(yaml);
    try {
        read(Args(tree->value()));
    } catch (const std::invalid_argument &e) {
        return e.what();
    }
    return "";
}

using Faults = std::vector<std::string>;

}  // namespace

TEST_CASE("sdk: fractions, quantities and durations among the arguments", "[sdk]") {
    auto read = [](ArgsReader &args) {
        CHECK((args.number("share", 0.25, 0, 1) >= 0 || !faults.empty()));
        args.quantity("room", "2Gi");
        args.duration("wait", "1m30s", 1s);
    };
    CHECK(defaulted("{}", read) == R"({"share":0.25,"room":"2Gi","wait":"1m30s"})");
    CHECK(defaulted("{share: 1, room: 500m, wait: 2s}", read) == R"({"share":1,"room":"500m","wait":"2s"})");
    CHECK(defaulted("{room: 3}", read) == R"({"share":0.25,"room":3,"wait":"1m30s"})");
    CHECK(faults.empty());
    defaulted("{share: 1.5, room: much, wait: 10ms}", read);
    CHECK(faults == Faults{"share: must be from 0 to 1, got 1.5",
                           "room: expected a quantity such as 500m or 2Gi, got "
                           "\"much\"",
                           "wait: must be 1000ms or more, got 10ms"});
    defaulted("{share: half, room: [1], wait: 3}", read);
    CHECK(faults == Faults{"share: expected a number, got \"half\"",
                           "room: expected a quantity such as 500m or 2Gi, got a list",
                           "wait: expected a duration such as 90s or 1h30m, got a number"});
    CHECK(defaulted("{}", [](ArgsReader &args) { args.number("most", INFINITY, 0, INFINITY); }) == R"({"most":null})");
    CHECK(defaulted("{n: 100000}", [](ArgsReader &args) { args.number("n", 0, 0, 1e6); }) == R"({"n":100000})");
    CHECK(defaulted("{}", [](ArgsReader &args) { args.number("n", 1e6, 0, 1e6); }) == R"({"n":1000000})");

    const auto tree = tree_of("{share: 1, room: 500m, wait: 2s}"), empty = tree_of("{}");
    const Args args(tree->value()), none(empty->value());
    CHECK(args.number("share", 0) == 1.0);
    CHECK(args.quantity("room", "0").milli_value() == 500);
    CHECK(args.duration("wait", "0") == 2s);
    CHECK(none.number("share", 0.5) == 0.5);
    CHECK(none.quantity("room", "2Ki").value() == 2048);
    CHECK(none.duration("wait", "90s") == 90s);
    CHECK(thrown("{room: much}", [](const Args &a) { (void)a.quantity("room", "0"); }) ==
          "room: expected a quantity such as 500m or 2Gi, got \"much\"");
    CHECK(thrown("{wait: 3}", [](const Args &a) { (void)a.duration("wait", "0"); }) ==
          "wait: expected a duration such as 90s or 1h30m, got a number");
}

TEST_CASE("sdk: objects among the arguments, one or a list, have defaults and faults with their paths", "[sdk]") {
    auto read = [](ArgsReader &args) {
        args.object("limits", [](ArgsReader &limits) {
            limits.integer("pods", 10, 1, 100);
            limits.object("cpu", [](ArgsReader &cpu) { cpu.quantity("most", "1"); });
        });
        args.objects("teams", [](ArgsReader &team) {
            team.string("name", "");
            team.number("weight", 1, 0, 10);
        });
    };
    CHECK(defaulted("{}", read) == R"({"limits":{"pods":10,"cpu":{"most":"1"}},"teams":[]})");
    CHECK(defaulted("{apiVersion: v1, limits: {pods: 3}, teams: [{name: a}, {weight: 0.5}]}", read) ==
          R"({"limits":{"pods":3,"cpu":{"most":"1"}},"teams":[{"name":"a","weight":1},{"name":"","weight":0.5}]})");
    CHECK(faults.empty());
    defaulted("{limits: {pods: 0, cpu: {most: x, least: 1}, kind: a}, teams: [{weight: 11}, 7], other: 1}", read);
    CHECK(faults == Faults{"limits.pods: must be from 1 to 100, got 0",
                           "limits.cpu.most: expected a quantity such as 500m or 2Gi, got \"x\"",
                           "limits.cpu.least: unknown field; the fields are most",
                           "limits.kind: unknown field; the fields are pods, cpu",
                           "teams[0].weight: must be from 0 to 10, got 11",
                           "teams[1]: expected an object, got a number",
                           "other: unknown field; the arguments are limits, teams"});
    defaulted("{'example.com/gpu': {pods: 0}}", [](ArgsReader &args) {
        args.object("example.com/gpu", [](ArgsReader &gpu) { gpu.integer("pods", 1, 1, 2); });
    });
    CHECK(faults == Faults{R"(["example.com/gpu"].pods: must be from 1 to 2, got 0)"});
    defaulted("{limits: [], teams: {}}", read);
    CHECK(faults ==
          Faults{"limits: expected an object, got a list", "teams: expected a list of objects, got an object"});

    const auto tree = tree_of("{limits: {cpu: {most: x}}, teams: [{name: a}, {name: 1}]}");
    const Args args(tree->value());
    CHECK(args.object("none").integer("pods", 4) == 4);
    CHECK(args.objects("none").empty());
    REQUIRE(args.objects("teams").size() == 2);
    CHECK(args.objects("teams")[0].string("name", "") == "a");
    CHECK(thrown("{limits: {cpu: {most: x}}}", [](const Args &a) {
              (void)a.object("limits").object("cpu").quantity("most", "1");
          }) == "limits.cpu.most: expected a quantity such as 500m or 2Gi, got \"x\"");
    CHECK(thrown("{teams: [{}, {name: 1}]}", [](const Args &a) { (void)a.objects("teams")[1].string("name", ""); }) ==
          "teams[1].name: expected a string, got a number");
    CHECK(thrown("{teams: [1]}", [](const Args &a) { (void)a.objects("teams"); }) ==
          "teams[0]: expected an object, got a number");
}
