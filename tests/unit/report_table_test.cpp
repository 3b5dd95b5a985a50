// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "report/log.h"
#include "report/terminal_text.h"

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

// promise(tenant): Berth escapes control characters and bidirectional overrides in names and messages, in the log and
// in the output of every command, so that a terminal does not obey them.
TEST_CASE("report: what a plugin or a tenant says cannot steer the terminal", "[report]") {
    CHECK(printable("two\nlines\x1b[31m é") == "two lines\\u001b[31m é");
    CHECK(terminal_text("plain\n\ttext") == "plain\n\ttext");
    CHECK(terminal_text("\x1b]0;title\x07\x7f\r") == "\\u001b]0;title\\u0007\\u007f\\u000d");
    CHECK(terminal_text("\xc2\x9b"
                        "2J \xc2\xa0") == "\\u009b2J \xc2\xa0");
    CHECK(terminal_text("\xe2\x80\xae"
                        "txt.exe \xe2\x81\xa6 \xd8\x9c \xe2\x80\xa8 数量 \xf0\x9f\x9a\xa2") ==
          "\\u202etxt.exe \\u2066 \\u061c \\u2028 数量 \xf0\x9f\x9a\xa2");
    // No UTF-8: as some terminals take it, that is C1, too.
    CHECK(terminal_text("\x9b\x31mno\xff \xe2\x80") == "\\x9b1mno\\xff \\xe2\\x80");
    CHECK(terminal_text("\xe0\x82\x9b") == "\\u009b");  // longer than it need be
}

TEST_CASE("report: a text that comes in parts is shown as the whole", "[report]") {
    const std::string text = "a\xe2\x80\xae\xc2\x9b数\x1b\xff\xf0\x9f\x9a\xa2\n\xc3";
    for (std::size_t first = 0; first <= text.size(); ++first)
        for (std::size_t second = first; second <= text.size(); ++second) {
            TerminalText parts;
            std::string out;
            for (const auto &part : {text.substr(0, first), text.substr(first, second - first), text.substr(second)})
                parts.add(part, out);
            parts.end(out);
            CHECK(out == terminal_text(text));
        }
}

TEST_CASE("report: the log does not steer the terminal", "[report]") {
    CHECK(terminal_text(klog_text("said", {{"name", "a\x1b[2J\n"}})) == "\"said\" name=\"a\\u001b[2J\\n\"");
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
