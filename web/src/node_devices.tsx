// SPDX-License-Identifier: Apache-2.0
// The devices of one node, and which claims and pods have them.
import type { NodeDevices } from './api';
import { useAnswer } from './asked';
import { Head, Table, Trouble } from './parts';
import { href } from './route';
import { grouped } from './text';

type Device = NonNullable<NodeDevices['devices']>[number];
type Claim = NonNullable<Device['claims']>[number];

const more = (n?: number) => (n ? <span class="note">and {grouped(n)} more</span> : null);

function State(props: { of: Device }) {
  const { allocated, free } = props.of;
  if (allocated) return <span class="badge">allocated</span>;
  if (free) return <span class="badge good">free</span>;
  return (
    <span class="badge warn" title="Other partitions of the same device take what it needs">
      not free
    </span>
  );
}

/** A claim, and the pods of its namespace that it is reserved for. */
function Holder(props: { claim: Claim }) {
  const { namespace, name, pods, omittedPods, adminAccess } = props.claim;
  return (
    <div>
      {namespace}/{name}
      {adminAccess && <span class="badge aside">admin access</span>}
      {pods.length > 0 && ': '}
      {pods.map((pod, i) => (
        <span key={pod}>
          {i > 0 && ', '}
          <a href={href(['decisions', namespace, pod])}>{pod}</a>
        </span>
      ))}{' '}
      {more(omittedPods)}
    </div>
  );
}

export function DevicesOfNode(props: { name: string; again: number; reload: () => void }) {
  const asked = useAnswer<NodeDevices>('devices/' + encodeURIComponent(props.name), props.again);
  const devices = asked.answer?.devices ?? [];
  if (asked.refusal) return <Trouble asked={asked} again={props.reload} />;
  if (devices.length === 0) return null;
  const count = (of: (d: Device) => boolean) => grouped(devices.filter(of).length);
  const omitted = asked.answer!.omitted;
  return (
    <Table
      title={'Devices of ' + props.name}
      note={
        `${count(() => true)} of ResourceSlices; ${count((d) => d.allocated)} allocated, ${count((d) => d.free)} free` +
        (omitted ? `; ${grouped(omitted)} more are not shown` : '')
      }
    >
      <Head columns={['Device', 'Driver', 'Model', 'State', 'Claims, and their pods']} />
      <tbody>
        {devices.map((d) => (
          <tr key={[d.driver, d.pool, d.name].join('/')}>
            <th scope="row" title={'pool ' + d.pool}>
              {d.name}
            </th>
            <td>{d.driver}</td>
            <td>{d.model ?? 'unknown'}</td>
            <td>
              <State of={d} />
            </td>
            <td class="long">
              {d.claims?.map((c) => <Holder key={c.namespace + '/' + c.name} claim={c} />)}
              {more(d.omittedClaims)}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
