// SPDX-License-Identifier: Apache-2.0
// Following what happens: a number that grows whenever there is something new.
import { useEffect, useState } from 'preact/hooks';
import { changed } from './api';

const breath = 2000;
const patience = 10_000;

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** While `on` and the page is seen. Views ask again when it grows, every two seconds at most. */
export function useChanges(on: boolean): number {
  const [n, set] = useState(0);
  useEffect(() => {
    if (!on) return;
    const control = new AbortController();
    const follow = async () => {
      for (let known = ''; !control.signal.aborted; ) {
        try {
          const now = await changed(known, control.signal);
          if (known && now !== known) set((last) => last + 1);
          known = now;
          await wait(breath);
        } catch {
          // The view says why nobody answers.
          await wait(patience);
        }
        while (document.hidden && !control.signal.aborted) await wait(breath);
      }
    };
    void follow();
    return () => control.abort();
  }, [on]);
  return n;
}
