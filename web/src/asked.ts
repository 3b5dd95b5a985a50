// SPDX-License-Identifier: Apache-2.0
// A question to Berth that a view asks for as long as it is there.
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { get, Refusal } from './api';

export interface Asked<T> {
  answer?: T;
  refusal?: Refusal;
  asking: boolean;
}

/** Berth does not know who asks, or they lack the right. */
export const isForSignIn = (refusal: Refusal) => refusal.status === 401 || refusal.status === 403;

/** Tells the page of such a refusal, for one sign-in above whatever the view asks; the result takes it back. */
export const Refused = createContext<(refusal: Refusal) => () => void>(() => () => {});

/** Asks anew when `path` or `again` changes; meanwhile the last answer to the same path stays. */
export function useAnswer<T>(path: string, again: number): Asked<T> {
  const [state, set] = useState<Asked<T> & { path: string }>({ path, asking: true });
  useEffect(() => {
    const control = new AbortController();
    set((last) => (last.path === path ? { ...last, asking: true } : { path, asking: true }));
    get<T>(path, control.signal).then(
      (answer) => set({ path, answer, asking: false }),
      (refusal: unknown) => {
        if (control.signal.aborted) return;
        const why = refusal instanceof Refusal ? refusal : new Refusal(0, String(refusal));
        set((last) => ({ path, answer: last.path === path ? last.answer : undefined, refusal: why, asking: false }));
      },
    );
    return () => control.abort();
  }, [path, again]);
  const refused = useContext(Refused);
  const refusal = state.path === path && state.refusal && isForSignIn(state.refusal) ? state.refusal : undefined;
  useEffect(() => refusal && refused(refusal), [refusal, refused]);
  return state.path === path ? state : { asking: true };
}
