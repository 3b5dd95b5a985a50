// SPDX-License-Identifier: Apache-2.0
#include "cycle/signatures.h"

#include <algorithm>

namespace berth::cycle {

void Signatures::clear() {
    signatures_.clear();
    text_.clear();
}

const Signatures::Signature &Signatures::of(const Search &search, const plugin::Instance &instance) {
    auto at = std::ranges::find(signatures_, &instance, &Signature::instance);
    if (at != signatures_.end()) return *at;
    Signature &signature = signatures_.emplace_back(Signature{&instance, text_.size(), text_.size(), false});
    if (!instance.sign) return signature;
    // A pod may state a megabyte. Few pods are then alike, and the caches keep these texts as keys.
    struct Bounded final : plugin::TextSink {
        std::string &text;
        std::size_t room = most;
        bool full = false;

        explicit Bounded(std::string &into) : text(into) {}
        void write(berth_str more) override {
            full = full || more.len > room;
            if (full) return;
            text += model::view(more);
            room -= more.len;
        }
    } bounded(text_);
    std::int32_t code = BERTH_STATUS_ERROR;
    model::Status thrown = plugin::guard(instance, "Sign", [&] {
        code = instance.sign->sign(instance.self, &search.pod, &search.nodes, bounded.handle());
    });
    signature.given = thrown.success() && code == BERTH_STATUS_SUCCESS && !bounded.full;
    if (!signature.given) text_.resize(signature.begin);
    signature.end = text_.size();
    return signature;
}

bool Signatures::add(const Search &search, const plugin::Instance &instance, std::uint64_t position, std::string &key) {
    const Signature &signature = of(search, instance);
    if (!signature.given) return false;
    for (std::uint64_t number : {instance.id, position, std::uint64_t{signature.end - signature.begin}})
        key.append(reinterpret_cast<const char *>(&number), sizeof number);
    key.append(text_, signature.begin, signature.end - signature.begin);
    return true;
}

}  // namespace berth::cycle
