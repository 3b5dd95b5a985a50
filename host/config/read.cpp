// SPDX-License-Identifier: Apache-2.0
#include "config/read.h"

#include "config/plugin_set.h"
#include "config/upgrade.h"
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

std::string older_versions() {
    std::string out;
    for (std::size_t i = 1; i < versions().size(); ++i)
        out += (i == 1 ? "" : i + 1 == versions().size() ? " and " : ", ") + versions()[i];
    return out;
}

/// The rules of the version that the document says it is; records what is wrong with what it says otherwise.
const VersionDefaults *check_header(decode::Fields &root, Release release) {
    auto version = root.string("apiVersion"), kind = root.string("kind");
    if (root.has("kind") && !kind) return nullptr;
    if (root.has("apiVersion") && !version) return nullptr;
    if (!version && !kind) {
        root.error("", "apiVersion and kind are missing; it must begin with " + std::string(expected_header));
        return nullptr;
    }
    if (kind != expected_kind) {
        if (!kind) root.error("", "kind is missing, expected " + in_quotes(expected_kind));
        else if (kind == "ConfigMap")
            root.error("kind", "found a ConfigMap, expected " + in_quotes(expected_kind) +
                                   "; give what its data holds as a file of its own");
        else root.error("kind", "found " + in_quotes(*kind) + ", expected " + in_quotes(expected_kind));
        return nullptr;
    }
    if (!version) {
        root.error("", "apiVersion is missing, expected " + in_quotes(expected_version));
        return nullptr;
    }
    auto slash = version->find('/');
    const auto *found = version->substr(0, slash) == group && slash != std::string::npos
                            ? defaults_of(std::string_view(*version).substr(slash + 1), release)
                            : nullptr;
    if (!found)
        root.error("apiVersion", "found " + in_quotes(*version) + ", expected " + in_quotes(expected_version) +
                                     "; of the older versions, " + older_versions() + " are read, too");
    return found;
}

/// What a file of v1, or one that has become one, says.
Reading read_today(decode::Document document, Release release) {
    Reading out;
    const auto &defaults = defaults_v1(release);
    decode::FieldErrors errors;
    decode::Fields root(document, errors);
    for (const auto *name : {"apiVersion", "kind"}) root.any(name);
    out.configuration = read_v1(root, defaults, errors);
    out.configuration->release = release;
    validate(*out.configuration, defaults, document, errors);
    out.errors = decode::messages(errors);
    out.configuration->warnings = idle_settings(*out.configuration);
    out.configuration->source = std::make_shared<const decode::Document>(std::move(document));
    return out;
}

Reading read_old(const decode::Document &document, const VersionDefaults &version, Release release) {
    auto upgraded = upgrade(document, version, release);
    if (!upgraded) return {{}, upgraded.error().text};
    auto out = read_today(upgraded->root.document(document.file), release);
    auto &warnings = out.configuration->warnings;
    warnings.insert(warnings.begin(), upgraded->warnings.begin(), upgraded->warnings.end());
    upgraded->era.release = release;
    out.configuration->as_written = std::make_shared<const Configuration>(std::move(upgraded->era));
    return out;
}

Reading read_document(decode::Document document, Release release) {
    if (!document.value().is_object())
        return {{},
                document.where(document.value()) + ": expected a " + std::string(expected_kind) + ", got " +
                    std::string(decode::kind_name(document.value())) + "; it must begin with " +
                    std::string(expected_header)};
    decode::FieldErrors errors;
    decode::Fields root(document, errors);
    const auto *version = check_header(root, release);
    if (!version) return {{}, decode::messages(errors)};
    return version == &defaults_v1(release) ? read_today(std::move(document), release)
                                            : read_old(document, *version, release);
}

model::Result<Configuration> right(Reading reading) {
    if (!reading.errors.empty()) return model::Error{std::move(reading.errors)};
    return *std::move(reading.configuration);
}

}  // namespace

Reading read_all(std::string_view bytes, const std::string &file, Release release) {
    auto document = decode::read_document(bytes, file);
    if (!document) return {{}, document.error().text};
    return read_document(*std::move(document), release);
}

model::Result<Configuration> read(std::string_view bytes, const std::string &file, Release release) {
    return right(read_all(bytes, file, release));
}

model::Result<Configuration> read(decode::Document document, Release release) {
    return right(read_document(std::move(document), release));
}

Configuration built_in(Release release) {
    auto out = read("{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}",
                    "the built-in configuration", release);
    if (!out) {
        std::fprintf(stderr, "berth was built with a broken default configuration: %s\n", out.error().text.c_str());
        std::abort();
    }
    out->source = nullptr;
    return *std::move(out);
}

Place args_place(const Configuration &configuration, std::size_t profile, std::string_view plugin,
                 std::string_view pointer, std::size_t nth) {
    std::string path = "profiles[" + std::to_string(profile) + "].pluginConfig[" + std::string(plugin) + "]." +
                       place_at({}, "/args" + std::string(pointer)).path;
    if (!configuration.source) return {"the built-in configuration", 0, 0, std::move(path)};
    const auto &document = *configuration.source;
    if (profile >= configuration.profiles.size()) return {document.file, 0, 0, std::move(path)};
    const auto &entries = configuration.profiles[profile].plugin_config;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].name == plugin && nth-- == 0)
            return place_at(document, "/profiles/" + std::to_string(profile) + "/pluginConfig/" + std::to_string(i) +
                                          "/args" + std::string(pointer));
    for (const auto &set : configuration.profiles[profile].plugins)
        for (const auto &entry : set.enabled)
            if (entry.name == plugin && entry.place.file == document.file)
                return {document.file, entry.place.line, entry.place.column, std::move(path)};
    return {document.file, 0, 0, std::move(path)};
}

}  // namespace berth::config
