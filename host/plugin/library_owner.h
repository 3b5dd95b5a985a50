// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check of a plugin file's owners and write permissions, up to the root directory. It covers the file, the
/// directories above it and the symbolic links on the way to it, and everyone with write permission to one of them.

#include "env/descriptor.h"
#include "model/result.h"

#include <string>

namespace berth::plugin {

/// Opens a plugin file for reading: a regular file, without blocking. Does not check owners.
model::Result<env::Descriptor> open_library(const std::string &file);

/// The same, if only root and the effective user could have put code into it. Walks from `/` down, one component after
/// the other, and follows each symbolic link itself, so that no check races with the use of what was checked. A
/// directory that others may write is accepted if it is sticky, as /tmp is: there only the owner can move or delete an
/// entry, and the entry is checked like all others. The error names the component, its owner or its writers, and
/// what to do.
model::Result<env::Descriptor> open_owned_library(const std::string &file);

/// The real path behind a descriptor, or `otherwise` if the system does not know it.
std::string real_path(int fd, const std::string &otherwise);

}  // namespace berth::plugin
