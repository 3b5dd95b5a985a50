// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include "catch.h"
#include "report/comparison.h"

using namespace berth::report;

namespace {

bool has(const std::string &text, const std::string &piece) { return text.find(piece) != std::string::npos; }

Plot shares() {
    return {"A <title> & more",
            "attempts",
            Unit::Count,
            {"a.yaml", "b\"c.yaml"},
            {{"cpu", Unit::Share, {{{0, 0}, {10, 0.5}, {20, 0.75}}, {{0, 0.25}}}}}};
}

}  // namespace

TEST_CASE("plot: a line goes in steps, an axis has its unit, a name cannot break the file", "[report]") {
    const auto svg = to_svg(shares());
    INFO(svg);
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 "));
    CHECK(has(svg, "A &lt;title> &amp; more"));
    CHECK(has(svg, "b&quot;c.yaml"));
    CHECK(has(svg, ">80 %</text>"));
    CHECK(!has(svg, ">100 %</text>"));
    CHECK(has(svg, ">20</text>"));
    CHECK(has(svg, ">attempts</text>"));
    CHECK(has(svg, "d=\"M64 209.1h400\""));
    // From the left edge; the values are kept until they change: up to half of 400 for 10 of 20.
    CHECK(has(svg, "d=\"M64 256h200v-93.7h200v-46.9\""));
    CHECK(has(svg, "prefers-color-scheme:dark"));
    CHECK(!has(svg, "http://www.w3.org/1999"));  // nothing from elsewhere
    const auto html = to_html(shares());
    CHECK(html.starts_with("<!DOCTYPE html>"));
    CHECK(has(html, svg));
}

TEST_CASE("plot: a name may be any bytes, the file is well-formed", "[report]") {
    auto plot = shares();
    plot.names[0] = "a\x01\xff\xc3(\xED\xA0\x80\xEF\xBF\xBF\xC3\xA9<";
    plot.title = plot.names[0];
    const auto svg = to_svg(plot);
    INFO(svg);
    const std::string no = "\xEF\xBF\xBD";
    CHECK(has(svg, "<title>a\\u0001" + no + no + "(" + no + no + no + no + "\xC3\xA9&lt;</title>"));
    for (const char *bad : {"\x01", "\xff", "\xc3(", "\xED\xA0", "\xEF\xBF\xBF"}) CHECK(!has(svg, bad));
}

TEST_CASE("plot: time has the unit that suits it", "[report]") {
    auto plot = shares();
    plot.x_unit = Unit::Seconds;
    for (const auto &[end, label] : std::vector<std::pair<double, std::string>>{
             {20, ">20 s</text>"}, {600, ">10 min</text>"}, {36'000, ">10 h</text>"}, {864'000, ">10 d</text>"}}) {
        plot.panels[0].lines[0].back().first = end;
        INFO(label);
        CHECK(has(to_svg(plot), label));
    }
}

TEST_CASE("plot: of many points on one pixel the last counts", "[report]") {
    auto plot = shares();
    auto &line = plot.panels[0].lines[0];
    line.clear();
    for (int i = 0; i <= 1'000'000; ++i) line.emplace_back(i, i == 1'000'000 ? 0.5 : i == 1'250 ? 0.7 : 0.25);
    const auto svg = to_svg(plot);
    INFO(svg);
    CHECK(svg.size() < 40'000);
    CHECK(has(svg, "M64 209.1h400v-46.8\""));  // the axis goes up to 0.8
}

TEST_CASE("plot: points on logarithmic axes, which span ten times at least", "[report]") {
    Plot plot{"Growth", "nodes", Unit::Count, {"a"}, {{"MiB", Unit::Amount, {{{1'000, 30}, {100'000, 2'000}}}}}};
    plot.shape = Shape::Points;
    plot.logarithmic = true;
    plot.panels.push_back({"µs", Unit::Amount, {{{1'000, 0.5}, {100'000, 0.4}}}});
    const auto svg = to_svg(plot);
    INFO(svg);
    CHECK(has(svg, "x=\"64\" y=\"273\" class=\"middle\">1,000</text>"));
    CHECK(has(svg, "x=\"264\" y=\"273\" class=\"middle\">10,000</text>"));
    CHECK(has(svg, "x=\"464\" y=\"273\" class=\"middle\">100,000</text>"));
    CHECK(has(svg, "y=\"260\" class=\"end\">20</text>"));
    CHECK(has(svg, "y=\"110\" class=\"end\">2,000</text>"));
    CHECK(has(svg, "\"line s0 d0\" d=\"M64 242.8L464 106\""));  // 30 is an eleventh of the way from 20 to 2,000
    CHECK(has(svg, "d=\"M64 242.8h0M464 106h0\""));
    // From 0.02 on, not from 0.4.
    CHECK(has(svg, "y=\"260\" class=\"end\">0.05</text>"));
    CHECK(has(svg, "y=\"110\" class=\"end\">0.5</text>"));
}

TEST_CASE("plot: bars in groups, of which one may lack some", "[report]") {
    Plot plot{
        "Bench", "", Unit::Count, {"a", "b"}, {{"pods/s", Unit::Amount, {{{0, 400}, {1, 20'000}}, {{1, 5'000}}}}}};
    plot.shape = Shape::Bars;
    plot.groups = {"One <", "Two"};
    const auto svg = to_svg(plot);
    INFO(svg);
    // Groups are 200 wide, of which 160 are two bars; 20,000 is the whole height of 150.
    CHECK(has(svg, "<rect class=\"s0 bar\" x=\"84\" y=\"253\" width=\"80\" height=\"3\"/>"));
    CHECK(has(svg, "<rect class=\"s0 bar\" x=\"284\" y=\"106\" width=\"80\" height=\"150\"/>"));
    CHECK(has(svg, "<rect class=\"s1 bar\" x=\"364\" y=\"218.5\" width=\"80\" height=\"37.5\"/>"));
    CHECK(has(svg, ">20,000</text>"));
    CHECK(has(svg, ">1  One &lt;</text>"));
    CHECK(has(svg, "x=\"164\" y=\"273\" class=\"middle\">1</text>"));
    CHECK(has(svg, "x=\"364\" y=\"273\" class=\"middle\">2</text>"));
}

TEST_CASE("plot: time passes in scenarios alone, and resources that one asks for have a panel", "[report]") {
    Curves a{"a",
             {"cpu", "memory"},
             {{0, 0, 3, 0, {{0, 8, 1}, {0, 4, 0}}}, {2'000'000'000, 5, 1, 2, {{4, 8, 2}, {0, 4, 0}}}}};
    Curves b{"b", {"cpu", "memory", "gpu"}, {{0, 0, 3, 0, {{0, 8, 0}, {0, 4, 0}, {1, 2, 1}}}}};
    const auto cluster = plot_of({a, b}, ""), scenario = plot_of({a, b}, "drain");
    CHECK(cluster.x_unit == Unit::Count);
    CHECK(cluster.panels[0].lines[0].back() == std::pair{5.0, 0.5});
    CHECK(cluster.panels[1].lines[0].back() == std::pair{5.0, 0.25});
    CHECK(scenario.x_unit == Unit::Seconds);
    CHECK(scenario.title == "Scenario drain");
    CHECK(scenario.panels[0].lines[0].back() == std::pair{2.0, 0.5});
    REQUIRE(scenario.panels.size() == 8);
    CHECK(scenario.panels[4].title == "gpu: requested / allocatable");
    CHECK(scenario.panels[4].lines[0].back().second == 0);
    CHECK(scenario.panels[4].lines[1].back().second == 0.5);
    CHECK(scenario.panels[6].lines[0].back() == std::pair{2.0, 1.0});
    CHECK(scenario.panels[7].lines[0].back() == std::pair{2.0, 2.0});
    CHECK(plot_of({b}, "drain").x_unit == Unit::Count);
}

TEST_CASE("comparison: a column for each, and only what somebody asks for", "[report]") {
    Compared a{"a.yaml", {"gpu"}, {}, 0, 0}, b{"b.yaml", {}, {}, 0, 0};
    a.summary.scheduled = 1200;
    a.summary.resources = {{"cpu", 500, 1000, {}}, {"gpu", 1, 4, {}}, {"other", 1, 4, {}}};
    a.summary.node_of = {{"x/a", "n1"}, {"x/b", "n1"}, {"x/c", "n1"}};
    b.summary.nodes_in_use = 2;
    b.summary.pending = 3;
    b.summary.evicted = 1;
    b.summary.resources = {{"cpu", 0, 1000, {}}};
    b.summary.node_of = {{"x/a", "n1"}, {"x/b", "n2"}, {"x/d", "n2"}};
    CHECK(to_text({a, b}) ==
          "CONFIGURATION                       a.yaml  b.yaml\n"
          "pods placed                          1,200       0\n"
          "pods pending                             0       3\n"
          "pods preempted or evicted                0       1\n"
          "placed elsewhere than by the first       -       3\n"
          "nodes in use                             0       2\n"
          "use of cpu                             50%      0%\n"
          "use of memory                            -       -\n"
          "use of gpu                             25%       -\n");
    b.expected = 3;
    b.held = 2;
    a.kubernetes_version = b.kubernetes_version = "1.37";
    CHECK(has(to_text({a, b}), "expectations that hold              0 of 0  2 of 3\n"));
    const auto tree = to_tree({a, b});
    const auto of = tree->value()["configurations"].at(1);
    CHECK(tree->value()["kind"].string() == "SimulationComparison");
    CHECK(tree->value()["kubernetesVersion"].string() == "1.37");
    CHECK(of["name"].string() == "b.yaml");
    CHECK(of["differing"].integer() == 3);
    CHECK(of["held"].integer() == 2);
    CHECK(of["outcome"]["nodesInUse"].integer() == 2);
}
