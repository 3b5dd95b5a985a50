// SPDX-License-Identifier: Apache-2.0
// what_if.mjs BEFORE.json AFTER.json ANSWER.json: whether the answer tells exactly the placements in which the two results of
// berth simulate differ.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const [before, after, answer] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const placements = (result) => new Map(result.placements.map((p) => [p.namespace + '/' + p.name, p.node]));
const [old, now] = [placements(before), placements(after)];
const expected = [...new Set([...old.keys(), ...now.keys()])].filter((pod) => old.get(pod) !== now.get(pod)).sort();

assert.equal(answer.state, 'Done', answer.error);
assert.ok(expected.length > 0, 'the two results do not differ');
assert.equal(answer.differing, expected.length);
const told = answer.differences.map((d) => [`${d.pod.namespace}/${d.pod.name}`, d.before, d.after]);
assert.deepEqual(told, expected.slice(0, told.length).map((pod) => [pod, old.get(pod), now.get(pod)]));
assert.ok(told.length === expected.length || told.length >= 1000);
assert.equal(answer.after.scheduled, after.summary.scheduled);
console.log(`${expected.length} of ${now.size} placements differ, as berth simulate has them`);
