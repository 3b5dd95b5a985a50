// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Decisions, requests and extenders' answers in a recording.

#include "env/api.h"
#include "env/extender.h"
#include "model/decision.h"
#include "record/bytes.h"

#include <string>
#include <vector>

namespace berth::record {

/// All of a summary but how long it took: two that read alike here are the same decision.
void put_decision(std::string &out, const model::Decision &decision);
model::Decision take_decision(Bytes &bytes);

/// Tells requests apart.
std::uint64_t digest_of(const env::ApiRequest &request);

/// An answer without what must not be recorded. Of the body of a request that was carried out the rest is kept as JSON
/// says it, but for that of a binding, which holds nothing of use; of a refusal also all that the server sent.
void put_answer(std::string &out, const env::ApiAnswer &answer, bool to_binding);
/// The same of a read; of Secrets (`secret`) only a Secret's metadata and type, and of a list of them no items.
void put_read(std::string &out, const env::ApiAnswer &answer, bool secret);
env::ApiAnswer take_answer(Bytes &bytes);

void put_said(std::string &out, const env::Extender::Filtered &said);
void put_said(std::string &out, const std::vector<env::Extender::Score> &said);
void put_said(std::string &out, const env::Extender::Preempted &said);
void take_said(Bytes &bytes, env::Extender::Filtered &said);
void take_said(Bytes &bytes, std::vector<env::Extender::Score> &said);
void take_said(Bytes &bytes, env::Extender::Preempted &said);

}  // namespace berth::record
