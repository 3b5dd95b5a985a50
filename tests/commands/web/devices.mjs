// SPDX-License-Identifier: Apache-2.0
// devices.mjs URL DIRECTORY: looks at the devices of the simulation at URL, which must have some: by model, by node, and those of
// a node with the pods that have them; in wide and narrow windows, light and dark. The pictures go to the directory.
import assert from 'node:assert/strict';
import { accessibility, clipped, end, open } from './browser.mjs';

const [url, directory] = process.argv.slice(2);
const { browser, page, faults } = await open(url);
const ask = async (path) => (await fetch(`${url}/apis/berth/v1alpha1/${path}`)).json();
const rows = (title) => page.locator(`section[aria-label="${title}"] tbody tr`);
const number = (n) => n.toLocaleString('en');

async function pictures(name) {
  for (const width of [1280, 700]) {
    await page.setViewportSize({ width, height: 860 });
    await page.waitForTimeout(200);
    if (width === 1280) faults.push(...(await clipped(page, name)));
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(200);
      await page.screenshot({ path: `${directory}/${name}-${width}-${scheme}.png` });
      faults.push(...(await accessibility(page, `${name}, ${width}, ${scheme}`)));
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}

const steps = {
  devices: async () => {
    const answer = await ask('devices?limit=5000');
    await page.goto(url + '/ui#/devices');
    await rows('By model').first().waitFor();
    assert.equal(await rows('By model').count(), answer.models.length);
    const texts = await rows('By model').allInnerTexts();
    for (const [i, m] of answer.models.entries())
      assert.deepEqual(texts[i].split('\t').filter((cell) => cell.trim()), [m.driver, m.model ?? 'unknown', m.allocated, m.devices, m.free, m.nodes].map((cell) => (typeof cell === 'number' ? number(cell) : cell)));
    assert.equal(await rows('By node').count(), Math.min(200, answer.nodes.length));
  },
  'devices-found': async () => {
    const answer = await ask('devices?limit=5000');
    const name = answer.nodes.at(-1).node;
    await page.getByLabel('most free first', { exact: true }).check({ force: true });
    await page.waitForURL(/order=emptiest/);
    const [, , , , all, free] = (await rows('By node').first().innerText()).split('\t');
    assert.equal(free / all, Math.max(...answer.nodes.map((row) => row.free / row.devices)));
    await page.getByLabel('Node, driver or model').fill(name);
    await page.waitForURL(/find=/);
    assert.equal(await rows('By node').count(), answer.nodes.filter((row) => row.node === name).length);
    await rows('By node').first().locator('a').click();
    await page.waitForURL((to) => to.href.endsWith('#/cluster/' + name));
  },
  'devices-of-a-node': async () => {
    const { nodes } = await ask('devices?limit=5000');
    const name = nodes[0].node;
    const { devices } = await ask('devices/' + name);
    await page.goto(`${url}/ui#/cluster/${name}`);
    const all = rows('Devices of ' + name);
    await all.first().waitFor();
    assert.equal(await all.count(), devices.length);
    const pod = devices.find((d) => d.claims?.[0]?.pods[0]).claims[0];
    const link = all.locator('a', { hasText: pod.pods[0] }).first();
    assert.equal(await link.getAttribute('href'), `#/decisions/${pod.namespace}/${pod.pods[0]}`);
    await all.last().scrollIntoViewIfNeeded();
  },
};

let seen = 0;
for (const [name, step] of Object.entries(steps)) {
  try {
    await step();
    await pictures(name);
    seen += 1;
  } catch (error) {
    faults.push(`${name}: ${error.message.split('\n').slice(0, 5).join(' ')}`);
    await page.screenshot({ path: `${directory}/${name}-failed.png` });
  }
}
await browser.close();
end(`${seen} of ${Object.keys(steps).length} views of devices`, faults);
