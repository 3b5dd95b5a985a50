/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Everything a plugin written in C needs.
 */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include <berth/entry.h>
#include <berth/point/bind.h>
#include <berth/point/filter.h>
#include <berth/point/post_filter.h>
#include <berth/point/prepare.h>
#include <berth/point/queue.h>
#include <berth/point/remedy.h>
#include <berth/point/score.h>
#include <berth/point/sign.h>
#include <berth/service/cluster.h>
#include <berth/service/preemption.h>
#include <berth/service/prepared.h>
#include <berth/service/services.h>
#include <berth/service/task.h>

/** A berth_str of a string literal. */
#ifdef __cplusplus
#define BERTH_STR(literal) (berth_str{literal, sizeof(literal) - 1})
#else
#define BERTH_STR(literal) ((berth_str){literal, sizeof(literal) - 1})
#endif
/** The same as an initializer, which C asks for where a constant is needed: `static const berth_str ids[] = {…};`. */
#define BERTH_STR_INIT(literal) {literal, sizeof(literal) - 1}

#endif /* BERTH_BERTH_H */
