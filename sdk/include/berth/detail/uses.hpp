// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which minor of the ABI a library needs, worked out from what it uses. Not for plugin authors.
///
/// What came with a later minor than 0 and has no answer on an older host (a function of a service, a field without a
/// meaning of its own when it is absent) is reached by a template, so that it is compiled only where it is used:
///
///     template <std::uint32_t Minor = 3>
///     void new_thing() const { detail::uses<Minor>(); … }
///
/// The library then has a note that says 3, and a host of minor 2 refuses it in one sentence before running it. What
/// has an answer is read by BERTH_GET and needs nothing. What asks for a draft says so by BERTH_USES_DRAFT.

#include <berth/entry.h>

#include <cstdint>

namespace berth::detail {

/// The library needs a host of that minor if the caller is compiled into it. No instruction comes of it: it is written
/// by the assembler, as compilers do not put what templates define into a section by name.
template <std::uint32_t Minor>
[[gnu::always_inline]] inline void uses() {
    asm volatile(".pushsection " BERTH_NOTE_USES_SECTION
                 ", \"a\", @note\n"
                 ".balign 4\n"
                 ".long %c0, 4, %c1\n"
                 ".asciz \"" BERTH_NOTE_NAME
                 "\"\n"
                 ".balign 4\n"
                 ".long %c2\n"
                 ".popsection"
                 :
                 : "i"(sizeof(BERTH_NOTE_NAME)), "i"(BERTH_NOTE_TYPE_USES), "i"(Minor));
}

}  // namespace berth::detail
