// SPDX-License-Identifier: Apache-2.0
#include "config/read.h"

#include "config/plugin_set.h"
#include "config/v1.h"
#include "config/validate.h"
#include "decode/document.h"

#include <cstdio>
#include <cstdlib>

namespace berth::config {
namespace {

constexpr std::string_view expected_kind = "KubeSchedulerConfiguration";
constexpr std::string_view expected_version = "kubescheduler.config.k8s.io/v1";
constexpr std::string_view expected_header =
    "apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration";

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

/// Whether the document says that it is what this program reads; records what it is otherwise.
bool check_header(decode::Fields &root) {
    auto version = root.string("apiVersion"), kind = root.string("kind");
    if (root.has("kind") && !kind) return false;
    if (root.has("apiVersion") && !version) return false;
    if (!version && !kind) {
        root.error("", "apiVersion and kind are missing; it must begin with " + std::string(expected_header));
        return false;
    }
    if (kind != expected_kind) {
        if (!kind) root.error("", "kind is missing, expected " + in_quotes(expected_kind));
        else if (kind == "ConfigMap")
            root.error("kind", "found a ConfigMap, expected " + in_quotes(expected_kind) +
                                   "; give what its data holds as a file of its own");
        else root.error("kind", "found " + in_quotes(*kind) + ", expected " + in_quotes(expected_kind));
        return false;
    }
    if (version != expected_version) {
        if (!version) root.error("", "apiVersion is missing, expected " + in_quotes(expected_version));
        else
            root.error("apiVersion", "found " + in_quotes(*version) + ", expected " + in_quotes(expected_version) +
                                         ", the only version that Berth reads");
        return false;
    }
    return true;
}

}  // namespace

model::Result<Configuration> read(std::string_view bytes, const std::string &file) {
    auto document = decode::read_document(bytes, file);
    if (!document) return document.error();
    if (!document->value().is_object())
        return model::Error{document->where(document->value()) + ": expected a " + std::string(expected_kind) +
                            ", got " + std::string(decode::kind_name(document->value())) + "; it must begin with " +
                            std::string(expected_header)};
    decode::FieldErrors errors;
    decode::Fields root(*document, errors);
    if (!check_header(root)) return model::Error{decode::messages(errors)};
    const auto &defaults = defaults_v1();
    auto out = read_v1(root, defaults, errors);
    validate(out, defaults, *document, errors);
    if (!errors.empty()) return model::Error{decode::messages(errors)};
    out.warnings = idle_settings(out, defaults);
    out.source = std::make_shared<const decode::Document>(std::move(*document));
    return out;
}

Configuration built_in() {
    auto out = read("{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}",
                    "the built-in configuration");
    if (!out) {
        std::fprintf(stderr, "berth was built with a broken default configuration: %s\n", out.error().text.c_str());
        std::abort();
    }
    out->source = nullptr;
    return *std::move(out);
}

Place args_place(const Configuration &configuration, std::size_t profile, std::string_view plugin,
                 std::string_view pointer) {
    std::string path = "profiles[" + std::to_string(profile) + "].pluginConfig[" + std::string(plugin) + "]." +
                       place_at({}, "/args" + std::string(pointer)).path;
    if (!configuration.source) return {"the built-in configuration", 0, 0, std::move(path)};
    const auto &document = *configuration.source;
    if (profile >= configuration.profiles.size()) return {document.file, 0, 0, std::move(path)};
    const auto &entries = configuration.profiles[profile].plugin_config;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].name == plugin)
            return place_at(document, "/profiles/" + std::to_string(profile) + "/pluginConfig/" + std::to_string(i) +
                                          "/args" + std::string(pointer));
    for (const auto &set : configuration.profiles[profile].plugins)
        for (const auto &entry : set.enabled)
            if (entry.name == plugin && entry.place.file == document.file)
                return {document.file, entry.place.line, entry.place.column, std::move(path)};
    return {document.file, 0, 0, std::move(path)};
}

}  // namespace berth::config
