// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_new.h"

#include "cli/exit_codes.h"
#include "cli/plugin_template.h"
#include "decode/did_you_mean.h"
#include "model/result.h"
#include "plugin/sources.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace berth::cli {
namespace {

/// An extension point as templates, people and the ABI call it, in the order of a pod's way.
struct Point {
    std::string_view word, name, interface;
    bool rejects;  ///< so that the plugin says what wakes its pods
};
constexpr std::array points{Point{"pre_enqueue", "PreEnqueue", "berth.pre_enqueue/1", true},
                            Point{"queue_sort", "QueueSort", "berth.queue_sort/1", false},
                            Point{"pre_filter", "PreFilter", "berth.pre_filter/1", true},
                            Point{"filter", "Filter", "berth.filter/1", true},
                            Point{"post_filter", "PostFilter", "berth.post_filter/1", false},
                            Point{"pre_score", "PreScore", "berth.pre_score/1", false},
                            Point{"score", "Score", "berth.score/1", false},
                            Point{"normalize", "NormalizeScore", "berth.normalize/1", false},
                            Point{"reserve", "Reserve", "berth.reserve/1", true},
                            Point{"permit", "Permit", "berth.permit/1", true},
                            Point{"pre_bind", "PreBind", "berth.pre_bind/1", true},
                            Point{"bind", "Bind", "berth.bind/1", false},
                            Point{"post_bind", "PostBind", "berth.post_bind/1", false}};
using Chosen = std::array<bool, points.size()>;

bool upper(char c) { return c >= 'A' && c <= 'Z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return upper(c) || (c >= 'a' && c <= 'z'); }
char raised(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// PreFilter, pre-filter and pre_filter are the same point; so are normalize and NormalizeScore.
std::string squeezed(std::string_view text) {
    std::string out;
    for (char c : text)
        if (c != '-' && c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

model::Result<Chosen> chosen_points(const std::vector<std::string> &wanted) {
    Chosen out{};
    std::vector<std::string> known;
    for (const auto &point : points) known.emplace_back(point.name);
    for (const auto &text : wanted) {
        const auto *found = std::ranges::find_if(points, [&](const Point &point) {
            return squeezed(text) == squeezed(point.name) || squeezed(text) == squeezed(point.word);
        });
        if (found == points.end()) {
            std::string all;
            for (const auto &name : known) all += (all.empty() ? "" : ", ") + name;
            return model::Error{"--point: there is no extension point \"" + text + "\"" +
                                decode::did_you_mean(text, known) + "\nthe points are " + all};
        }
        out[static_cast<std::size_t>(found - points.begin())] = true;
    }
    auto has = [&](std::string_view word) {
        return out[static_cast<std::size_t>(std::ranges::find(points, word, &Point::word) - points.begin())];
    };
    if (has("normalize") && !has("score"))
        return model::Error{"--point: NormalizeScore turns what Score says into 0 to 100; add score"};
    return out;
}

/// "pods-per-node" is to be PodsPerNode.
std::string as_name(std::string_view text) {
    std::string out;
    bool begins = true;
    for (char c : text) {
        if (letter(c) || (digit(c) && !out.empty())) out += begins ? raised(c) : c;
        begins = !letter(c) && !digit(c);
    }
    return out;
}

/// An upper-case letter, then letters and digits: a name for Kubernetes' configuration, and for a class.
std::string name_fault(const std::string &name, std::string_view language) {
    constexpr std::size_t longest = 63;
    constexpr std::array macros{"BUFSIZ", "EOF", "INFINITY", "NAN", "NULL"};
    // What the template means by them is something else.
    constexpr std::array rust{"Default", "Result", "Self", "String"};
    if (name.size() > longest)
        return "the name has " + std::to_string(name.size()) + " characters; " + std::to_string(longest) +
               " are the most";
    if (std::ranges::count(macros, name))
        return "the name " + name + " means something else in C; expected another one";
    if (language == "rust" && std::ranges::count(rust, name))
        return "the name " + name + " means something else in Rust; expected another one";
    if (!name.empty() && upper(name[0]) && std::ranges::all_of(name, [](char c) { return letter(c) || digit(c); }))
        return "";
    const auto instead = as_name(name);
    return "the name \"" + name +
           "\" is none for a plugin: expected an upper-case letter, then letters and digits, as in PodsPerNode" +
           (instead.empty() ? "" : "; did you mean " + instead + "?");
}

/// PodsPerNode in small letters, its words apart.
std::string in_words(std::string_view name, char between) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool begins =
            i > 0 && upper(name[i]) &&
            (!upper(name[i - 1]) || (i + 1 < name.size() && !upper(name[i + 1]) && !digit(name[i + 1])));
        if (begins) out += between;
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return out;
}

/// A list of texts, as written in a C string of JSON.
std::string quoted_list(const std::vector<std::string_view> &texts) {
    std::string out;
    for (auto text : texts) out += (out.empty() ? "\\\"" : ", \\\"") + std::string(text) + "\\\"";
    return out;
}

TemplateUse use_of(const PluginNewOptions &options, const Chosen &chosen) {
    auto has = [chosen](std::string_view word) {
        for (std::size_t i = 0; i < points.size(); ++i)
            if (points[i].word == word) return chosen[i];
        return false;
    };
    std::string names;
    std::vector<std::string_view> interfaces, services;
    bool rejects = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!chosen[i]) continue;
        names += (names.empty() ? "" : ", ") + std::string(points[i].name);
        interfaces.push_back(points[i].interface);
        rejects = rejects || points[i].rejects;
    }
    if (rejects) interfaces.emplace_back("berth.events/1");
    if (has("bind")) services.emplace_back("berth.host.client/1");
    if (has("post_bind")) services.emplace_back("berth.host.log/1");
    const bool rust = options.language == "rust";
    const auto file = in_words(options.name, '-'), source = in_words(options.name, '_');
    return {{{"@Name@", options.name},
             {"@name@", file},
             {"@name_@", source},
             {"@built@", rust ? "target/release" : "build"},
             {"@library@", rust ? "target/release/lib" + source + ".so" : "build/" + file + ".so"},
             {"@rust@", plugin::installed("share/berth/rust")},
             {"@points@", names},
             {"@interfaces@", quoted_list(interfaces)},
             {"@services@", quoted_list(services)}},
            [has, language = options.language](std::string_view word) { return word == language || has(word); }};
}

std::string write(const std::filesystem::path &file, const std::string &text) {
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    return out ? "" : file.string() + ": cannot be written: " + std::strerror(errno);
}

}  // namespace

void PluginNewOptions::add(CLI::App &command) {
    command.add_option("NAME", name, "The plugin's name, as in PodsPerNode")->required();
    command
        .add_option("--point", points,
                    "Extension points, by commas (default: filter): pre-enqueue, queue-sort, pre-filter, filter, "
                    "post-filter, pre-score, score, normalize, reserve, permit, pre-bind, bind, post-bind")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("POINTS");
    command.add_option("--lang", language, "Language: cpp (the default), c or rust")->type_name("LANGUAGE");
    command.add_option("--output", output, "Folder to make (default: the name in small letters)")->type_name("DIR");
}

int plugin_new(const PluginNewOptions &options) {
    if (auto fault = name_fault(options.name, options.language); !fault.empty()) return refuse(fault);
    auto chosen = chosen_points(options.points);
    if (!chosen) return refuse(chosen.error().text);
    const auto languages = template_languages();
    if (!std::ranges::count(languages, options.language))
        return refuse("--lang: there is no template for \"" + options.language + "\"" +
                      decode::did_you_mean(options.language, languages));
    const auto use = use_of(options, *chosen);
    const std::filesystem::path folder = options.output.empty() ? use.fill("@name@") : options.output;
    std::error_code failed;
    if (std::filesystem::exists(std::filesystem::symlink_status(folder, failed)))
        return refuse(folder.string() + ": is there already; give another folder by --output, or remove this one");
    std::vector<std::string> made;
    for (const auto &file : template_files()) {
        const auto of = file.path.substr(0, file.path.find('/'));
        if (of != "common" && of != options.language) continue;
        auto path = use.fill(std::string(file.path.substr(of.size() + 1)));
        if (path.ends_with(".in")) path.erase(path.size() - 3);
        const auto text = use.render(file);
        if (text.empty()) continue;  // it is of other languages
        if (auto fault = write(folder / path, text); !fault.empty()) return refuse(fault);
        made.push_back(path);
    }
    std::ranges::sort(made);
    std::cout << folder.string() << ": plugin " << options.name << ", " << use.fill("@points@") << '\n';
    for (const auto &path : made) std::cout << "  " << path << '\n';
    std::cout << "Next, in that folder:\n"
              << (options.language == "rust"
                      ? "  cargo build --release\n"
                        "  cargo test\n"
                      : "  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build\n"
                        "  ctest --test-dir build --output-on-failure\n")
              << use.fill(
                     "  berth simulate --config example/config.yaml --plugin-dir @built@ --plugin-checks strict "
                     "example/scenario.yaml\n");
    return done;
}

}  // namespace berth::cli
