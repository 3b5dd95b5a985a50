// SPDX-License-Identifier: Apache-2.0
// A node and its pods.
import { useEffect, useRef } from 'preact/hooks';
import type { NodePods } from './api';
import { useAnswer } from './asked';
import { DevicesOfNode } from './node_devices';
import { Head, Table, Trouble, num } from './parts';
import { href } from './route';
import { amount, grouped } from './text';

export function Node(props: { name: string; again: number; reload: () => void }) {
  const asked = useAnswer<NodePods>('nodes/' + encodeURIComponent(props.name), props.again);
  const node = asked.answer;
  const block = useRef<HTMLDivElement>(null);
  // It stands below the cells, which may fill the window.
  useEffect(() => block.current?.scrollIntoView({ block: 'nearest' }), [node?.name]);
  const resources = [...new Set(node?.pods.flatMap((p) => Object.keys(p.requests)) ?? [])];
  return (
    <div ref={block}>
      <Trouble asked={asked} again={props.reload} />
      {node && (
        <>
          <Table
            title={node.name}
            note={[
              node.zone && `zone ${node.zone}`,
              `${grouped(node.pods.length)} ${node.pods.length === 1 ? 'pod' : 'pods'}`,
              node.unschedulable && 'cordoned: takes no new pods',
              node.taints && `taints ${node.taints.join(', ')}`,
            ]
              .filter(Boolean)
              .join('; ')}
          >
            <Head columns={['Pod', 'Scheduler', num('Priority'), ...resources.map(num)]} />
            <tbody>
              {node.pods.map((p) => (
                <tr key={p.pod.namespace + '/' + p.pod.name}>
                  <td>
                    <a href={href(['decisions', p.pod.namespace, p.pod.name])}>
                      {p.pod.namespace}/{p.pod.name}
                    </a>
                    {p.assumed && <span class="badge">being bound</span>}
                    {p.terminating && <span class="badge warn">terminating</span>}
                  </td>
                  <td>{p.profile}</td>
                  <td class="num">{grouped(p.priority)}</td>
                  {resources.map((r) => (
                    <td class="num" key={r}>
                      {p.requests[r] ? amount(r, p.requests[r]!) : ''}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </Table>
          <DevicesOfNode name={node.name} again={props.again} reload={props.reload} />
          <p>
            <a href={href(['cluster'])}>Show no node</a> · <a href={href(['whatif'], { remove: node.name })}>What if it were gone</a>
          </p>
        </>
      )}
    </div>
  );
}
