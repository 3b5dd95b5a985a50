// SPDX-License-Identifier: Apache-2.0
// The case of one library: case_name.h.
extern const char case_name[];
const char case_name[] = CASE_NAME;
