/* SPDX-License-Identifier: Apache-2.0 */
/* Relies on a function of its host, which the ABI never allows. */
#include <berth/berth.h>

extern const berth_library *berth_host_private_function(void);
const berth_library *berth_plugins_abi1(void) { return berth_host_private_function(); }
