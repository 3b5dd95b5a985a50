// SPDX-License-Identifier: Apache-2.0
// Following what happens: a number that grows whenever there is something new.
import { useEffect, useState } from 'preact/hooks';
import { changed, follow, Refusal } from './api';

const breath = 2000;
const patience = 10_000;

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** While `on` and the page is seen. Views ask again when it grows, every two seconds at most. */
export function useChanges(on: boolean): number {
  const [n, set] = useState(0);
  useEffect(() => {
    if (!on) return;
    const control = new AbortController();
    let known = ''; // what Berth calls that which is
    let shown = '';
    let missed = false; // nobody told what happened meanwhile
    const heard = (now: string) => {
      shown = missed ? 'unknown' : shown || now;
      missed = false;
      known = now;
    };
    const look = setInterval(() => {
      if (known === shown || document.hidden) return;
      shown = known;
      set((last) => last + 1);
    }, breath);
    const listen = async () => {
      for (let streams = true; !control.signal.aborted; ) {
        try {
          if (streams) streams = await follow(heard, control.signal);
          else heard(await changed(known, control.signal));
          await wait(breath);
        } catch (error) {
          // The view says why nobody answers. When too many follow, one can still ask.
          if (error instanceof Refusal && error.status === 429) streams = false;
          missed = true;
          await wait(patience);
        }
      }
    };
    void listen();
    return () => {
      clearInterval(look);
      control.abort();
    };
  }, [on]);
  return n;
}
