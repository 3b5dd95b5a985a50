// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The observer of the object fields that plugins read (berth.host.object/1), for `berth plugin verify`.

#include <string_view>

namespace berth::plugin {

/// On any thread of a plugin.
class FieldObserver {
public:
    virtual ~FieldObserver() = default;
    virtual void requested_field(std::string_view pointer) = 0;
};

/// The process's, or null. It outlives what is observed.
FieldObserver *field_observer();
void set_field_observer(FieldObserver *observer);

}  // namespace berth::plugin
