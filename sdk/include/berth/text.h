/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Texts and structured values in the ABI (berth_str, berth_value). Frozen: these structs and unions never change.
 */
#ifndef BERTH_TEXT_H
#define BERTH_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Every struct has the layout of a 64-bit machine. */
#ifdef __cplusplus
static_assert(sizeof(void *) == 8, "Berth's plugin ABI is that of machines with pointers of 64 bits");
#else
_Static_assert(sizeof(void *) == 8, "Berth's plugin ABI is that of machines with pointers of 64 bits");
#endif

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

struct berth_value;
struct berth_kv;

/** The number that a value is, or the number of bytes, items or members that it contains. */
typedef union berth_value_n {
    int64_t integer;
    double number;
    uint64_t len;
} berth_value_n;

/** The bytes, items or members that a value contains. */
typedef union berth_value_ptr {
    const void *any;
    const char *string;
    const struct berth_value *items;
    const struct berth_kv *members;
} berth_value_ptr;

/** One node of a parsed JSON or YAML tree, to be read in place without a call.
 *
 * | kind   | n                       | ptr                                 |
 * |--------|-------------------------|-------------------------------------|
 * | NULL   | integer: 0              | any: NULL                           |
 * | BOOL   | integer: 0 or 1         | any: NULL                           |
 * | INT    | integer: the number     | any: NULL                           |
 * | DOUBLE | number                  | any: NULL                           |
 * | STRING | len: in bytes           | string: UTF-8, not terminated       |
 * | ARRAY  | len: number of items    | items                               |
 * | OBJECT | len: number of members  | members, in the order of the file   |
 *
 * A number is INT if it is written without fraction and exponent and fits; any other is DOUBLE. The keys of an OBJECT
 * are distinct, not sorted. To a reader an unknown kind is NULL. A tree is immutable. It lives as long as the object of
 * the cluster that it belongs to; a tree of arguments lives until the call returns. */
typedef struct berth_value {
    uint32_t kind;     /**< BERTH_VALUE_… */
    uint32_t reserved; /**< 0 */
    berth_value_n n;
    berth_value_ptr ptr;
} berth_value;

/** A member of an OBJECT value. */
typedef struct berth_kv {
    berth_str key;
    berth_value value;
} berth_kv;

#endif /* BERTH_TEXT_H */
