// SPDX-License-Identifier: Apache-2.0
// What came of a simulation with changes.
import type { DeviceCounts, Outcome, ProfileChange, WhatIf as Answer } from './api';
import { Head, Histogram, Result, Table, num } from './parts';
import { href } from './route';
import { amount, grouped, nodes, percent } from './text';

function Utilisation(props: { before: Outcome; after: Outcome }) {
  const { before, after } = props;
  return (
    <Table title="Utilisation" note="of all nodes together, and how many nodes are how full: 0 to 100 %, by tenths">
      <Head columns={['Resource', num('Before'), num('After'), 'Nodes before', 'Nodes after']} />
      <tbody>
        {before.resources.map((b) => {
          const none = { name: b.name, requested: 0, allocatable: 0, nodes: b.nodes.map(() => 0) }; // no node has it any more
          const a = after.resources.find((r) => r.name === b.name) ?? none;
          const most = Math.max(...b.nodes, ...a.nodes);
          return (
            <tr key={b.name}>
              <th scope="row">{b.name}</th>
              {[b, a].map((r, i) => (
                <td class="num" key={i}>
                  {amount(r.name, r.requested)}, {percent(r.requested / r.allocatable)}
                </td>
              ))}
              {[b, a].map((r, i) => (
                <td key={i} title={r.nodes.join(', ')}>
                  <Histogram of={r.nodes} most={most} />
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

function Devices(props: { before: Outcome; after: Outcome }) {
  const [before, after] = [props.before.devices ?? [], props.after.devices ?? []];
  const same = (a: DeviceCounts) => (b: DeviceCounts) => a.driver === b.driver && a.model === b.model;
  const all = [...before, ...after.filter((a) => !before.some(same(a)))];
  if (all.length === 0) return null;
  const said = (sum?: DeviceCounts) => (sum ? `${grouped(sum.allocated)} of ${grouped(sum.devices)}` : 'none');
  return (
    <Table title="Allocated devices" note="of ResourceSlices, by model">
      <Head columns={['Driver', 'Model', num('Before'), num('After')]} />
      <tbody>
        {all.map((one) => (
          <tr key={one.driver + '/' + one.model}>
            <td>{one.driver}</td>
            <th scope="row">{one.model ?? 'unknown'}</th>
            <td class="num">{said(before.find(same(one)))}</td>
            <td class="num">{said(after.find(same(one)))}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Differences(props: { answer: Answer }) {
  const { differing, differences } = props.answer;
  if (!differences?.length) return null;
  // The cluster does not have the nodes that were added.
  const added = new Set([...(props.answer.nodes ?? '').matchAll(/^ {2}name: (\S+)$/gm)].map((found) => found[1]));
  const node = (name?: string) => (!name ? 'none' : added.has(name) ? name : <a href={href(['cluster', name])}>{name}</a>);
  return (
    <Table title="Placements that differ" note={`${grouped(differences.length)} of ${grouped(differing!)}`}>
      <Head columns={['Pod', 'Before', 'After']} />
      <tbody>
        {differences.map((d) => (
          <tr key={d.pod.namespace + '/' + d.pod.name}>
            <td>
              <a href={href(['decisions', d.pod.namespace, d.pod.name])}>
                {d.pod.namespace}/{d.pod.name}
              </a>
            </td>
            <td>{node(d.before)}</td>
            <td>{node(d.after)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** "NodeResourcesFit weighs 5, without ImageLocality". */
function said(changes: Answer['changes']) {
  const all = changes?.profiles?.flatMap(ofProfile) ?? [];
  for (const n of changes?.addNodes ?? []) all.push(`${nodes(n.count)} more${n.like ? ' like ' + n.like : ''}`);
  const removed = changes?.removeNodes ?? [];
  if (removed.length > 0) all.push('without ' + (removed.length > 5 ? nodes(removed.length) : removed.join(', ')));
  return all.join(', ') || 'nothing changed';
}

function ofProfile(change: ProfileChange) {
  return [
    ...Object.entries(change.weights ?? {}).map(([plugin, n]) => `${plugin} weighs ${n}`),
    ...(change.disable ?? []).map((p) => 'without ' + p),
    ...(change.enable ?? []).map((p) => 'with ' + p),
  ];
}

export function Come(props: { answer: Answer }) {
  const { answer } = props;
  const { state, before, after } = answer;
  if (state === 'Idle') return null;
  return (
    <>
      <p class="verdict" role="status">
        <Result result={state} /> {said(answer.changes)}
        {answer.changes?.pods === 'All' && ', every pod placed anew'}
        {state === 'Done' && <>: {grouped(answer.differing!)} placements differ.</>}
      </p>
      {answer.error && <pre class="trouble">{answer.error}</pre>}
      {before && after && (
        <>
          <p>
            Placed: {grouped(before.scheduled)} before, {grouped(after.scheduled)} after. Pending: {grouped(before.pending)} before,{' '}
            {grouped(after.pending)} after.
          </p>
          <Differences answer={answer} />
          <Utilisation before={before} after={after} />
          <Devices before={before} after={after} />
          <details class="block">
            <summary>
              The configuration that gives this to <code>berth simulate --config</code>
            </summary>
            <pre tabIndex={0}>{answer.configuration}</pre>
          </details>
          {answer.changes?.removeNodes && (
            <p>
              <code>berth simulate --without-nodes {answer.changes.removeNodes.join(',')}</code> takes the nodes away.
            </p>
          )}
          {answer.nodes && (
            <details class="block">
              <summary>
                The nodes that were added, for <code>berth simulate --add-nodes</code>
              </summary>
              <pre tabIndex={0}>{answer.nodes}</pre>
            </details>
          )}
        </>
      )}
    </>
  );
}
