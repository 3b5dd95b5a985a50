/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Text and structured values as they cross the ABI. Frozen: these two structs never change.
 */
#ifndef BERTH_TEXT_H
#define BERTH_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** UTF-8 bytes, not NUL-terminated. `ptr` may be NULL only when `len` is 0. The giver keeps the bytes; how long they
 * live is said where the string is passed (for a function argument: until the call returns). */
typedef struct berth_str {
    const char *ptr;
    uint64_t len;
} berth_str;

/* Kinds of a berth_value. */
#define BERTH_VALUE_NULL 0u
#define BERTH_VALUE_BOOL 1u
#define BERTH_VALUE_INT 2u
#define BERTH_VALUE_DOUBLE 3u
#define BERTH_VALUE_STRING 4u
#define BERTH_VALUE_ARRAY 5u
#define BERTH_VALUE_OBJECT 6u

/** One node of a parsed JSON or YAML tree, to be read in place without a call.
 *
 * | kind   | n                            | ptr                                            |
 * |--------|------------------------------|------------------------------------------------|
 * | NULL   | 0                            | NULL                                           |
 * | BOOL   | 0 or 1                       | NULL                                           |
 * | INT    | the number                   | NULL                                           |
 * | DOUBLE | the bits of an IEEE double   | NULL                                           |
 * | STRING | length in bytes              | the bytes (UTF-8, not terminated)              |
 * | ARRAY  | number of items              | `const berth_value *`, the items               |
 * | OBJECT | number of members            | `const berth_kv *`, the members in file order  |
 *
 * A tree is immutable and lives as long as the object it belongs to. */
typedef struct berth_value {
    uint32_t kind;
    uint32_t reserved; /**< 0 */
    int64_t n;
    const void *ptr;
} berth_value;

/** A member of an OBJECT value. */
typedef struct berth_kv {
    berth_str key;
    berth_value value;
} berth_kv;

#endif /* BERTH_TEXT_H */
