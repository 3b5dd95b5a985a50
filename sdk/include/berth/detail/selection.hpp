// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a selective watch selects: read strictly, and applied to objects. Not for plugin authors.

#include <berth/draft/selective_watches.h>
#include <berth/detail/characters.hpp>
#include <berth/detail/reads.hpp>
#include <berth/detail/selectors.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace berth::detail {

/// Of one kind. Two are the same if their texts are; without any of them it is all objects.
class Selection {
    std::string name_space_, name_, labels_, fields_;
    Selectors selectors_;

public:
    /// Nullopt: `why` says what is wrong, as "the name …".
    static std::optional<Selection> read(const berth_watch &watch, std::string &why) {
        Selection out;
        out.name_space_ = text_or_none(watch.namespace_);
        out.name_ = text_or_none(watch.name);
        out.labels_ = text_or_none(watch.label_selector);
        out.fields_ = text_or_none(watch.field_selector);
        if (!out.name_space_.empty() && !is_path_segment(out.name_space_)) why = "the namespace is not valid in a path";
        else if (!out.name_.empty() && !is_path_segment(out.name_)) why = "the name is not valid in a path";
        for (auto [what, text] : {std::pair{"the label selector", &out.labels_}, {"the field selector", &out.fields_}})
            if (why.empty()) why = fault_of_option(what, *text);
        if (!why.empty()) return std::nullopt;
        auto selectors = Selectors::read(out.labels_, out.fields_, why);
        if (!selectors) {
            why.insert(0, "its selectors cannot be read: ");
            return std::nullopt;
        }
        out.selectors_ = *std::move(selectors);
        // Rights and paths have them, too, however they are written.
        for (auto [field, text] : {std::pair{"metadata.namespace", &out.name_space_}, {"metadata.name", &out.name_}})
            if (const auto *only = out.selectors_.only(field); only && text->empty() && is_path_segment(*only))
                *text = *only;
        return out;
    }

    const std::string &name_space() const { return name_space_; }  ///< "" for all
    const std::string &name() const { return name_; }              ///< "" for all
    const std::string &label_selector() const { return labels_; }
    /// The namespace, name and labels that both have: what an API server can be asked for to have all of both. It knows
    /// only some fields of some kinds.
    Selection shared_with(const Selection &other) const {
        Selection out;
        if (name_space_ == other.name_space_) out.name_space_ = name_space_;
        if (name_ == other.name_) out.name_ = name_;
        if (labels_ != other.labels_) return out;
        out.labels_ = labels_;
        out.selectors_ = selectors_.of_labels();
        return out;
    }
    Selection without_fields() const { return shared_with(*this); }
    bool is_all() const { return name_space_.empty() && name_.empty() && labels_.empty() && fields_.empty(); }
    /// As Selectors::select.
    template <class... Label>
    bool has(std::string_view name_space, std::string_view name, Value object, Label &&...label) const {
        return (name_space_.empty() || name_space == name_space_) && (name_.empty() || name == name_) &&
               selectors_.select(name_space, name, object, std::forward<Label>(label)...);
    }
    /// For people, as "namespace a, name b, labels app=web, fields type=c"; "" if it is all.
    std::string text() const {
        std::string out;
        for (auto [what, text] :
             {std::pair{"namespace ", &name_space_}, {"name ", &name_}, {"labels ", &labels_}, {"fields ", &fields_}})
            if (!text->empty()) out.append(out.empty() ? "" : ", ").append(what).append(*text);
        return out;
    }
    bool operator==(const Selection &other) const {
        return name_space_ == other.name_space_ && name_ == other.name_ && labels_ == other.labels_ &&
               fields_ == other.fields_;
    }
};

}  // namespace berth::detail
