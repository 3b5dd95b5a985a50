// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Refusal } from './api';
import { Refused } from './asked';
import { Cluster } from './cluster';
import { Decision } from './decision';
import { Decisions } from './decisions';
import { Devices } from './devices';
import { useChanges } from './live';
import { Memory } from './memory';
import { SignIn } from './parts';
import { Pending } from './pending';
import { Plugins } from './plugins';
import { href, useRoute, type Route } from './route';
import { applyTheme, nextTheme, useTheme } from './theme';
import { WhatIf } from './whatif';
import './style.css';

const views = [
  ['decisions', 'Decisions'],
  ['pending', 'Pending'],
  ['cluster', 'Cluster'],
  ['devices', 'Devices'],
  ['plugins', 'Plugins'],
  ['whatif', 'What if'],
  ['memory', 'Memory'],
] as const;

function View(props: { route: Route; again: number; reload: () => void }) {
  const [view, first, second] = props.route.parts;
  if (view === 'decisions' && first && second)
    return <Decision {...props} key={first + '/' + second} namespace={first} name={second} />;
  if (view === 'pending') return <Pending {...props} />;
  if (view === 'cluster') return <Cluster {...props} />;
  if (view === 'devices') return <Devices {...props} />;
  if (view === 'plugins') return <Plugins {...props} />;
  if (view === 'whatif') return <WhatIf {...props} />;
  if (view === 'memory') return <Memory {...props} />;
  if (!view || view === 'decisions') return <Decisions {...props} />;
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href={href(['decisions'])}>The last decisions</a> are here.
      </p>
    </>
  );
}

const followKey = 'berth-follow';

/** "/" goes to the search field, "r" asks again, "1", "2" … to the views. */
function useKeys(reload: () => void) {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select')) return;
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('input[type=search]');
        if (!field) return;
        field.focus();
        event.preventDefault();
      } else if (event.key === 'r') reload();
      else if (views[Number(event.key) - 1]) location.hash = href([views[Number(event.key) - 1]![0]]);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [reload]);
}

function App() {
  const route = useRoute();
  const [again, setAgain] = useState(0);
  const [follows, setFollows] = useState(localStorage.getItem(followKey) !== 'no');
  const news = useChanges(follows);
  const [theme, setTheme] = useTheme();
  const [reload] = useState(() => () => setAgain((n) => n + 1));
  const [refusals, setRefusals] = useState<Refusal[]>([]);
  const [signIns, setSignIns] = useState(0); // a view begins anew with each
  const [refused] = useState(() => (refusal: Refusal) => {
    setRefusals((all) => [...all, refusal]);
    return () => setRefusals((all) => all.filter((one) => one !== refusal));
  });
  useKeys(reload);
  const here = route.parts[0] ?? 'decisions';
  const place = route.parts.slice(1).join('/');
  useEffect(() => {
    document.title = (place ? place + ' · ' : '') + 'Berth';
  }, [place]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById('main')!.focus())}>
        Skip to the view
      </a>
      <header>
        <span class="brand">
          <img src="/ui/icon.svg" alt="" width="22" height="22" /> Berth
        </span>
        <nav aria-label="Views">
          {views.map(([key, text]) => (
            <a key={key} href={href([key])} aria-current={key === here ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <label class="follow">
          <input
            type="checkbox"
            checked={follows}
            onChange={(e) => {
              localStorage.setItem(followKey, e.currentTarget.checked ? 'yes' : 'no');
              setFollows(e.currentTarget.checked);
            }}
          />
          Live
        </label>
        <button type="button" class="quiet" onClick={reload} title="Ask Berth again (r)">
          Reload
        </button>
        <button type="button" class="quiet" onClick={() => setTheme(nextTheme(theme))} title="Dark, light, or as the system">
          Theme: {theme}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {refusals[0] && <SignIn refusal={refusals[0]} done={() => setSignIns((n) => n + 1)} />}
        <Refused.Provider value={refused}>
          <View key={signIns} route={route} again={again + news} reload={reload} />
        </Refused.Provider>
      </main>
    </>
  );
}

applyTheme();
render(<App />, document.getElementById('app')!);
