// SPDX-License-Identifier: Apache-2.0
// What other weights, and plugins more or less, would make of a simulated cluster.
import { useEffect, useState } from 'preact/hooks';
import { put, Refusal, type Outcome, type PluginList, type ProfileChange, type WhatIf as Answer } from './api';
import { useAnswer } from './asked';
import { Choice, Head, Histogram, Result, Table, Trouble, num } from './parts';
import { href, setQuery, type Route } from './route';
import { amount, grouped, percent } from './text';

interface Member {
  plugin: string;
  points: string[];
  weight?: number;
}

/** The plugins of a profile, each once. */
function members(answer: PluginList, profile: string): Member[] {
  const all = new Map<string, Member>();
  for (const point of answer.profiles.find((p) => p.name === profile)?.points ?? [])
    for (const place of point.plugins) {
      const one = all.get(place.plugin) ?? { plugin: place.plugin, points: [] };
      one.points.push(point.extensionPoint);
      one.weight = place.weight ?? one.weight;
      all.set(place.plugin, one);
    }
  return [...all.values()].sort((a, b) => Number(!a.weight) - Number(!b.weight) || a.plugin.localeCompare(b.plugin));
}

const listed = (text: string | null) => (text ?? '').split(',').filter(Boolean);

/** The changes stand in the address: "?weights=A:5,B:2&off=C&on=D". */
function changesIn(route: Route, name: string): ProfileChange {
  const weights = listed(route.query.get('weights')).map((pair) => pair.split(':'));
  return {
    name,
    weights: Object.fromEntries(weights.map(([plugin, n]) => [plugin!, Number(n)])),
    disable: listed(route.query.get('off')),
    enable: listed(route.query.get('on')),
  };
}

function write(route: Route, change: ProfileChange) {
  setQuery(route, {
    weights: Object.entries(change.weights!).map(([plugin, n]) => `${plugin}:${n}`).join(','),
    off: change.disable!.join(','),
    on: change.enable!.join(','),
  });
}

function Changes(props: { all: Member[]; change: ProfileChange; set: (change: ProfileChange) => void }) {
  const { change, set } = props;
  const weigh = (m: Member, n: number) => {
    const weights = { ...change.weights };
    if (n === m.weight || !(n >= 1)) delete weights[m.plugin];
    else weights[m.plugin] = n;
    set({ ...change, weights });
  };
  const turn = (m: Member, on: boolean) => {
    const weights = { ...change.weights };
    if (!on) delete weights[m.plugin];
    const disable = change.disable!.filter((p) => p !== m.plugin);
    set({ ...change, weights, disable: on ? disable : [...disable, m.plugin] });
  };
  return (
    <Table title="The plugins">
      <Head columns={['Enabled', 'Plugin', 'Extension points', num('Weight'), num('Weight then')]} />
      <tbody>
        {props.all.map((m) => {
          const on = !change.disable!.includes(m.plugin);
          return (
            <tr key={m.plugin}>
              <td>
                <input type="checkbox" aria-label={m.plugin} checked={on} onChange={(e) => turn(m, e.currentTarget.checked)} />
              </td>
              <th scope="row">{m.plugin}</th>
              <td class="long">{m.points.join(', ')}</td>
              <td class="num">{m.weight}</td>
              <td class="num">
                {m.weight && (
                  <input
                    type="number"
                    min="1"
                    aria-label={'Weight of ' + m.plugin}
                    disabled={!on}
                    value={change.weights![m.plugin] ?? m.weight}
                    onChange={(e) => weigh(m, e.currentTarget.valueAsNumber)}
                  />
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

function Utilisation(props: { before: Outcome; after: Outcome }) {
  const { before, after } = props;
  return (
    <Table title="Utilisation" note="of all nodes together, and how many nodes are how full: 0 to 100 %, by tenths">
      <Head columns={['Resource', num('Before'), num('After'), 'Nodes before', 'Nodes after']} />
      <tbody>
        {before.resources.map((b) => {
          const a = after.resources.find((r) => r.name === b.name)!;
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

function Differences(props: { answer: Answer }) {
  const { differing, differences } = props.answer;
  if (!differences?.length) return null;
  const node = (name?: string) => (name ? <a href={href(['cluster', name])}>{name}</a> : 'none');
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
function said(change: ProfileChange) {
  return [
    ...Object.entries(change.weights ?? {}).map(([plugin, n]) => `${plugin} weighs ${n}`),
    ...(change.disable ?? []).map((p) => 'without ' + p),
    ...(change.enable ?? []).map((p) => 'with ' + p),
  ].join(', ');
}

function Come(props: { answer: Answer }) {
  const { answer } = props;
  const { state, before, after } = answer;
  if (state === 'Idle') return null;
  return (
    <>
      <p class="verdict" role="status">
        <Result result={state} />{' '}
        {answer.changes?.profiles.map((p) => said(p)).join('; ') || 'nothing changed'}
        {state === 'Done' && <>: {grouped(answer.differing!)} placements differ.</>}
      </p>
      {answer.error && <pre class="trouble">{answer.error}</pre>}
      {before && after && (
        <>
          <p>
            Placed: {grouped(before.scheduled)} before, {grouped(after.scheduled)} after. Pending: {grouped(before.pending)} before,{' '}
            {grouped(after.pending)} after.
          </p>
          <Utilisation before={before} after={after} />
          <Differences answer={answer} />
          <details class="block">
            <summary>The configuration that gives this</summary>
            <pre tabIndex={0}>{answer.configuration}</pre>
          </details>
        </>
      )}
    </>
  );
}

export function WhatIf(props: { route: Route; again: number; reload: () => void }) {
  const { route } = props;
  const plugins = useAnswer<PluginList>('plugins', 0);
  const [polls, setPolls] = useState(0);
  const asked = useAnswer<Answer>('whatif', props.again + polls);
  const [refused, setRefused] = useState('');
  const running = asked.answer?.state === 'Running';
  useEffect(() => {
    if (!running || asked.asking) return;
    const timer = setTimeout(() => setPolls((n) => n + 1), 1000);
    return () => clearTimeout(timer);
  }, [running, asked.asking]);
  const profiles = plugins.answer?.profiles.map((p) => p.name) ?? [];
  const profile = route.query.get('profile') ?? profiles[0] ?? '';
  const change = changesIn(route, profile);
  const simulate = () =>
    put('whatif', { profiles: [change] }).then(
      () => (setRefused(''), setPolls((n) => n + 1)),
      (why: unknown) => setRefused(String(why instanceof Refusal ? why.message : why)),
    );
  if (asked.refusal?.status === 404)
    return (
      <>
        <h1>What if</h1>
        <p>
          What another configuration would do is answered of a cluster given as files, by <code>berth simulate --ui</code>.
        </p>
      </>
    );
  return (
    <>
      <h1>What if</h1>
      <p>The same cluster is simulated again, from the start, with what you change here.</p>
      <Trouble asked={asked} again={props.reload} />
      {plugins.answer && asked.answer && (
        <>
          {profiles.length > 1 && (
            <Choice
              label="Profile"
              all={profiles.map((p) => [p, p])}
              now={profile}
              choose={(name) => setQuery(route, { profile: name, weights: '', off: '', on: '' })}
            />
          )}
          <Changes all={members(plugins.answer, profile)} change={change} set={(to) => write(route, to)} />
          <p class="find">
            <label for="enable">Enable besides, wherever they can be</label>
            <input
              id="enable"
              type="text"
              placeholder="names, with commas"
              value={change.enable!.join(',')}
              onChange={(e) => write(route, { ...change, enable: listed(e.currentTarget.value.replaceAll(' ', '')) })}
            />
            <button type="button" disabled={running} onClick={simulate}>
              {running ? 'Simulating …' : 'Simulate'}
            </button>
          </p>
          {refused && (
            <p class="trouble" role="alert">
              {refused}
            </p>
          )}
          <Come answer={asked.answer} />
        </>
      )}
    </>
  );
}
