// SPDX-License-Identifier: Apache-2.0
// Why one pod is where it is, or where it would go now.
import type { Decision as Made, Evaluation, Explanation, Standing } from './api';
import { useAnswer } from './asked';
import { Choice, Head, Result, Table, Trouble, num } from './parts';
import { Rejections, Remedies, Scores, Times, type Shown } from './evaluation';
import { href, setQuery, type Route } from './route';
import { between, clock, duration, grouped, nodes, waking } from './text';

function Verdict(props: { standing?: Standing; last?: Made }) {
  const { standing, last } = props;
  if (!standing)
    return (
      <p class="verdict">
        The pod is gone. {last && <>The last word about it: {last.node ? `placed on ${last.node}` : last.message}</>}
      </p>
    );
  const tried = `${standing.attempts} ${standing.attempts === 1 ? 'attempt' : 'attempts'}`;
  return (
    <p class="verdict">
      <Result result={standing.state} />{' '}
      {standing.node ? (
        <>
          on <a href={href(['cluster', standing.node])}>{standing.node}</a>
        </>
      ) : standing.gatedBy ? (
        <>gated by {standing.gatedBy}</>
      ) : (
        <>
          {standing.rejectedBy && <>rejected by {standing.rejectedBy.join(', ')}; </>}
          {tried}
        </>
      )}
      {standing.nominatedNode && <>, nominated for {standing.nominatedNode}</>}
    </p>
  );
}

function Wakes(props: { standing: Standing; now: string }) {
  const { wakes, until } = props.standing;
  if (!wakes) return null;
  return (
    <Table title="What wakes it" note={until && `in any case it is tried again in ${between(props.now, until)}`}>
      <Head columns={['Plugin', 'Event', 'Wakes it']} />
      <tbody>
        {wakes.map((w) => (
          <tr key={w.plugin + w.resource + w.actions.join()}>
            <td>{w.plugin}</td>
            <td>{waking(w)}</td>
            <td>{w.hint ? 'if it helps' : 'always'}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Evaluated(props: { evaluation: Evaluation; route: Route; warnings?: string[] }) {
  const { evaluation: e, route } = props;
  const kind = (route.query.get('scores') ?? 'weighted') as Shown;
  const many = route.query.get('nodes') ?? '20';
  return (
    <>
      <section class="lead" aria-label="Evaluated now">
        <h2>Evaluated now</h2>
        <p>
          {e.node ? (
            <>
              <b>{e.node}</b> would be chosen.{' '}
            </>
          ) : (
            <>{e.message} </>
          )}
          {nodes(e.evaluatedNodes)} looked at, {grouped(e.feasibleNodes)} can take it; profile {e.profile}.
        </p>
        {props.warnings?.map((w) => (
          <p class="note" key={w}>
            {w}
          </p>
        ))}
        {e.notAsked && <p class="note">Not called, because a dry run changes nothing: {e.notAsked.join(', ')}.</p>}
        <div class="choices">
          <Choice
            label="Scores"
            all={[
              ['weighted', 'weighted'],
              ['normalized', 'normalized'],
              ['raw', 'raw'],
              ['all', 'all three'],
            ]}
            now={kind}
            choose={(key) => setQuery(route, { scores: key === 'weighted' ? undefined : key })}
          />
          <Choice
            label="Nodes"
            all={['20', '100', '1000'].map((n) => [n, grouped(+n)])}
            now={many}
            choose={(key) => setQuery(route, { nodes: key === '20' ? undefined : key })}
          />
        </div>
      </section>
      <Remedies evaluation={e} />
      <Scores evaluation={e} shown={kind} />
      <Rejections evaluation={e} />
      <Times evaluation={e} />
    </>
  );
}

function History(props: { decisions: Made[] }) {
  return (
    <Table title="Last decisions about it">
      <Head columns={['Time', num('Attempt'), 'Result', 'Node, or why not', num('Took')]} />
      <tbody>
        {props.decisions.map((d) => (
          <tr key={d.seq + d.result}>
            <td class="num">{clock(d.time)}</td>
            <td class="num">{d.attempt}</td>
            <td>
              <Result result={d.result} />
            </td>
            <td class="whole">{d.node ?? d.message}</td>
            <td class="num">{d.seconds > 0 ? duration(d.seconds) : ''}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function Decision(props: { route: Route; namespace: string; name: string; again: number; reload: () => void }) {
  const { route, namespace, name } = props;
  const many = route.query.get('nodes') ?? '20';
  const path = `decisions/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}?detail=nodes&nodes=${many}`;
  const asked = useAnswer<Explanation>(path, props.again);
  const answer = asked.answer;
  return (
    <>
      <h1>
        <span class="note">{namespace}/</span>
        {name}
      </h1>
      <Trouble asked={asked} again={props.reload} />
      {answer && (
        <>
          <Verdict standing={answer.standing} last={answer.decisions[0]} />
          {answer.evaluation && (
            <Evaluated evaluation={answer.evaluation} route={route} warnings={answer.warnings} />
          )}
          {answer.standing && <Wakes standing={answer.standing} now={answer.time} />}
          {answer.decisions.length > 0 && <History decisions={answer.decisions} />}
        </>
      )}
    </>
  );
}
