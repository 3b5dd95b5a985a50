// SPDX-License-Identifier: Apache-2.0
// What other weights, plugins more or less, and nodes more or less would make of the cluster.
import { useEffect, useState } from 'preact/hooks';
import { put, Refusal, type AddedNodes, type PluginList, type ProfileChange, type WhatIf as Answer } from './api';
import { useAnswer } from './asked';
import { Choice, Head, NumberField, Table, Trouble, num } from './parts';
import { setQuery, type Route } from './route';
import { Nodes, RemovedNodes } from './whatif_nodes';
import { Come } from './whatif_result';

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

/** So do the nodes: "?add=[{"count":2,"like":"n17"}]". */
function addedIn(route: Route): AddedNodes[] {
  try {
    const all: unknown = JSON.parse(route.query.get('add') ?? '[]');
    return Array.isArray(all) ? (all as AddedNodes[]) : [];
  } catch {
    return [];
  }
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
    <Table title="The plugins" low>
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
                  <NumberField
                    label={'Weight of ' + m.plugin}
                    disabled={!on}
                    value={change.weights![m.plugin] ?? m.weight}
                    set={(n) => weigh(m, n)}
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
  const added = addedIn(route);
  const removed = listed(route.query.get('remove'));
  const live = asked.answer?.live;
  const pods = route.query.get('pods') ?? 'Pending';
  const simulate = () =>
    put('whatif', {
      profiles: [change],
      ...(added.length > 0 && { addNodes: added }),
      ...(removed.length > 0 && { removeNodes: removed }),
      ...(live && { pods }),
    }).then(
      () => (setRefused(''), setPolls((n) => n + 1)),
      (why: unknown) => setRefused(String(why instanceof Refusal ? why.message : why)),
    );
  return (
    <>
      <h1>What if</h1>
      {live === true && (
        <p>
          The cluster as it is now is simulated beside the scheduler, twice: before, with the configuration in force, and after,
          with what you change here. The cluster itself is left alone.
        </p>
      )}
      {live === false && <p>The same cluster is simulated again, from the start, with what you change here.</p>}
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
          <Nodes added={added} set={(to) => setQuery(route, { add: to.length > 0 ? JSON.stringify(to) : '' })} />
          <RemovedNodes removed={removed} set={(to) => setQuery(route, { remove: to.join(',') })} />
          {live && (
            <Choice
              label="Placed are"
              all={[
                ['Pending', 'the pods that wait'],
                ['All', 'all pods, anew'],
              ]}
              now={pods}
              choose={(which) => setQuery(route, { pods: which === 'Pending' ? '' : which })}
            />
          )}
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
