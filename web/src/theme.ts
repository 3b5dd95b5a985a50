// SPDX-License-Identifier: Apache-2.0
// Dark, light, or as the system has it.
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';
const key = 'berth-theme';
const order: Theme[] = ['system', 'light', 'dark'];

export const nextTheme = (now: Theme): Theme => order[(order.indexOf(now) + 1) % order.length]!;

function read(): Theme {
  const kept = localStorage.getItem(key) as Theme | null;
  return kept && order.includes(kept) ? kept : 'system';
}

export function applyTheme(theme = read()) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, set] = useState(read);
  useEffect(() => {
    localStorage.setItem(key, theme);
    applyTheme(theme);
  }, [theme]);
  return [theme, set];
}
