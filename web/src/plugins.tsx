// SPDX-License-Identifier: Apache-2.0
// The profiles, and the plugins in their order: how they are called and what they are.
import type { PluginList, PluginPlace, PluginProfile } from './api';
import { useAnswer } from './asked';
import { Head, Histogram, Table, Trouble, num } from './parts';
import { duration, grouped } from './text';

/** Than what so many of the calls were shorter: "< 2.05 µs". */
function within(share: number, latency: number[], bounds: number[]) {
  const all = latency.reduce((a, b) => a + b, 0);
  let sum = 0;
  const bucket = latency.findIndex((n) => (sum += n) >= share * all);
  return bucket < bounds.length ? '< ' + duration(bounds[bucket]!) : '> ' + duration(bounds[bounds.length - 1]!);
}

function Row(props: { point: string; place: PluginPlace; bounds: number[] }) {
  const { place, bounds } = props;
  const { latency } = place;
  return (
    <tr>
      <td>{props.point}</td>
      <th scope="row">{place.plugin}</th>
      <td class="num">{place.weight}</td>
      <td class="num">{grouped(place.calls)}</td>
      <td class="num">{grouped(place.nodes)}</td>
      <td class="num">{place.rejections > 0 && grouped(place.rejections)}</td>
      <td class="num">{place.calls > 0 && duration(place.seconds)}</td>
      <td class="num">{latency && within(0.5, latency, bounds)}</td>
      <td class="num">{latency && within(0.99, latency, bounds)}</td>
      <td>{latency && <Histogram of={latency} />}</td>
    </tr>
  );
}

function Profile(props: { profile: PluginProfile; bounds: number[] }) {
  const { profile, bounds } = props;
  return (
    <Table title={'Profile ' + profile.name} note="in the order in which they are called, and what came of it since the start">
      <Head
        columns={[
          'Extension point',
          'Plugin',
          num('Weight'),
          num('Calls'),
          num('Nodes'),
          num('Rejections'),
          num('Time'),
          num('Half of the calls'),
          num('99 % of them'),
          `Durations, ${duration(bounds[0]!)} to ${duration(bounds[bounds.length - 1]!)}`,
        ]}
      />
      <tbody>
        {profile.points.flatMap((point) =>
          point.plugins.map((place) => (
            <Row key={point.extensionPoint + place.plugin} point={point.extensionPoint} place={place} bounds={bounds} />
          )),
        )}
      </tbody>
    </Table>
  );
}

function Libraries(props: { plugins: PluginList['plugins'] }) {
  return (
    <Table title="What they are" note={`${grouped(props.plugins.length)} plugins`}>
      <Head columns={['Plugin', 'State', num('Failures'), 'Version', 'File', 'SHA-256']} />
      <tbody>
        {props.plugins.map((p) => (
          <tr key={p.name}>
            <th scope="row">{p.name}</th>
            <td class={p.quarantine ? 'whole' : undefined}>
              {p.quarantine ? (
                <>
                  <span class="badge bad">in quarantine</span> {p.quarantine}
                </>
              ) : (
                <span class="badge good">in force</span>
              )}
            </td>
            <td class="num">{grouped(p.failures)}</td>
            <td>{p.version}</td>
            <td class="long">{p.file}</td>
            <td class="digest">{p.sha256}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function Plugins(props: { again: number; reload: () => void }) {
  const asked = useAnswer<PluginList>('plugins', props.again);
  const answer = asked.answer;
  return (
    <>
      <h1>Plugins and profiles</h1>
      <Trouble asked={asked} again={props.reload} />
      {answer?.profiles.map((p) => <Profile key={p.name} profile={p} bounds={answer.latencyBounds} />)}
      {answer && answer.plugins.length > 0 && <Libraries plugins={answer.plugins} />}
    </>
  );
}
