/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The version of these headers and of the ABI they describe. The build reads the numbers from here.
 */
#ifndef BERTH_VERSION_H
#define BERTH_VERSION_H

/** Version of the product that these headers came with. Never compared at load time. */
#define BERTH_VERSION_MAJOR 0
#define BERTH_VERSION_MINOR 1
#define BERTH_VERSION_PATCH 0
#define BERTH_VERSION "0.1.0"

/** The ABI: a library is loaded by every host of the same major whose minor is not below the one that it requires. */
#define BERTH_ABI_MAJOR 1
#define BERTH_ABI_MINOR 0

#endif /* BERTH_VERSION_H */
