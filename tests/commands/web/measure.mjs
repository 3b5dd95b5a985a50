// SPDX-License-Identifier: Apache-2.0
// measure.mjs URL: how long it takes until each view is there, from a browser that has seen nothing of it, and the longest that the
// page was busy at a stretch while it was looked at.
import { open } from './browser.mjs';

const [url] = process.argv.slice(2);
const there = {
  'cluster': (page) => page.waitForFunction(() => {
    const canvas = document.querySelector('canvas');
    return canvas && canvas.height > 100 && canvas.getContext('2d').getImageData(5, 40, 1, 1).data[3] === 255;
  }),
  'decisions': (page) => page.locator('section tbody tr').first().waitFor(),
  'pending': (page) => page.locator('section tbody tr').first().waitFor(),
  'plugins': (page) => page.locator('section tbody tr').first().waitFor(),
};

/** What keeps somebody busy who looks at the cluster. */
async function look(page) {
  await page.locator('canvas').focus();
  for (const key of ['End', 'Home', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  const box = await page.locator('canvas').boundingBox();
  for (let i = 0; i < 40; ++i) await page.mouse.move(box.x + 10 + i * 20, box.y + 40 + i * 5);
  await page.getByLabel('memory', { exact: true }).check({ force: true });
  await page.mouse.click(box.x + 100, box.y + 60);
  await page.locator('section[aria-label] tbody tr').first().waitFor();
}

for (const [view, seen] of Object.entries(there)) {
  const { browser, page, faults } = await open(url);
  await page.addInitScript(() => {
    window.busy = [];
    new PerformanceObserver((list) => window.busy.push(...list.getEntries().map((e) => e.duration))).observe({ type: 'longtask', buffered: true });
  });
  const begun = Date.now();
  await page.goto(`${url}/ui#/${view}`);
  await seen(page);
  const took = Date.now() - begun;
  if (view === 'cluster') await look(page);
  await page.waitForTimeout(1000);
  const busy = Math.max(0, ...(await page.evaluate(() => window.busy)));
  console.log(`${view}: there after ${took} ms; busy for ${Math.round(busy)} ms at the longest; ${faults.length} faults`);
  await browser.close();
}
