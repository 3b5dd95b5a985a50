// SPDX-License-Identifier: Apache-2.0
// The pods that wait, together when they wait for the same.
import type { WaitingPod, WaitingPods, Waking } from './api';
import { useAnswer } from './asked';
import { Bar, Head, Result, Table, Trouble, num } from './parts';
import { href, setQuery, type Route } from './route';
import { between, grouped, together, waking } from './text';

interface Group {
  key: string;
  pods: WaitingPod[];
}

/** By who rejects them and why, the largest group first. */
function groups(pods: WaitingPod[]): Group[] {
  const all = new Map<string, WaitingPod[]>();
  for (const pod of pods) {
    const reasons = together(pod.rejections ?? []).map((r) => r.plugin + ': ' + (r.reasons ?? [r.status]).join('; '));
    const why = reasons.length > 0 ? reasons.sort() : (pod.rejectedBy ?? [pod.gatedBy ? 'gated by ' + pod.gatedBy : pod.state]);
    const key = why.join(' · ');
    const known = all.get(key);
    if (known) known.push(pod);
    else all.set(key, [pod]);
  }
  return [...all].map(([key, members]) => ({ key, pods: members })).sort((a, b) => b.pods.length - a.pods.length);
}

function Why(props: { pod: WaitingPod }) {
  const { rejections, evaluatedNodes, message, gatedBy, attempts } = props.pod;
  if (!rejections || !evaluatedNodes)
    return (
      <span>
        {gatedBy
          ? `gated by ${gatedBy}`
          : (message ?? (attempts > 0 ? 'It was tried too long ago to tell; its page says what would come of it now.' : 'It has not been tried yet.'))}
      </span>
    );
  return (
    <div class="why">
      {together(rejections).map((r) => (
        <div key={r.plugin + r.reasons?.join()}>
          <span class="who">{r.plugin}</span>
          <span class="what">{r.reasons?.join('; ') ?? r.status}</span>
          <Bar n={r.nodes} most={evaluatedNodes} />
        </div>
      ))}
    </div>
  );
}

function Wakes(props: { wakes: Waking[]; rejectedBy?: string[] }) {
  const events = props.wakes.filter((w) => props.rejectedBy?.includes(w.plugin));
  if (events.length === 0) return null;
  const unique = [...new Map(events.map((w) => [waking(w), w])).values()];
  return <div class="note">Woken by {unique.map(waking).join(' · ')}</div>;
}

/** It enters its queue anew whenever it is tried. */
const begun = (pod: WaitingPod) => pod.firstAttempt ?? pod.since ?? '';

const link = (pod: WaitingPod) => (
  <a href={href(['decisions', pod.pod.namespace, pod.pod.name])}>
    {pod.pod.namespace}/{pod.pod.name}
  </a>
);

function Groups(props: { all: Group[]; answer: WaitingPods; route: Route }) {
  const open = props.route.query.get('group');
  return (
    <Table title="Why they wait" note="together when the reasons are the same; the bars are nodes">
      <Head columns={[num('Pods'), 'Who rejects how many nodes', 'Such as']} />
      <tbody>
        {props.all.map((g) => (
          <tr key={g.key}>
            <td class="num total">{grouped(g.pods.length)}</td>
            <td class="whole">
              <Why pod={g.pods[0]!} />
              <Wakes wakes={props.answer.wakes} rejectedBy={g.pods[0]!.rejectedBy} />
            </td>
            <td>
              {link(g.pods[0]!)}
              {g.pods.length > 1 && (
                <>
                  <br />
                  <button
                    type="button"
                    class="quiet"
                    aria-pressed={open === g.key}
                    onClick={() => setQuery(props.route, { group: open === g.key ? undefined : g.key })}
                  >
                    {open === g.key ? 'Show all groups' : 'Show these alone'}
                  </button>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function Pending(props: { route: Route; again: number; reload: () => void }) {
  const asked = useAnswer<WaitingPods>('pending?limit=5000', props.again);
  const answer = asked.answer;
  const all = groups(answer?.items ?? []);
  const open = props.route.query.get('group');
  const chosen = open ? all.filter((g) => g.key === open) : all;
  const most = 200;
  const pods = chosen.flatMap((g) => g.pods).sort((a, b) => begun(a).localeCompare(begun(b)));
  return (
    <>
      <h1>Pending</h1>
      <Trouble asked={asked} again={props.reload} />
      {answer && (
        <>
          <p class="verdict">
            {grouped(answer.items.length + (answer.omitted ?? 0))} pods are pending: {grouped(answer.counts.active)} active,{' '}
            {grouped(answer.counts.backingOff)} backoff, {grouped(answer.counts.unschedulable)} unschedulable,{' '}
            {grouped(answer.counts.gated)} gated.
          </p>
          {answer.omitted && <p class="note">Shown are those that have waited longest.</p>}
          {chosen.length > 0 && <Groups all={chosen} answer={answer} route={props.route} />}
          {pods.length > 0 && (
            <Table title="The pods" note={pods.length > most ? `${most} of ${grouped(pods.length)}, the longest waiting first` : 'the longest waiting first'}>
              <Head columns={['Pod', 'State', 'Rejected by', num('Attempts'), num('Waiting for'), num('Tried again in')]} />
              <tbody>
                {pods.slice(0, most).map((p) => (
                  <tr key={p.pod.namespace + '/' + p.pod.name}>
                    <td>{link(p)}</td>
                    <td>
                      <Result result={p.state} />
                    </td>
                    <td>{p.rejectedBy?.join(', ') ?? p.gatedBy}</td>
                    <td class="num">{p.attempts}</td>
                    <td class="num">{begun(p) && between(begun(p), answer.time)}</td>
                    <td class="num">{p.until && between(answer.time, p.until)}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </>
      )}
    </>
  );
}
