// SPDX-License-Identifier: Apache-2.0
// What Berth's memory is for, and how much of it is left.
import type { MemoryUse } from './api';
import { useAnswer } from './asked';
import { Bar, Head, Table, Trouble, num } from './parts';
import { amount, percent } from './text';

const what: Record<string, string> = {
  pods: 'the pods themselves, as the API server told of them',
  nodes: 'the nodes themselves',
  objects: 'objects of the other kinds that plugins watch',
  columns: 'the snapshot that plugins read: a row of numbers for each node and pod',
  dictionaries: 'labels, taints, images and other texts, each once',
  queue: 'pods that wait: their places in the queues',
  decisions: 'the last decisions',
  watches: 'names by which changes of objects are found',
  events: 'events that wait for the API server, and those that may come again',
  program: 'the program, its libraries and plugins',
  free: 'heap that nobody uses now and that is used again',
  other: 'the rest: what plugins keep, connections, metrics, and what malloc adds',
};

const size = (bytes: number) => amount('memory', bytes) + 'B';

export function Memory(props: { again: number; reload: () => void }) {
  const asked = useAnswer<MemoryUse>('memory', props.again);
  const answer = asked.answer;
  const limit = answer?.limit;
  const kinds = [...(answer?.kinds ?? [])].sort((a, b) => b.bytes - a.bytes);
  return (
    <>
      <h1>Memory</h1>
      <Trouble asked={asked} again={props.reload} />
      {answer?.warnings?.map((text) => (
        <p key={text}>
          <span class="badge bad">short</span> {text}
        </p>
      ))}
      {answer && (
        <p>
          {limit
            ? `The container uses ${size(answer.used!)} of its ${size(limit)}, ${percent(answer.used! / limit)}; ${size(answer.left!)} are left.`
            : 'There is no limit.'}
        </p>
      )}
      {answer && (
        <Table title="What it is for" note={`${size(answer.resident)} of the process are in memory`}>
          <Head columns={['Kind', 'What', num('Bytes'), 'Share']} />
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind.name}>
                <th scope="row">{kind.name}</th>
                <td>{what[kind.name]}</td>
                <td class="num">{size(kind.bytes)}</td>
                <td>
                  <Bar n={kind.bytes} most={answer.resident} text={percent(kind.bytes / answer.resident)} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
