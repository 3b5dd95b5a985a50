// SPDX-License-Identifier: Apache-2.0
// deep_link.mjs URL: whoever opens a view by its address is asked once who they are, and sees the view after that. The simulation
// at URL asks nobody, so its refusals are made up here.
import assert from 'node:assert/strict';
import { accessibility, end, open } from './browser.mjs';

const [url] = process.argv.slice(2);
const refusal = { kind: 'Status', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 };

/** What each view must show to somebody who has signed in. */
const views = {
  decisions: (page) => page.locator('section[aria-label="Newest first"] tbody tr').first(),
  pending: (page) => page.locator('section[aria-label="Why they wait"] tbody tr').first(),
  cluster: (page) => page.locator('canvas'),
  node: (page, name) => page.locator(`section[aria-label="${name}"]`),
  devices: (page) => page.getByText('The cluster has no devices'),
  plugins: (page) => page.locator('section[aria-label^="Profile "] tbody tr').first(),
  whatif: (page) => page.getByLabel('Weight of NodeResourcesFit'),
  memory: (page) => page.locator('section[aria-label="What it is for"] tbody tr').first(),
};

const faults = [];
let seen = 0;
const node = (await (await fetch(url + '/apis/berth/v1alpha1/cluster')).json()).names[0];
for (const [view, sign] of Object.entries(views)) {
  const { browser, page, faults: more } = await open(url, { expected: [401] });
  try {
    await page.route('**/apis/berth/**', (route) =>
      route.request().headers().authorization === 'Bearer right' ? route.continue() : route.fulfill({ status: 401, json: refusal }),
    );
    await page.goto(`${url}/ui#/${view === 'node' ? 'cluster/' + node : view}`);
    const field = page.getByLabel('A bearer token');
    await field.first().waitFor();
    await page.waitForTimeout(500); // until every question of the view has its answer
    assert.equal(await field.count(), 1, 'somebody is asked more than once who they are');
    assert.equal(await page.locator('h1').count(), 1);
    faults.push(...(await accessibility(page, view)));
    for (const token of ['wrong', 'right']) {
      await field.fill(token);
      await page.getByRole('button', { name: 'Show it' }).click();
      if (token === 'wrong') await page.getByText('The token does not have the right.').waitFor();
    }
    await sign(page, node).waitFor({ timeout: 10_000 });
    assert.equal(await field.count(), 0);
    seen += 1;
  } catch (error) {
    faults.push(`${view}: ${error.message.split('\n').slice(0, 3).join(' ')}`);
  }
  faults.push(...more.map((fault) => `${view}: ${fault}`));
  await browser.close();
}
end(`${seen} of ${Object.keys(views).length} views after a sign-in`, faults);
