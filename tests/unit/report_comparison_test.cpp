// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.h"

#include "catch.h"
#include "decode/write.h"

using namespace berth;

namespace {

report::Compared with_devices(const std::string &name, const std::vector<report::DeviceUse> &uses) {
    report::Simulation s;
    s.devices = uses;
    return report::compared(name, s);
}

}  // namespace

TEST_CASE("report: a comparison counts the allocated devices of each model, under each configuration", "[report]") {
    const auto spread = with_devices(
        "spread.yaml", {{"n1", "gpu", "H100", 8, 5, 3}, {"n2", "gpu", "H100", 8, 4, 4}, {"", "fpga", "", 2, 1, 1}});
    const auto pack = with_devices("pack.yaml", {{"n1", "gpu", "H100", 8, 8, 0}, {"n2", "gpu", "H100", 8, 6, 2}});
    const auto none = with_devices("none.yaml", {});
    const auto text = report::to_text({spread, pack, none});
    INFO(text);
    CHECK(text.find("\nallocated fpga                           1 of 2          -          -\n") != text.npos);
    CHECK(text.find("\nallocated gpu H100                      9 of 16   14 of 16          -\n") != text.npos);
    CHECK(report::to_text({none, none}).find("allocated") == text.npos);

    const auto tree = report::to_tree({spread, none});
    const auto list = tree->value()["configurations"];
    CHECK(decode::to_json(list.at(0)["outcome"]["devices"]) ==
          R"([{"driver":"fpga","devices":2,"allocated":1,"free":1,"nodes":0},)"
          R"({"driver":"gpu","model":"H100","devices":16,"allocated":9,"free":7,"nodes":2}])");
    CHECK(!list.at(1)["outcome"]["devices"]);
}

TEST_CASE("report: names of devices in a comparison have no terminal codes", "[report]") {
    const auto text = report::to_text({with_devices("a.yaml", {{"n", "d\x1b[31m", "m\n", 1, 0, 1}})});
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find("0 of 1\n") != text.npos);
    CHECK(text.find("m\n ") == text.npos);
}
