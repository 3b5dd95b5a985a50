// SPDX-License-Identifier: Apache-2.0
#include "plugin/arguments.h"

#include "config/defaults.h"
#include "config/read.h"
#include "decode/document.h"
#include "decode/write.h"
#include "plugin/call.h"
#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/thrown.h"

#include <utility>
#include <vector>

namespace berth::plugin {
namespace {

/// The sinks of default_args.
struct DefaultedText final : TextSink {
    std::string text;
    void write(berth_str more) override { text.append(text_of(more)); }
};
struct ArgumentFaults final : ErrorSink {
    struct Fault {
        std::string path, text;
    };
    std::vector<Fault> faults;
    void add(berth_str path, berth_str text) override {
        faults.push_back({std::string(text_of(path)), std::string(text_of(text))});
    }
};

const config::Profile &profile_of(const PluginUse &use) { return use.configuration.profiles[use.profile]; }

config::Place args_place(const PluginUse &use, std::string_view path) {
    return config::args_place(use.configuration, use.profile, use.mention.name, pointer_of(path), use.config);
}

model::Result<Arguments> configured(const PluginUse &use) {
    const auto *configured = profile_of(use).config_of(use.mention.name, use.config);
    auto tree = std::make_shared<model::Tree>();
    tree->root = model::make_object(tree->arena, {});
    Arguments out{tree, {}};
    for (auto name : config::ignored_by_scheduler(use.configuration.extenders))
        out.left_to_extenders.push_back(model::to_str(name));
    if (configured && configured->args && !configured->args->value().is_null()) out.tree = configured->args;
    if (!out.tree->value().is_object()) return model::Error{args_place(use, "").text() + ": expected an object"};
    out.json = decode::to_json(out.tree->value());
    return out;
}

}  // namespace

model::Error failed(const PluginUse &use, const std::string &text) {
    const auto *configured = profile_of(use).config_of(use.mention.name, use.config);
    return {(configured ? configured->place : use.mention.place).text() + ": initializing plugin " +
            in_quotes(use.mention.name) + ": " + text};
}

berth_create_info create_info(const PluginUse &use, const Arguments &arguments) {
    static const std::string api_version = config::api_version(config::versions().front());
    berth_create_info out{};
    out.struct_size = sizeof out;
    out.profile = model::to_str(profile_of(use).scheduler_name);
    out.plugin_name = model::to_str(use.mention.name);
    out.args = model::to_str(arguments.json);
    out.args_api_version = model::to_str(api_version);
    out.args_value = &arguments.tree->root;
    out.extender_resources = arguments.left_to_extenders.data();
    out.extender_resources_len = arguments.left_to_extenders.size();
    return out;
}

model::Result<Arguments> arguments_of(const PluginUse &use) {
    auto arguments = configured(use);
    const auto &plugin = *use.loaded.plugin;
    if (!arguments || !plugin.default_args) return arguments;
    auto described = create_info(use, *arguments);
    DefaultedText defaulted;
    ArgumentFaults errors;
    WithoutInstance world{{use.configuration, use.mention.name}, *use.kubernetes_use};
    const berth_host host = host_without_instance(world);
    auto ask = [&] {
        plugin.default_args(&host, &described, described.args_value, defaulted.handle(), errors.handle());
    };
    const InCall current_call(use.mention.name, "default_args");
    if (auto what = thrown_by(ask)) return failed(use, "default_args threw " + *what);
    const std::string &out = defaulted.text;
    if (!errors.faults.empty()) {
        std::string lines;
        for (const auto &fault : errors.faults)
            lines += (lines.empty() ? "" : "\n") + args_place(use, fault.path).text() + ": " + fault.text;
        return model::Error{lines};
    }
    if (out.empty()) return failed(use, "default_args returned nothing, expected a JSON object");
    auto document = decode::read_document(out, "default_args.json");
    if (!document) return failed(use, document.error().text);
    if (!document->value().is_object())
        return failed(use, "default_args returned " + in_quotes(out) + ", expected a JSON object");
    return Arguments{document->tree, decode::to_json(document->value()), std::move(arguments->left_to_extenders)};
}

std::string pointer_of(std::string_view path) {
    std::string out;
    auto add = [&](char c) {
        if (c == '~') out += "~0";
        else if (c == '/') out += "~1";
        else out += c;
    };
    bool begins = true;   // a key or an index
    bool quoted = false;  // within ["..."]
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char c = path[i];
        if (quoted) {
            if (c == '"') quoted = false;
            else add(c == '\\' && i + 1 < path.size() ? path[++i] : c);
        } else if (c == '.' || c == '[') {
            begins = true;
        } else if (c == '"' && begins && i > 0 && path[i - 1] == '[') {
            out += '/';
            quoted = true, begins = false;
        } else if (c != ']') {
            if (std::exchange(begins, false)) out += '/';
            add(c);
        }
    }
    return out;
}

}  // namespace berth::plugin
