/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The entry function of a library, and its note, which a host reads without running it.
 */
#ifndef BERTH_ENTRY_H
#define BERTH_ENTRY_H

#include <berth/plugin.h>
#include <berth/version.h>

/** What a library holds. Static data: a library that was loaded is never unloaded. */
typedef struct berth_library {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t abi_required_minor; /**< a host of a lower minor refuses the library; equals the note's "requiredMinor" */
    uint32_t abi_header_minor;   /**< of the headers it was built with; diagnostic only, never compared */
    const berth_plugin *const *plugins;
    uint64_t plugins_len;
    berth_str sdk_name;   /**< "berth-c/0.1.0", "berth-cpp/0.1.0", … */
    berth_str build_info; /**< compiler and so on; free form */
} berth_library;

#if defined(__GNUC__)
#define BERTH_EXPORT __attribute__((visibility("default"), used))
#else
#define BERTH_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif
/** The entry point. Pure and idempotent, any thread; returns static data. The ABI's major version is in the name. */
typedef const berth_library *(*berth_entry_fn)(void);
BERTH_EXPORT const berth_library *berth_plugins_abi1(void);
#ifdef __cplusplus
}
#endif
#define BERTH_ENTRY_SYMBOL "berth_plugins_abi1"

/* The note: an ELF note of name "berth" and type 1 in section .note.berth whose descriptor is a JSON object
 *   {"abi": 1, "requiredMinor": 0, "plugins": [{"name": …, "version": …, "vendor": …, "description": …,
 *     "interfaces": [ids], "requires": [service ids], "optional": [service ids],
 *     "watches": ["version/resource" or "group/version/resource"], "writes": ["create version/pods/binding"],
 *     "reads": ["get version/configmaps"]}]}
 * "reads" belongs to the draft berth.host.reader/draft1 and may change with it. No group begins like a version, as
 * "v1.example.com" does, so each text names one kind. Except for "watches", "writes" and "reads", the note repeats what
 * berth_plugins_abi1 returns; a host refuses a library whose note disagrees. BERTH_MANIFEST(json) makes the note from a
 * string literal, whose terminating NUL belongs to the descriptor and has no meaning. The C++ wrapper makes it by
 * itself. "requiredMinor" is the lowest minor of a host with which the library works.
 *
 * A library may lack the note. A host then has to run the library in order to list its plugins, and warns. A section of
 * notes has 1 MiB at most. Its reader ignores members, types and names of notes that it does not know; the note of
 * another major of the ABI has another type.
 *
 * The section .note.berth.uses may contain notes of type 2. The descriptor of each is a uint32_t: the minor that
 * introduced something which the library uses. The C++ wrapper makes one for each minor that the compiled code needs.
 * The library requires the greatest of these minors and "requiredMinor". A note of type 3 in that section has as its
 * descriptor the id of a draft that the library's code uses. These notes only inform: a host that does not have the
 * draft logs a warning, and loads the library all the same. BERTH_USES_DRAFT(id) makes one; write it where a
 * declaration or a statement may stand. The wrappers of C++ and Rust contain it in the functions that request a draft,
 * so the note is made if the library's code uses such a function. */
#define BERTH_NOTE_NAME "berth"
#define BERTH_NOTE_SECTION ".note.berth"
#define BERTH_NOTE_TYPE 1u
#define BERTH_NOTE_USES_SECTION ".note.berth.uses"
#define BERTH_NOTE_TYPE_USES 2u
#define BERTH_NOTE_TYPE_DRAFT 3u

#define BERTH_USES_DRAFT(id)                                               \
    __asm__(".pushsection " BERTH_NOTE_USES_SECTION                        \
            ", \"a\", @note\n"                                             \
            ".balign 4\n"                                                  \
            ".long 6, 3f - 2f, 3\n" /* the length of the name, the type */ \
            ".asciz \"" BERTH_NOTE_NAME                                    \
            "\"\n"                                                         \
            ".balign 4\n"                                                  \
            "2: .ascii \"" id                                              \
            "\"\n"                                                         \
            "3: .balign 4\n"                                               \
            ".popsection")

#define BERTH_MANIFEST(json)                                                             \
    __attribute__((section(BERTH_NOTE_SECTION), used, aligned(4))) static const struct { \
        uint32_t name_size, desc_size, type;                                             \
        char name[8];                                                                    \
        char desc[(sizeof(json) + 3u) / 4u * 4u];                                        \
    } berth_manifest_note = {sizeof(BERTH_NOTE_NAME), sizeof(json), BERTH_NOTE_TYPE, BERTH_NOTE_NAME, json}

#endif /* BERTH_ENTRY_H */
