// SPDX-License-Identifier: Apache-2.0
// The last decisions.
import { useState } from 'preact/hooks';
import type { DecisionList } from './api';
import { useAnswer } from './asked';
import { Head, Result, Table, Trouble, num } from './parts';
import { href, setQuery, type Route } from './route';
import { clock, duration, grouped } from './text';

const shown = 1000;

/** "default/web-1" or "web-1". */
function place(text: string): string | undefined {
  const [first, second, ...more] = text.trim().split('/');
  if (!first || more.length > 0) return undefined;
  return second ? href(['decisions', first, second]) : href(['decisions', 'default', first]);
}

export function Decisions(props: { route: Route; again: number; reload: () => void }) {
  const asked = useAnswer<DecisionList>(`decisions?limit=${shown}`, props.again);
  const find = props.route.query.get('find') ?? '';
  const [text, setText] = useState(find);
  const items = (asked.answer?.items ?? []).filter(
    (d) => !find || `${d.pod.namespace}/${d.pod.name} ${d.result} ${d.node ?? ''} ${d.message ?? ''}`.includes(find),
  );
  const goTo = place(text);
  return (
    <>
      <h1>Decisions</h1>
      <form
        class="find"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (goTo) location.hash = goTo;
        }}
      >
        <label for="find">Pod, node or reason</label>
        <input
          id="find"
          type="search"
          placeholder="namespace/pod"
          value={text}
          onInput={(e) => {
            setText(e.currentTarget.value);
            setQuery(props.route, { find: e.currentTarget.value });
          }}
        />
        <button type="submit" disabled={!goTo}>
          Look at this pod
        </button>
      </form>
      <Trouble asked={asked} again={props.reload} />
      {asked.answer?.warnings?.map((w) => (
        <p class="note" key={w}>
          {w}
        </p>
      ))}
      {asked.answer && (
        <Table title="Newest first" note={`${grouped(items.length)} of ${grouped(asked.answer.items.length)}`}>
          <Head columns={['Time', 'Pod', 'Result', 'Node, or why not', num('Nodes'), num('Could take it'), num('Attempt'), num('Took')]} />
          <tbody>
            {items.map((d) => (
              <tr key={d.seq + d.result}>
                <td class="num">{clock(d.time)}</td>
                <td>
                  <a href={href(['decisions', d.pod.namespace, d.pod.name])}>
                    {d.pod.namespace}/{d.pod.name}
                  </a>
                </td>
                <td>
                  <Result result={d.result} />
                </td>
                <td class="whole">{d.node ?? d.message}</td>
                <td class="num">{grouped(d.evaluatedNodes)}</td>
                <td class="num">{grouped(d.feasibleNodes)}</td>
                <td class="num">{d.attempt}</td>
                <td class="num">{d.seconds > 0 ? duration(d.seconds) : ''}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {asked.answer && items.length === 0 && (
        <p class="note">{find ? 'None of them says that.' : 'Nothing has been decided yet.'}</p>
      )}
    </>
  );
}
