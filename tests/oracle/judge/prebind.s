// SPDX-License-Identifier: Apache-2.0
// Empty: it lets functions of this package be declared without a body (prebind_real.go).
