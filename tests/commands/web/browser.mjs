// SPDX-License-Identifier: Apache-2.0
// Debian's chromium with one page, and what goes wrong in it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `certificate`: {certPath, keyPath} of who looks; `expected`: statuses that are no faults. */
export async function open(url, { certificate, expected = [] } = {}) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  // Axe is put into the page, which the page's own policy would refuse.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    bypassCSP: true,
    ignoreHTTPSErrors: true,
    clientCertificates: certificate ? [{ origin: url, ...certificate }] : [],
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    const known = expected.some((status) => message.text().includes(`status of ${status}`));
    if (message.type() === 'error' && !known) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && !expected.includes(response.status())) faults.push(`${response.status()}: ${response.url()}`);
  });
  return { browser, page, faults };
}

/** What axe finds serious on the page as it is, a line each. */
export async function accessibility(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  return found.violations
    .filter((fault) => ['serious', 'critical'].includes(fault.impact))
    .map((fault) => `${where}: ${fault.id}: ${fault.help}: ${fault.nodes[0].html.slice(0, 150)}`);
}

/** Tables that are wider than their place and cells that are cut, a line each; a digest may be, as the button copies it whole. */
export async function clipped(page, where) {
  const found = await page.evaluate(() => {
    const cut = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.scrollWidth > one.clientWidth + 1);
    return [
      ...cut('.scroll').map((one) => `${one.getAttribute('aria-label')}: ${one.scrollWidth} of ${one.clientWidth} px`),
      ...cut('main td:not(.digest), main th').map((one) => `cut: ${one.innerText.slice(0, 60)}`),
    ];
  });
  return found.map((one) => `${where}: ${one}`);
}

/** Prints what was seen and the faults, and ends with 1 if there are any. */
export function end(seen, faults) {
  for (const fault of faults) console.log(fault);
  console.log(`${seen}, ${faults.length} faults`);
  process.exit(faults.length === 0 ? 0 : 1);
}
