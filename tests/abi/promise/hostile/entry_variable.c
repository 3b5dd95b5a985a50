/* SPDX-License-Identifier: Apache-2.0 */
/* The entry's name on something that is no function. */
extern __attribute__((visibility("default"))) const long berth_plugins_abi1;
const long berth_plugins_abi1 = 1;
