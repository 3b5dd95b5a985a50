// SPDX-License-Identifier: Apache-2.0
//! Which drafts a library uses: what asks for one leaves its id in the library, for "berth plugin inspect". It is `#[inline]` or
//! generic, so that it is compiled only into libraries that call it.

/// As `BERTH_USES_DRAFT` of `berth/entry.h`: no instruction comes of it.
macro_rules! uses_draft {
    ($id:literal) => {
        unsafe {
            std::arch::asm!(
                ".pushsection .note.berth.uses, \"a\", @note",
                ".balign 4",
                ".long 6, 3f - 2f, 3",
                ".asciz \"berth\"",
                ".balign 4",
                concat!("2: .ascii \"", $id, "\""),
                "3: .balign 4",
                ".popsection",
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}
pub(crate) use uses_draft;
