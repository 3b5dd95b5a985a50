// SPDX-License-Identifier: Apache-2.0

/// RunningImageLocality: prefers nodes where the pod's images are in use. See README.md.

#include "image_name.h"

#include <berth/plugin.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

/// The full names of a dictionary's entries, worked out once for each meaning of a code.
class FullNames {
    std::mutex mutex_;
    berth::PerCode<std::string> names_;

public:
    /// For each code, the index in `wanted` of the image it names, or -1. `name_of(entry)` is what an entry says.
    template <class Entry, class NameOf>
    std::span<std::int32_t> match(berth::Call call, const berth::Column &column, NameOf name_of,
                                  const std::vector<std::string> &wanted) {
        std::lock_guard lock(mutex_);
        auto dict = column.dict<Entry>();
        auto out = call.scratch<std::int32_t>(dict.size());
        for (std::uint32_t code = 0; code < dict.size(); ++code) {
            const auto &name =
                names_.of(code, column.generation(code), [&] { return normalized_image(name_of(dict[code])); });
            auto at = std::find(wanted.begin(), wanted.end(), name);
            out[code] = at == wanted.end() ? -1 : static_cast<std::int32_t>(at - wanted.begin());
        }
        names_.trim(dict.size());
        return out;
    }
};

class RunningImageLocality {
    bool count_node_images_;
    std::uint32_t pod_images_, node_images_ = 0;
    std::unique_ptr<FullNames> pod_names_ = std::make_unique<FullNames>(), node_names_ = std::make_unique<FullNames>();

    static std::vector<std::string> images_of(berth::Pod pod) {
        std::vector<std::string> all;
        for (const auto &image : pod.images())
            if (image.use <= BERTH_IMAGE_INIT_CONTAINER) all.push_back(normalized_image(berth::view(image.name)));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

public:
    static constexpr const char *description = "Prefers nodes where pods already use the pod's images";

    static void default_args(berth::ArgsReader &args) { args.boolean("countNodeImages", false); }

    RunningImageLocality(berth::Args args, const berth::Host &host)
        : count_node_images_(args.boolean("countNodeImages", false)),
          pod_images_(host.column(BERTH_COLUMN_POD_IMAGES)) {
        if (count_node_images_) node_images_ = host.column(BERTH_COLUMN_NODE_IMAGES);
    }

    /// 100 times the share of the pod's distinct images that are in use on the node.
    void score(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        auto wanted = images_of(pod);
        if (call.cancelled()) return;
        std::fill(out.begin(), out.end(), 0);
        if (wanted.empty()) return;

        auto pods = nodes.pods();
        auto used = pods.column(pod_images_);
        auto of_used =
            pod_names_->match<berth_str>(call, used, [](const berth_str &name) { return berth::view(name); }, wanted);

        berth::Column held;
        std::span<std::int32_t> of_held;
        if (count_node_images_) {
            held = nodes.column(node_images_);
            of_held = node_names_->match<berth_image>(
                call, held, [](const berth_image &image) { return berth::view(image.name); }, wanted);
        }

        std::vector<std::uint8_t> found(wanted.size());
        for (std::size_t i : call.each(slots)) {
            std::fill(found.begin(), found.end(), 0);
            auto mark = [&](std::int32_t image) {
                if (image >= 0) found[static_cast<std::size_t>(image)] = 1;
            };
            for (auto row : pods.on(slots[i]))
                for (auto code : used.codes(row)) mark(of_used[code]);
            if (count_node_images_)
                for (auto code : held.codes(slots[i])) mark(of_held[code]);
            auto n = std::count(found.begin(), found.end(), 1);
            out[i] = 100 * n / static_cast<std::int64_t>(wanted.size());
        }
    }
};

}  // namespace

BERTH_PLUGIN(RunningImageLocality, "RunningImageLocality", "0.1.0")
