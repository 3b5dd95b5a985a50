// SPDX-License-Identifier: Apache-2.0
// What views are made of.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { hasToken, useToken, type Refusal } from './api';
import { isForSignIn, type Asked } from './asked';
import { grouped } from './text';

/** The cells as they stand, tabs between them: what spreadsheets and terminals take. */
function textOf(table: HTMLTableElement) {
  return [...table.rows]
    .map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, ' ').trim()).join('\t'))
    .join('\n');
}

/** A number of 1 or more. What is typed counts when the field is left, and stays while the view is drawn anew. */
export function NumberField(props: { label: string; value: number; disabled?: boolean; set: (n: number) => void }) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      type="number"
      min="1"
      aria-label={props.label}
      disabled={props.disabled}
      value={typed ?? props.value}
      onInput={(e) => setTyped(e.currentTarget.value)}
      onChange={(e) => {
        setTyped(undefined);
        props.set(e.currentTarget.valueAsNumber);
      }}
    />
  );
}

/** A table under a heading, with a button that copies it. */
export function Table(props: { title: string; note?: ComponentChildren; children: ComponentChildren; low?: boolean }) {
  const table = useRef<HTMLTableElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(textOf(table.current!));
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <section class="block" aria-label={props.title}>
      <div class="block-head">
        <h2>{props.title}</h2>
        {props.note && <div class="note">{props.note}</div>}
        <button type="button" class="quiet" onClick={copy} title="Copy the table as text, with tabs">
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <div class={props.low ? 'scroll low' : 'scroll'} tabIndex={0} role="region" aria-label={props.title + ', table'}>
        <table ref={table}>
          {props.children}
        </table>
      </div>
    </section>
  );
}

/** A column of numbers. */
export const num = (numbers: string) => ({ numbers });

/** A name such as NodeResourcesFit may be divided where a word begins. */
function divisible(name: string): ComponentChildren[] {
  return name.split(/(?<=[a-z])(?=[A-Z])/).flatMap((word, i) => (i > 0 ? [<wbr key={i} />, word] : [word]));
}

/** What the columns of a table are called. */
export function Head(props: { columns: (string | ReturnType<typeof num>)[] }) {
  return (
    <thead>
      <tr>
        {props.columns.map((column) =>
          typeof column === 'string' ? (
            <th scope="col" key={column}>
              {divisible(column)}
            </th>
          ) : (
            <th scope="col" key={column.numbers} class="num">
              {divisible(column.numbers)}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

export function Result(props: { result: string }) {
  const kind: Record<string, string> = { Scheduled: 'good', Placed: 'good', Done: 'good', Error: 'bad', Failed: 'bad', Unschedulable: 'warn' };
  return <span class={'badge ' + (kind[props.result] ?? '')}>{props.result}</span>;
}

/** A length beside others: `n` of `most`. */
export function Bar(props: { n: number; most: number; text?: string }) {
  const share = props.most > 0 ? Math.max(0.5, (100 * props.n) / props.most) : 0;
  return (
    <div class="bar">
      <svg width="100%" height="10" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10">
        <rect class="bar-all" width="100" height="10" />
        <rect class="bar-part" width={share} height="10" />
      </svg>
      <span class="num">{props.text ?? grouped(props.n)}</span>
    </div>
  );
}

/** How many there are of each, side by side; beside a `most` of another for the same scale. */
export function Histogram(props: { of: number[]; most?: number }) {
  const most = props.most ?? Math.max(...props.of);
  const step = 100 / props.of.length;
  return (
    <svg class="histogram" width="100" height="18" aria-hidden="true">
      {props.of.map((n, i) => {
        const height = n > 0 ? Math.max(1, (17 * n) / most) : 0;
        return <rect key={i} class="bar-part" x={i * step} y={17 - height} width={step - 1} height={height} />;
      })}
      <rect class="bar-all" y="17" width="100" height="1" />
    </svg>
  );
}

/** One of a few. */
export function Choice(props: { label: string; all: [string, string][]; now: string; choose: (key: string) => void }) {
  return (
    <fieldset class="choice">
      <legend>{props.label}</legend>
      {props.all.map(([key, text]) => (
        <label key={key} class={key === props.now ? 'on' : ''}>
          <input
            type="radio"
            name={props.label}
            checked={key === props.now}
            onChange={() => props.choose(key)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** Asks who is there, once for all that a view asks; `done` when there is another token. */
export function SignIn(props: { refusal: Refusal; done: () => void }) {
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    useToken(token);
    props.done();
  };
  return (
    <div class="trouble" role="alert">
      <p>{props.refusal.message}</p>
      <p>{hasToken() ? 'The token does not have the right.' : 'Berth does not know who asks, or they lack the right.'}</p>
      <form onSubmit={submit} class="sign-in">
        <label for="token">A bearer token, as kubectl create token prints it</label>
        <div>
          <input id="token" type="password" autocomplete="off" value={token} onInput={(e) => setToken(e.currentTarget.value)} />
          <button type="submit" disabled={!token.trim()}>
            Show it
          </button>
        </div>
        <p class="note">It goes to Berth alone, and this tab forgets it when it is closed.</p>
      </form>
    </div>
  );
}

/** What stands in the place of an answer, or above an old one; the page itself asks people to sign in. */
export function Trouble<T>(props: { asked: Asked<T>; again: () => void }) {
  const { answer, refusal, asking } = props.asked;
  if (!refusal) return answer || !asking ? null : <p class="wait">Asking Berth …</p>;
  if (isForSignIn(refusal)) return null;
  return (
    <div class="trouble" role="alert">
      <p>{refusal.message}</p>
      <button type="button" onClick={props.again}>
        Ask again
      </button>
    </div>
  );
}
