// SPDX-License-Identifier: Apache-2.0
// Empty: a folder with assembly may declare functions without a body, as linkname.go does.
