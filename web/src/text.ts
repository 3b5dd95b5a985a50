// SPDX-License-Identifier: Apache-2.0
// Numbers, times and events in words.
import type { Rejection, Waking } from './api';

const whole = new Intl.NumberFormat('en');
export const grouped = (n: number) => whole.format(n);

export function nodes(n: number) {
  return grouped(n) + (n === 1 ? ' node' : ' nodes');
}

/** 0.000412 → "412 µs". */
export function duration(seconds: number) {
  const steps: [number, string][] = [
    [1e-6, 'µs'],
    [1e-3, 'ms'],
    [1, 's'],
  ];
  let [unit, name] = steps[0]!;
  for (const [size, called] of steps) if (seconds >= size) [unit, name] = [size, called];
  const n = seconds / unit;
  return n.toFixed(n >= 99.5 || n === 0 ? 0 : n >= 9.95 ? 1 : 2) + ' ' + name;
}

/** "2026-01-01T08:08:09.123456Z" → "08:08:09". */
export const clock = (time: string) => time.slice(11, 19);

/** How long from one time to the other: "4 m 58 s". */
export function between(from: string, to: string) {
  const all = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  const parts: [number, string][] = [
    [Math.floor(all / 86400), 'd'],
    [Math.floor(all / 3600) % 24, 'h'],
    [Math.floor(all / 60) % 60, 'm'],
    [all % 60, 's'],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  const told = first < 0 ? parts.slice(3) : parts.slice(first, first + 2).filter(([n]) => n > 0);
  return told.map(([n, unit]) => `${n} ${unit}`).join(' ');
}

export function waking(w: Waking) {
  const resource = w.resource === '*' ? 'anything' : w.resource;
  return `${resource}: ${w.actions.join(', ')}`;
}

const bytes = /^(memory|ephemeral-storage|hugepages-)/;
/** So much of a resource, as people write it: 1500 of cpu is 1.5, 1073741824 of memory 1 Gi. */
export function amount(resource: string, n: number) {
  if (resource === 'cpu') return (n / 1000).toLocaleString('en', { maximumFractionDigits: 2 });
  if (!bytes.test(resource)) return grouped(n);
  const units = ['', ' Ki', ' Mi', ' Gi', ' Ti', ' Pi'];
  let unit = 0;
  for (; n >= 1024 && unit < units.length - 1; n /= 1024) ++unit;
  return n.toLocaleString('en', { maximumFractionDigits: n < 10 ? 1 : 0 }) + units[unit];
}

export const percent = (share: number) => (Number.isFinite(share) ? Math.round(share * 100) + ' %' : 'none');

/** Those of one plugin for the same reasons together, whether they are final or not; the most frequent first. */
export function together(rejections: Rejection[]): Rejection[] {
  const all = new Map<string, Rejection>();
  for (const r of rejections) {
    const key = [r.plugin, ...(r.reasons ?? [r.status])].join('\n');
    const known = all.get(key);
    all.set(key, known ? { ...known, nodes: known.nodes + r.nodes } : r);
  }
  return [...all.values()].sort((a, b) => b.nodes - a.nodes);
}
