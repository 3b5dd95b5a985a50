// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include "config/defaults_text.h"
#include "config/plugin_set.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace berth::config {
namespace {

/// The program's own data is wrong: nothing that arrives from outside can cause this.
[[noreturn]] void refuse(const std::string &why) {
    std::fprintf(stderr, "berth was built with a broken default configuration: %s\n", why.c_str());
    std::abort();
}

VersionDefaults parse(std::string_view text, const std::string &file) {
    auto document = decode::read_document(text, file);
    if (!document) refuse(document.error().text);
    decode::FieldErrors errors;
    VersionDefaults out;
    decode::Fields root(*document, errors);
    if (auto set = root.object("multiPoint")) out.multi_point = read_plugin_set(*set);
    out.typed_args = root.strings("typedArgs");
    auto section = [&](const char *name, NamedPlugins &into) {
        auto fields = root.object(name);
        if (!fields) return refuse(file + ": a section is missing: " + name);
        into.plugins = fields->strings("plugins");
        into.message = fields->string("message").value_or("");
        if (&into == &out.unsupported)
            for (const auto &key : fields->strings("points")) {
                auto point = model::extension_point_of_key(key);
                if (!point) refuse(std::string(file).append(": no extension point is called ").append(key));
                out.unsupported_points.push_back(*point);
            }
        fields->finish();
    };
    section("removed", out.removed);
    section("unsupported", out.unsupported);
    section("absent", out.absent);
    root.finish();
    if (!errors.empty()) refuse(decode::messages(errors));
    return out;
}

}  // namespace

bool NamedPlugins::contain(std::string_view plugin) const {
    return std::ranges::find(plugins, plugin) != plugins.end();
}

const VersionDefaults &defaults_v1() {
    static const VersionDefaults defaults = parse(defaults_text_v1, "configs/defaults/v1.yaml");
    return defaults;
}

}  // namespace berth::config
