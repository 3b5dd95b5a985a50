// SPDX-License-Identifier: Apache-2.0
// Nodes that the cluster does not have, of the shape of one that it has, or of one that is described; and nodes that are gone.
import { useState } from 'preact/hooks';
import type { AddedNodes, NodeColumns } from './api';
import { useAnswer } from './asked';
import { Head, NumberField, Table, num } from './parts';

const pairs = (text: string, between: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => {
      const at = one.indexOf(between);
      return at < 0 ? [one, ''] : [one.slice(0, at), one.slice(at + 1)];
    }) as [string, string][];

/** "cpu=8, memory=32Gi" */
function mapIn(text: string) {
  const all = pairs(text, '=');
  return all.length > 0 ? Object.fromEntries(all) : undefined;
}
const mapText = (map?: Record<string, string>) => Object.entries(map ?? {}).map(([k, v]) => `${k}=${v}`).join(', ');

/** "gpu=a:NoSchedule, spot:NoExecute"; "none": no taints, not those of the node that it is like. */
function taintsIn(text: string): AddedNodes['taints'] {
  if (text.trim() === 'none') return [];
  const all = pairs(text, ':').map(([what, effect]) => {
    const [key, value] = pairs(what, '=')[0] ?? [''];
    return { key, ...(value && { value }), effect };
  });
  return all.length > 0 ? all : undefined;
}
const taintsText = (taints: AddedNodes['taints']) =>
  taints?.length === 0 ? 'none' : (taints ?? []).map((t) => `${t.key}${t.value ? '=' + t.value : ''}:${t.effect}`).join(', ');

/** What is typed counts when the field is left. */
function Field(props: { label: string; value: string; hint: string; list?: string; set: (text: string) => void }) {
  const [text, setText] = useState(props.value);
  return (
    <input
      type="text"
      aria-label={props.label}
      placeholder={props.hint}
      list={props.list}
      value={text}
      onInput={(e) => setText(e.currentTarget.value)}
      onChange={() => props.set(text.trim())}
    />
  );
}

export function Nodes(props: { added: AddedNodes[]; set: (added: AddedNodes[]) => void }) {
  const { added, set } = props;
  const names = useAnswer<NodeColumns>('cluster', 0).answer?.names ?? [];
  const change = (i: number, to: Partial<AddedNodes>) => set(added.map((one, k) => (k === i ? { ...one, ...to } : one)));
  const one = { count: 1, like: names[0] };
  return (
    <>
      {added.length > 0 && (
        <Table title="The nodes that are added" note="what is empty is as on the node that they are like">
          <Head columns={[num('How many'), 'Like', 'Allocatable', 'Labels', 'Taints', '']} />
          <tbody>
            {added.map((n, i) => (
              <tr key={i}>
                <td class="num">
                  <NumberField label="How many nodes" value={n.count} set={(count) => change(i, { count: Math.max(1, count || 1) })} />
                </td>
                <td>
                  <Field label="Like node" value={n.like ?? ''} hint="none" list="nodes" set={(t) => change(i, { like: t || undefined })} />
                </td>
                <td>
                  <Field
                    label="Allocatable"
                    value={mapText(n.allocatable)}
                    hint="cpu=8, memory=32Gi, pods=110"
                    set={(t) => change(i, { allocatable: mapIn(t) })}
                  />
                </td>
                <td>
                  <Field label="Labels" value={mapText(n.labels)} hint="key=value, …" set={(t) => change(i, { labels: mapIn(t) })} />
                </td>
                <td>
                  <Field label="Taints" value={taintsText(n.taints)} hint="key=value:Effect, …; none" set={(t) => change(i, { taints: taintsIn(t) })} />
                </td>
                <td>
                  <button type="button" class="quiet" onClick={() => set(added.filter((_, k) => k !== i))}>
                    Remove
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <datalist id="nodes">
        {names.slice(0, 500).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p>
        <button type="button" onClick={() => set([...added, one])}>
          Add nodes
        </button>
      </p>
    </>
  );
}

/** Nodes of the cluster that are taken away. */
export function RemovedNodes(props: { removed: string[]; set: (removed: string[]) => void }) {
  const { removed, set } = props;
  const [typed, setTyped] = useState('');
  const take = () => {
    const names = typed.split(/[\s,]+/).filter((name) => name && !removed.includes(name));
    setTyped('');
    if (names.length > 0) set([...removed, ...names]);
  };
  return (
    <div class="find">
      <label for="remove">Take away the node</label>
      <input
        id="remove"
        type="text"
        list="nodes"
        autocomplete="off"
        placeholder="name"
        value={typed}
        onInput={(e) => setTyped(e.currentTarget.value)}
        onChange={take}
      />
      {removed.map((name) => (
        <button type="button" key={name} title={`Leave ${name} in the cluster`} onClick={() => set(removed.filter((one) => one !== name))}>
          {name} <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}
