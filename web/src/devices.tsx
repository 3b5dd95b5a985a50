// SPDX-License-Identifier: Apache-2.0
// The devices of ResourceSlices: how many are allocated and free, by model and by node.
import type { DeviceCounts, DeviceUse } from './api';
import { useAnswer } from './asked';
import { Choice, Head, Table, Trouble, num } from './parts';
import { href, setQuery, type Route } from './route';
import { grouped, nodes } from './text';

const asked = 5000;
const shown = 200;

/** Allocated devices, and behind them those that cannot be allocated any more. */
function UseBar(props: { of: DeviceCounts }) {
  const { devices, allocated, free } = props.of;
  const width = (n: number) => (n > 0 ? Math.max(0.5, (100 * n) / devices) : 0);
  return (
    <svg class="use" width="100%" height="10" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10">
      <rect class="bar-all" width="100" height="10" />
      <rect class="bar-blocked" width={width(devices - free)} height="10" />
      <rect class="bar-part" width={width(allocated)} height="10" />
    </svg>
  );
}

const numbers = [num('Allocated'), num('Of'), num('Free')];

function Counts(props: { of: DeviceCounts }) {
  const { devices, allocated, free } = props.of;
  return (
    <>
      <td class="num">{grouped(allocated)}</td>
      <td class="num">{grouped(devices)}</td>
      <td class="num">{grouped(free)}</td>
    </>
  );
}

function Models(props: { models: NonNullable<DeviceUse['models']>; omitted?: number }) {
  const { models, omitted } = props;
  const blocked = models.some((m) => m.allocated + m.free < m.devices);
  return (
    <Table
      title="By model"
      note={[blocked && 'pale: not free, as other partitions take what they need', omitted && `${grouped(omitted)} more models are not shown`]
        .filter(Boolean)
        .join('; ')}
    >
      <Head columns={['Driver', 'Model', ...numbers, 'Use', num('Nodes')]} />
      <tbody>
        {models.map((m) => (
          <tr key={m.driver + '/' + m.model}>
            <td>{m.driver}</td>
            <th scope="row">{m.model ?? 'unknown'}</th>
            <Counts of={m} />
            <td class="uses">
              <UseBar of={m} />
            </td>
            <td class="num">{grouped(m.nodes)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function ByNode(props: { all: NonNullable<DeviceUse['nodes']>; omitted: number; route: Route }) {
  const { all, route } = props;
  const find = route.query.get('find') ?? '';
  const order = route.query.get('order') ?? 'fullest';
  const found = all.filter((row) => `${row.node ?? 'several nodes'} ${row.driver} ${row.model ?? 'unknown'}`.includes(find));
  if (order === 'emptiest') found.sort((a, b) => b.free / b.devices - a.free / a.devices);
  const rows = found.slice(0, shown);
  return (
    <>
      <div class="find lead">
        <label for="find">Node, driver or model</label>
        <input id="find" type="search" value={find} onInput={(e) => setQuery(route, { find: e.currentTarget.value })} />
        <Choice
          label="Order"
          all={[
            ['fullest', 'fullest first'],
            ['emptiest', 'most free first'],
          ]}
          now={order}
          choose={(key) => setQuery(route, { order: key === 'fullest' ? undefined : key })}
        />
      </div>
      <Table
        title="By node"
        note={[
          rows.length < all.length && `${grouped(rows.length)} of ${grouped(all.length)} rows`,
          props.omitted > 0 && `${grouped(props.omitted)} rows, the emptiest, are not among them`,
        ]
          .filter(Boolean)
          .join('; ')}
      >
        <Head columns={['Node', 'Driver', 'Model', ...numbers, 'Use']} />
        <tbody>
          {rows.map((row) => (
            <tr key={[row.node, row.driver, row.model].join('/')}>
              <td>{row.node ? <a href={href(['cluster', row.node])}>{row.node}</a> : 'several nodes'}</td>
              <td>{row.driver}</td>
              <td>{row.model ?? 'unknown'}</td>
              <Counts of={row} />
              <td class="uses">
                <UseBar of={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length === 0 && <p class="note">No row has that text.</p>}
    </>
  );
}

function Verdict(props: { answer: DeviceUse }) {
  const { models, nodes: rows } = props.answer;
  const sum = (of: (m: DeviceCounts) => number) => models!.reduce((all, m) => all + of(m), 0);
  const places = new Set(rows!.flatMap((row) => row.node ?? [])).size;
  const devices = sum((m) => m.devices);
  return (
    <p class="verdict">
      {grouped(devices)} {devices === 1 ? 'device' : 'devices'} of {grouped(models!.length)} {models!.length === 1 ? 'model' : 'models'}
      {places > 0 && ` on ${nodes(places)}`}; {grouped(sum((m) => m.allocated))} allocated.
    </p>
  );
}

export function Devices(props: { route: Route; again: number; reload: () => void }) {
  const state = useAnswer<DeviceUse>(`devices?limit=${asked}`, props.again);
  const answer = state.answer;
  const some = !!answer?.models?.length;
  return (
    <>
      <h1>Devices</h1>
      <Trouble asked={state} again={props.reload} />
      {answer?.warnings?.map((w) => (
        <p class="note" key={w}>
          {w}
        </p>
      ))}
      {answer && !answer.watched && (
        <p class="note">
          Berth does not see devices, as no plugin of its profiles watches ResourceSlices. DynamicResources does, where it is enabled.
        </p>
      )}
      {answer?.watched && !some && <p class="note">The cluster has no devices: no ResourceSlice publishes any.</p>}
      {answer && some && (
        <>
          <Verdict answer={answer} />
          <Models models={answer.models!} omitted={answer.omittedModels} />
          <ByNode all={answer.nodes!} omitted={answer.omittedNodes ?? 0} route={props.route} />
        </>
      )}
    </>
  );
}
