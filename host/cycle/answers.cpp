// SPDX-License-Identifier: Apache-2.0
#include "cycle/answers.h"

namespace berth::cycle {

void Signatures::clear() {
    asked_.clear();
    text_.clear();
}

const Signatures::Asked &Signatures::ask(const Search &search, const plugin::Instance &instance) {
    auto at = std::ranges::find(asked_, &instance, &Asked::instance);
    if (at != asked_.end()) return *at;
    Asked &asked = asked_.emplace_back(Asked{&instance, text_.size(), text_.size(), false});
    if (!instance.sign) return asked;
    // A pod may state a megabyte. Few are then alike, and what is kept is kept by these texts.
    struct Bounded {
        std::string &text;
        std::size_t room;
        bool full;
    } bounded{text_, most, false};
    const berth_text_sink sink{sizeof(berth_text_sink), 0, &bounded, [](void *ctx, berth_str text) {
                                   auto &[into, room, full] = *static_cast<Bounded *>(ctx);
                                   full = full || text.len > room;
                                   if (full) return;
                                   into += model::view(text);
                                   room -= text.len;
                               }};
    std::int32_t code = BERTH_ERROR;
    model::Status thrown = plugin::guard(
        instance, "Sign", [&] { code = instance.sign->sign(instance.self, &search.pod, &search.nodes, &sink); });
    asked.given = thrown.success() && code == BERTH_SUCCESS && !bounded.full;
    if (!asked.given) text_.resize(asked.begin);
    asked.end = text_.size();
    return asked;
}

bool Signatures::add(const Search &search, const plugin::Instance &instance, std::uint64_t position, std::string &key) {
    const Asked &asked = ask(search, instance);
    if (!asked.given) return false;
    for (std::uint64_t number : {instance.id, position, std::uint64_t{asked.end - asked.begin}})
        key.append(reinterpret_cast<const char *>(&number), sizeof number);
    key.append(text_, asked.begin, asked.end - asked.begin);
    return true;
}

std::string in_words(const berth_pod &pod) {
    return "pod \"" + std::string(model::view(pod.namespace_)) + "/" + std::string(model::view(pod.name)) + "\"";
}

std::string in_words(const berth_nodes &nodes, std::uint32_t slot) {
    return "node \"" + std::string(model::view(nodes.name[slot])) + "\"";
}

}  // namespace berth::cycle
