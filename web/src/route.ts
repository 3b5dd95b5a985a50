// SPDX-License-Identifier: Apache-2.0
// Where in the dashboard one is: "#/decisions/default/web-1?scores=raw". Every view has an address.
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  parts: string[];
  query: URLSearchParams;
}

export function href(parts: string[], query: Record<string, string | undefined> = {}) {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  const tail = new URLSearchParams(given).toString();
  return '#/' + parts.map(encodeURIComponent).join('/') + (tail ? '?' + tail : '');
}

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter(Boolean);
  try {
    return { parts: parts.map(decodeURIComponent), query: new URLSearchParams(query) };
  } catch {
    return { parts, query: new URLSearchParams(query) };
  }
}

export function useRoute(): Route {
  const [route, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

/** The same place with other words in its query; going back passes over it. */
export function setQuery(route: Route, changes: Record<string, string | undefined>) {
  const query = { ...Object.fromEntries(route.query), ...changes };
  history.replaceState(null, '', href(route.parts, query));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
