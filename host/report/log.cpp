// SPDX-License-Identifier: Apache-2.0
#include "report/log.h"

#include "report/terminal_text.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

namespace berth::report {
namespace {

/// klog's severity letter, which is not the first of spdlog's names.
class SeverityLetter : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg &msg, const std::tm &, spdlog::memory_buf_t &out) override {
        char letter = msg.level >= spdlog::level::err ? 'E' : msg.level == spdlog::level::warn ? 'W' : 'I';
        out.push_back(letter);
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<SeverityLetter>(); }
};

/// file:line, or the name alone where there is no line.
class Place : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg &msg, const std::tm &, spdlog::memory_buf_t &out) override {
        std::string_view name = msg.source.filename ? msg.source.filename : "";
        if (msg.source.line > 0) name.remove_prefix(name.rfind('/') + 1);
        out.append(name.data(), name.data() + name.size());
        if (msg.source.line <= 0) return;
        auto line = ":" + std::to_string(msg.source.line);
        out.append(line.data(), line.data() + line.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Place>(); }
};

void append_quoted(std::string &out, std::string_view s) {
    out += '"';
    for (char c : s) {
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (c == '\n') out += "\\n";
        else out += c;
    }
    out += '"';
}

spdlog::level::level_enum level(env::Severity severity) {
    switch (severity) {
        case env::Severity::Error: return spdlog::level::err;
        case env::Severity::Warning: return spdlog::level::warn;
        default: return spdlog::level::info;
    }
}

}  // namespace

std::string klog_text(std::string_view message, const env::Log::Pairs &pairs) {
    std::string text;
    append_quoted(text, message);
    for (const auto &[key, value] : pairs) {
        text += ' ';
        text += key;
        text += '=';
        // Numbers stand bare, as in klog.
        if (!value.empty() && value.find_first_not_of("0123456789") == value.npos) text += value;
        else append_quoted(text, value);
    }
    return text;
}

std::string one_line(std::string_view text) {
    std::string out(text);
    for (auto at = out.find('\n'); at != out.npos; at = out.find('\n', at)) out.replace(at, 1, "\\n");
    return out;
}

KlogLog::KlogLog(int verbosity) : verbosity_(verbosity) {
    logger_ = std::make_shared<spdlog::logger>("berth", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    auto pid = std::to_string(::getpid());  // klog sets it to the right, seven wide
    pid.insert(0, pid.size() < 7 ? 7 - pid.size() : 0, ' ');
    formatter->add_flag<SeverityLetter>('*').add_flag<Place>('&');
    formatter->set_pattern("%*%m%d %H:%M:%S.%f " + pid + " %&] %v");
    logger_->set_formatter(std::move(formatter));
}

bool KlogLog::enabled(env::Severity severity, int verbosity) const {
    return severity != env::Severity::Info || verbosity <= verbosity_;
}

void KlogLog::write(env::Severity severity, int verbosity, std::string_view message, const Pairs &pairs,
                    std::source_location where) {
    if (!enabled(severity, verbosity)) return;
    spdlog::source_loc at{where.file_name(), static_cast<int>(where.line()), where.function_name()};
    logger_->log(at, level(severity), "{}", terminal_text(klog_text(message, pairs)));
}

void KlogLog::write_lines(int verbosity, std::string_view text, std::source_location where) {
    if (!enabled(env::Severity::Info, verbosity)) return;
    spdlog::source_loc at{where.file_name(), static_cast<int>(where.line()), where.function_name()};
    logger_->log(at, spdlog::level::info, "\n{}", terminal_text(text));
}

void KlogLog::write_text(env::Severity severity, int verbosity, std::string_view plugin, std::string_view text) {
    if (!enabled(severity, verbosity)) return;
    const std::string name = terminal_text(one_line(plugin));
    logger_->log(spdlog::source_loc{name.c_str(), 0, ""}, level(severity), "{}", terminal_text(one_line(text)));
}

}  // namespace berth::report
