// SPDX-License-Identifier: Apache-2.0
#include "config/upgrade.h"

#include "config/old_version.h"
#include "config/upgrade_profile.h"
#include "config/v1.h"
#include "config/validate.h"

namespace berth::config {
namespace {

constexpr std::string_view lock_today = "leases";

void upgrade_lock(MutableTree &root, const std::string &file, std::vector<std::string> &warnings) {
    auto *election = root.find("leaderElection");
    auto *lock = election ? election->find("resourceLock") : nullptr;
    if (!lock || !lock->is_text()) return;
    if (!lock->text().starts_with("endpoints") && !lock->text().starts_with("configmaps")) return;
    warnings.push_back(
        decode::where(file, lock->position()) + ": leaderElection.resourceLock: \"" + lock->text() +
        "\" has become \"leases\", the only lock there is today; a scheduler that still holds the old lock "
        "does not see it");
    *lock = MutableTree::text(lock_today, lock->position());
}

VersionDefaults with(const VersionDefaults &version, const Provider &provider) {
    auto out = version;
    for (auto &set : out.plugins)
        for (auto &entry : set.enabled)
            if (entry.name == provider.replaced) entry.name = provider.by;
    return out;
}

MutableTree upgrade(Shaped shaped, const Configuration &era, const VersionDefaults &version, const std::string &file,
                    Release release, decode::FieldErrors &errors, std::vector<std::string> &warnings) {
    auto position = shaped.root.position();
    auto out = MutableTree::object(position);
    out.put("apiVersion", MutableTree::text(api_version(versions().front()), position));
    out.put("kind", MutableTree::text("KubeSchedulerConfiguration", position));
    auto profiles = shaped.root.take("profiles");
    for (auto &member : shaped.root.members()) out.members().push_back(std::move(member));
    upgrade_lock(out, file, warnings);

    auto upgraded = MutableTree::list(profiles ? profiles->position() : position);
    for (std::size_t i = 0; i < era.profiles.size(); ++i) {
        auto profile =
            profiles && i < profiles->items().size() ? std::move(profiles->items()[i]) : MutableTree::object(position);
        upgraded.add(ProfileUpgrade(version, era.profiles[i], shaped.old_fields, file, release, errors, warnings)
                         .upgrade(std::move(profile)));
    }
    // A default profile that is still the default needs no words.
    if (profiles || version.written_out) out.put("profiles", std::move(upgraded));
    return out;
}

}  // namespace

model::Result<Upgraded> upgrade(const decode::Document &document, const VersionDefaults &version, Release release) {
    decode::FieldErrors errors;
    auto shaped = in_shape_of_v1(document, version, errors);
    auto in_shape = std::make_shared<const decode::Document>(shaped.root.document(document.file));
    auto in_file = errors.size();
    auto rules = shaped.provider ? with(version, *shaped.provider) : version;
    decode::Fields root(*in_shape, errors);
    Upgraded out;
    out.era = read_v1(root, rules, errors);
    validate(out.era, rules, *in_shape, errors);
    for (auto i = in_file; i < errors.size(); ++i) errors[i].path = path_in_file(errors[i].path, version);
    if (!errors.empty()) return model::Error{decode::messages(errors)};
    out.era.old_fields = shaped.old_fields.tree();
    out.era.source = std::move(in_shape);
    out.warnings = shaped.warnings;
    out.root = upgrade(std::move(shaped), out.era, rules, document.file, release, errors, out.warnings);
    if (!errors.empty()) return model::Error{decode::messages(errors)};
    return out;
}

}  // namespace berth::config
