// SPDX-License-Identifier: Apache-2.0
#include "config/extenders.h"

#include "config/go_format.h"
#include "config/plugin_set.h"
#include "decode/base64.h"

#include <array>
#include <utility>

namespace berth::config {
namespace {

/// A field of bytes, such as `caData`: its Base64 without line breaks.
std::string base64(decode::Fields &fields, const char *name) {
    auto text = fields.string(name).value_or("");
    if (std::string bytes; !decode::decode_base64(text, bytes)) fields.error(name, "expected Base64");
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
    return text;
}

ExtenderTls read_tls(decode::Fields fields) {
    ExtenderTls out;
    out.insecure = fields.boolean("insecure").value_or(false);
    out.server_name = fields.string("serverName").value_or("");
    out.cert_file = fields.string("certFile").value_or("");
    out.key_file = fields.string("keyFile").value_or("");
    out.ca_file = fields.string("caFile").value_or("");
    out.cert_data = base64(fields, "certData");
    out.key_data = base64(fields, "keyData");
    out.ca_data = base64(fields, "caData");
    fields.finish();
    return out;
}

Extender read_extender(decode::Fields &fields) {
    Extender out;
    out.where = place_of(fields).text();
    out.url_prefix = fields.string("urlPrefix").value_or("");
    out.filter_verb = fields.string("filterVerb").value_or("");
    out.preempt_verb = fields.string("preemptVerb").value_or("");
    out.prioritize_verb = fields.string("prioritizeVerb").value_or("");
    out.bind_verb = fields.string("bindVerb").value_or("");
    out.weight = fields.int64("weight").value_or(0);
    out.enable_https = fields.boolean("enableHTTPS").value_or(false);
    if (auto tls = fields.object("tlsConfig")) out.tls = read_tls(std::move(*tls));
    if (auto timeout = fields.duration("httpTimeout"); timeout && timeout->count() != 0) out.http_timeout = *timeout;
    out.node_cache_capable = fields.boolean("nodeCacheCapable").value_or(false);
    for (auto &resource : fields.objects("managedResources")) {
        out.managed_resources.push_back(
            {resource.string("name").value_or(""), resource.boolean("ignoredByScheduler").value_or(false)});
        resource.finish();
    }
    out.ignorable = fields.boolean("ignorable").value_or(false);
    fields.finish();
    return out;
}

void put(MutableTree &into, const char *name, const std::string &value) {
    if (!value.empty()) into.put(name, MutableTree::text(value, {}));
}

void put(MutableTree &into, const char *name, bool value) {
    if (!value) return;
    auto raw = model::make_bool(true);
    into.put(name, MutableTree::of(model::Value{&raw}, {}));
}

MutableTree dump(const ExtenderTls &tls) {
    auto out = MutableTree::object({});
    put(out, "insecure", tls.insecure);
    for (const auto &[name, value] :
         std::array<std::pair<const char *, const std::string *>, 7>{{{"serverName", &tls.server_name},
                                                                      {"certFile", &tls.cert_file},
                                                                      {"keyFile", &tls.key_file},
                                                                      {"caFile", &tls.ca_file},
                                                                      {"certData", &tls.cert_data},
                                                                      {"keyData", &tls.key_data},
                                                                      {"caData", &tls.ca_data}}})
        put(out, name, *value);
    return out;
}

MutableTree dump(const Extender &extender, const VersionDefaults &version) {
    auto out = MutableTree::object({});
    out.put("urlPrefix", MutableTree::text(extender.url_prefix, {}));
    put(out, "filterVerb", extender.filter_verb);
    put(out, "preemptVerb", extender.preempt_verb);
    put(out, "prioritizeVerb", extender.prioritize_verb);
    put(out, "bindVerb", extender.bind_verb);
    if (extender.weight != 0) out.put("weight", MutableTree::integer(extender.weight, {}));
    put(out, version.policy_extenders ? "enableHttps" : "enableHTTPS", extender.enable_https);
    if (extender.tls) out.put("tlsConfig", dump(*extender.tls));
    out.put("httpTimeout", version.policy_extenders ? MutableTree::integer(extender.http_timeout.count(), {})
                                                    : MutableTree::text(duration_text(extender.http_timeout), {}));
    put(out, "nodeCacheCapable", extender.node_cache_capable);
    if (!extender.managed_resources.empty()) {
        auto resources = MutableTree::list({});
        for (const auto &resource : extender.managed_resources) {
            auto item = MutableTree::object({});
            item.put("name", MutableTree::text(resource.name, {}));
            put(item, "ignoredByScheduler", resource.ignored_by_scheduler);
            resources.add(std::move(item));
        }
        out.put("managedResources", std::move(resources));
    }
    put(out, "ignorable", extender.ignorable);
    return out;
}

}  // namespace

std::vector<std::string_view> ignored_by_scheduler(const std::vector<Extender> &extenders) {
    std::vector<std::string_view> out;
    for (const auto &extender : extenders)
        for (const auto &resource : extender.managed_resources)
            if (resource.ignored_by_scheduler) out.push_back(resource.name);
    return out;
}

std::vector<Extender> read_extenders(decode::Fields &root) {
    std::vector<Extender> out;
    for (auto &fields : root.objects("extenders")) out.push_back(read_extender(fields));
    return out;
}

MutableTree dump_extenders(const std::vector<Extender> &extenders, const VersionDefaults &version) {
    auto out = MutableTree::list({});
    for (const auto &extender : extenders) out.add(dump(extender, version));
    return out;
}

}  // namespace berth::config
