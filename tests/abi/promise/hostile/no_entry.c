/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no plugin. */
int berth_hostile_nothing(void);
int berth_hostile_nothing(void) { return 0; }
