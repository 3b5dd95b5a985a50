// SPDX-License-Identifier: Apache-2.0
// What every plugin said of every node, and how long it took to say it.
import type { Evaluation, NodeRecord, Score } from './api';
import { Bar, Head, Table, num } from './parts';
import { href } from './route';
import { duration, grouped, nodes, together } from './text';

export type Shown = 'weighted' | 'normalized' | 'raw' | 'all';

const NodeLink = (props: { name: string }) => <a href={href(['cluster', props.name])}>{props.name}</a>;

function Cell(props: { score?: Score; shown: Shown; most: number }) {
  const { score, shown } = props;
  if (!score) return <td class="num" />;
  const value = shown === 'all' ? score.weighted : score[shown];
  const strength = props.most > 0 ? Math.min(10, Math.max(0, Math.round((10 * value) / props.most))) : 0;
  return (
    <td class={`num heat-${strength}`}>
      {grouped(value)}
      {shown === 'all' && (
        <small>
          {' '}
          {grouped(score.raw)} → {grouped(score.normalized)}
        </small>
      )}
    </td>
  );
}

/** The nodes that can take the pod, the best first. */
export function Scores(props: { evaluation: Evaluation; shown: Shown }) {
  const { evaluation: e, shown } = props;
  const scored = (e.nodes ?? []).filter((n) => !n.verdict);
  if (scored.length === 0) return null;
  const plugins = [...new Set(scored.flatMap((n) => n.scores?.map((s) => s.plugin) ?? []))];
  const of = (n: NodeRecord, plugin: string) => n.scores?.find((s) => s.plugin === plugin);
  const key = shown === 'all' ? 'weighted' : shown;
  const most = new Map(plugins.map((p) => [p, Math.max(...scored.map((n) => of(n, p)?.[key] ?? 0))]));
  return (
    <Table title="Nodes that can take it" note={`${grouped(scored.length)} of ${grouped(e.feasibleNodes)}, the best first`}>
      <Head columns={['Node', num('Total'), ...plugins.map(num)]} />
      <tbody>
        {scored.map((n) => (
          <tr key={n.name} class={n.name === e.node ? 'winner' : ''}>
            <th scope="row">
              <NodeLink name={n.name} />
              {n.name === e.node && <span class="badge good">chosen</span>}
            </th>
            <td class="num total">{n.total === undefined ? '' : grouped(n.total)}</td>
            {plugins.map((p) => (
              <Cell key={p} score={of(n, p)} shown={shown} most={most.get(p) ?? 0} />
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Who rejects how many nodes, and, beneath, which. */
export function Rejections(props: { evaluation: Evaluation }) {
  const { evaluation: e } = props;
  const rejected = (e.nodes ?? []).filter((n) => n.verdict);
  if (!e.rejections) return null;
  return (
    <>
      <Table title="Who rejects how many nodes" note={nodes(e.evaluatedNodes - e.feasibleNodes)}>
        <Head columns={['Plugin', 'Reason', 'Nodes']} />
        <tbody>
          {together(e.rejections).map((r) => (
            <tr key={r.plugin + r.reasons?.join()}>
              <td>{r.plugin}</td>
              <td>{r.reasons?.join('; ') ?? r.status}</td>
              <td class="bars">
                <Bar n={r.nodes} most={e.evaluatedNodes} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {rejected.length > 0 && (
        <Table
          title="Nodes that do not take it"
          note={`${grouped(rejected.length)} of ${grouped(e.evaluatedNodes - e.feasibleNodes)}`}
        >
          <Head columns={['Node', 'Plugin', 'Verdict', 'Reasons']} />
          <tbody>
            {rejected.map((n) => (
              <tr key={n.name}>
                <th scope="row">
                  <NodeLink name={n.name} />
                </th>
                <td>{n.verdict!.plugin}</td>
                <td>{n.verdict!.status}</td>
                <td class="whole">{n.verdict!.reasons?.join('; ')}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

/** The smallest changes after which a node would take it. */
export function Remedies(props: { evaluation: Evaluation }) {
  const { remedies } = props.evaluation;
  if (!remedies) return null;
  return (
    <Table title="What would make it fit" note="one of these">
      <Head columns={['Change', 'Plugin', num('Nodes')]} />
      <tbody>
        {remedies.map((r) => (
          <tr key={r.change}>
            <td class="whole">{r.change}</td>
            <td>{r.plugin}</td>
            <td class="num">{grouped(r.nodes)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Where the time went. */
export function Times(props: { evaluation: Evaluation }) {
  const times = props.evaluation.times ?? [];
  if (times.length === 0) return null;
  const all = times.reduce((sum, t) => sum + t.seconds, 0);
  const most = Math.max(...times.map((t) => t.seconds));
  return (
    <Table title="Where the time went" note={`${duration(all)} in plugins`}>
      <Head columns={['Extension point', 'Plugin', num('Nodes'), 'Time']} />
      <tbody>
        {times.map((t) => (
          <tr key={t.extensionPoint + t.plugin}>
            <td>{t.extensionPoint}</td>
            <td>{t.plugin}</td>
            <td class="num">{grouped(t.nodes)}</td>
            <td class="bars">
              <Bar n={t.seconds} most={most} text={duration(t.seconds)} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
