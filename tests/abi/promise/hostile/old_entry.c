/* SPDX-License-Identifier: Apache-2.0 */
/* A library as they were before the candidate of ABI 1.0: its entry has the name of then. */
#include <stddef.h>

__attribute__((visibility("default"))) const void *berth_entry_v1(void);
const void *berth_entry_v1(void) { return NULL; }
