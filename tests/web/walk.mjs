// SPDX-License-Identifier: Apache-2.0
// walk.mjs URL DIRECTORY: looks at every view of the dashboard at URL with Debian's chromium, light and dark; pictures go to the
// directory. An error on the console, a serious fault that axe finds, or a view that does not show what it should ends it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { steps } from './steps.mjs';

const [url, directory] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking'],
});
// Axe is put into the page, which the page's own policy would refuse.
const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, bypassCSP: true, ignoreHTTPSErrors: true });
await context.grantPermissions(['clipboard-read', 'clipboard-write']);
const page = await context.newPage();
const faults = [];
page.on('console', (message) => {
  if (message.type() === 'error') faults.push(`console: ${message.text()}`);
});
page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
page.on('response', (response) => {
  if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
});

async function judge(name) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${directory}/${name}-${scheme}.png` });
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
    for (const fault of found.violations)
      if (['serious', 'critical'].includes(fault.impact))
        faults.push(`${name}, ${scheme}: ${fault.id}: ${fault.help}: ${fault.nodes[0].html.slice(0, 150)}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

let views = 0;
for (const [name, step] of steps) {
  try {
    await step(page, url);
    await judge(name);
    views += 1;
  } catch (error) {
    faults.push(`${name}: ${error.message.split('\n').slice(0, 3).join(' ')}`);
    await page.screenshot({ path: `${directory}/${name}-failed.png` });
  }
}
await browser.close();
for (const fault of faults) console.log(fault);
console.log(`${views} of ${steps.length} views, ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
