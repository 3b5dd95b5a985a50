// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "report/log.h"

#include "catch.h"

using namespace berth::report;

TEST_CASE("report: columns are aligned, numbers to the right, without blanks at the end", "[report]") {
    Table table({"NAME", ">PODS", "SAYS"});
    table.add({"a", "7", ""});
    table.add({"long-name", "1,200", "yes"});
    CHECK(table.text(2) ==
          "  NAME        PODS  SAYS\n"
          "  a              7\n"
          "  long-name  1,200  yes\n");
}

TEST_CASE("report: wide characters take two columns", "[report]") {
    CHECK(display_width("POD数量超过") == 3 + 8);
    CHECK(display_width("é") == 1);
    CHECK(display_width("e\xcc\x81") == 1);
    CHECK(display_width("\xff\xff") == 2);
    Table table({"A", "B"});
    table.add({"数量", "x"});
    CHECK(table.text() == "A     B\n数量  x\n");
}

TEST_CASE("report: what a plugin says cannot steer the terminal", "[report]") {
    CHECK(printable("two\nlines\x1b[31m é") == "two lines [31m é");
}

TEST_CASE("report: numbers as people write them", "[report]") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(12345678) == "12,345,678");
    CHECK(bytes_text(0) == "0");
    CHECK(bytes_text(1536) == "1.5Ki");
    CHECK(bytes_text(16LL << 30) == "16Gi");
    CHECK(cpu_text(32000) == "32");
    CHECK(cpu_text(1500) == "1.5");
    CHECK(cpu_text(250) == "0.25");
    CHECK(cpu_text(80412345) == "80,412");
    CHECK(percent(1, 3) == "33%");
    CHECK(percent(1, 0) == "-");
}

TEST_CASE("report: a log line quotes its message and its values", "[report]") {
    CHECK(klog_text("Attempting to schedule pod", {{"pod", "default/test"}}) ==
          "\"Attempting to schedule pod\" pod=\"default/test\"");
    CHECK(klog_text("say \"hi\"\n", {}) == "\"say \\\"hi\\\"\\n\"");
    CHECK(one_line("PreFilter: test\nE1117") == "PreFilter: test\\nE1117");
}
