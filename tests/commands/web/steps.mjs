// SPDX-License-Identifier: Apache-2.0
// The views, one after the other, with what each must show. They hold for any cluster that has decided about some pods.
import assert from 'node:assert/strict';

const cells = (page, title) => page.locator(`section[aria-label="${title}"] tbody tr`);

/** The tables that a button copies, as lines of cells. */
async function copied(page, title) {
  await page.locator(`section[aria-label="${title}"] button`, { hasText: 'Copy' }).click();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  return text.split('\n').map((line) => line.split('\t'));
}

/** Links to pods that have a node, when the newest decisions are all about those that wait. */
function placedPods(page) {
  return page.evaluate(async () => {
    const ask = async (path) => (await fetch('/apis/berth/v1alpha1/' + path)).json();
    const out = [];
    for (const name of (await ask('cluster')).names.slice(0, 40))
      for (const { pod } of (await ask('nodes/' + name)).pods.slice(0, 1)) out.push(`#/decisions/${pod.namespace}/${pod.name}`);
    return out;
  });
}

/** How much of what is drawn on the canvas is wholly black, which is none of the colours. */
function blackness(page) {
  return page.locator('canvas').evaluate((canvas) => {
    const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let black = 0;
    for (let i = 0; i < all.length; i += 4) if (all[i + 3] === 255 && all[i] + all[i + 1] + all[i + 2] === 0) black += 1;
    return black / (all.length / 4);
  });
}

export const steps = [
  [
    'decisions',
    async (page, url) => {
      await page.goto(url + '/ui');
      await cells(page, 'Newest first').first().waitFor();
      const lines = await copied(page, 'Newest first');
      assert.equal(lines[0][1], 'Pod');
      assert.equal(lines.length, 1 + (await cells(page, 'Newest first').count()));
      await page.keyboard.press('/');
      await page.keyboard.type('Scheduled');
      await page.waitForURL(/find=Scheduled/);
      assert.equal(await cells(page, 'Newest first').filter({ hasText: 'Unschedulable' }).count(), 0);
      await page.locator('#find').fill('');
    },
  ],
  [
    'decision-placed',
    async (page, url) => {
      // One of which there is room for one more.
      const placed = cells(page, 'Newest first').filter({ hasText: 'Scheduled' }).locator('a');
      const links = await placed.evaluateAll((all) => all.slice(0, 40).map((a) => a.getAttribute('href')));
      for (const link of links.length > 0 ? links : await placedPods(page)) {
        await page.goto(url + '/ui' + link);
        await page.getByRole('heading', { level: 1, name: link.split('/').pop() }).waitFor();
        await page.getByRole('heading', { name: 'Evaluated now' }).waitFor();
        if (await page.getByText('would be chosen').count()) break;
      }
      assert.equal(await page.locator('tr.winner').count(), 1);
      const totals = (await copied(page, 'Nodes that can take it')).slice(1).map((line) => Number(line[1].replaceAll(',', '')));
      assert.deepEqual(totals, [...totals].sort((a, b) => b - a));
      await cells(page, 'Where the time went').first().waitFor();
      await page.getByLabel('all three', { exact: true }).check({ force: true });
      await page.waitForURL(/scores=all/);
    },
  ],
  [
    'decision-pending',
    async (page, url) => {
      await page.goto(url + '/ui#/pending');
      await cells(page, 'Why they wait').filter({ has: page.locator('.why') }).locator('a').first().click();
      await cells(page, 'Who rejects how many nodes').first().waitFor();
      const alone = (await cells(page, 'Who rejects how many nodes').count()) === 1;
      if (alone && (await page.getByText('Insufficient').count()) > 0)
        assert.match(await cells(page, 'What would make it fit').first().innerText(), / more .* on /);
      await cells(page, 'What wakes it').first().waitFor();
      await cells(page, 'Last decisions about it').first().waitFor();
      const rejected = cells(page, 'Nodes that do not take it').first().locator('a');
      assert.equal(await rejected.getAttribute('href'), '#/cluster/' + (await rejected.innerText()));
    },
  ],
  [
    'pending',
    async (page) => {
      await page.getByRole('link', { name: 'Pending' }).click();
      await cells(page, 'Why they wait').first().waitFor();
      await cells(page, 'The pods').first().waitFor();
      const queues = /^[\d,]+ pods are pending: [\d,]+ active, [\d,]+ backoff, [\d,]+ unschedulable, [\d,]+ gated\.$/;
      assert.match(await page.locator('.verdict').innerText(), queues);
      assert.ok((await page.locator('.why .bar-part').count()) > 0);
      const groups = await cells(page, 'Why they wait').count();
      if (groups > 1) {
        await page.getByText('Show these alone').first().click();
        await page.waitForURL(/group=/);
        assert.equal(await cells(page, 'Why they wait').count(), 1);
        await page.getByText('Show all groups').click();
      }
    },
  ],
  [
    'cluster',
    async (page) => {
      await page.keyboard.press('3');
      await page.locator('canvas').waitFor();
      await page.locator('canvas').focus();
      await page.keyboard.press('End');
      await page.locator('.told', { hasText: ' of ' }).waitFor();
      assert.match(await page.locator('.legend').innerText(), /cordoned/);
      await page.getByLabel('memory', { exact: true }).check({ force: true });
      await page.waitForURL(/resource=memory/);
      const light = await page.locator('canvas').evaluate((canvas) => canvas.toDataURL());
      assert.ok((await blackness(page)) < 0.01, 'the canvas is black');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction((old) => document.querySelector('canvas').toDataURL() !== old, light);
      assert.ok((await blackness(page)) < 0.01, 'the canvas is black in the dark');
    },
  ],
  [
    'cluster-node',
    async (page) => {
      await page.locator('canvas').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/cluster\/.+/);
      const name = decodeURIComponent(page.url().replace(/.*#\/cluster\//, '').replace(/\?.*/, ''));
      await page.locator(`section[aria-label="${name}"]`).waitFor();
    },
  ],
  [
    'devices',
    async (page) => {
      await page.keyboard.press('4');
      await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
      const none = page.getByText('The cluster has no devices');
      await none.or(cells(page, 'By node').first()).first().waitFor();
      if (await none.count()) return;
      // What the nodes have is what there is of each model.
      const sums = (rows, from) => rows.slice(1).reduce((all, row) => all + Number(row[from].replaceAll(',', '')), 0);
      const [models, nodes] = [await copied(page, 'By model'), await copied(page, 'By node')];
      if (nodes.length <= 200) for (const n of [0, 1, 2]) assert.equal(sums(nodes, 3 + n), sums(models, 2 + n), models[0][2 + n]);
    },
  ],
  [
    'plugins',
    async (page) => {
      await page.keyboard.press('5');
      await page.getByRole('heading', { name: 'Plugins and profiles' }).waitFor();
      const table = page.locator('section[aria-label^="Profile "]').first();
      await table.locator('tr').first().waitFor();
      const title = await table.getAttribute('aria-label');
      const [, ...rows] = await copied(page, title);
      const filters = rows.filter((row) => row[0] === 'Filter');
      assert.ok(filters.some((row) => row[7].startsWith('< ')), 'no Filter plugin tells how long half of its calls took');
      assert.ok(rows.some((row) => row[0] === 'Score' && /^\d+$/.test(row[2])), 'no Score plugin has a weight');
      assert.ok((await table.locator('.histogram .bar-part').count()) > 0);
      const [, ...libraries] = await copied(page, 'What they are');
      for (const row of libraries) assert.match(row[5], /^[0-9a-f]{64}$/);
      assert.ok(libraries.length > 0);
    },
  ],
  [
    'whatif',
    async (page) => {
      await page.keyboard.press('6');
      await page.getByRole('heading', { name: 'What if' }).waitFor();
      const weight = page.getByLabel('Weight of NodeResourcesFit');
      await weight.fill('20');
      await weight.blur();
      await page.waitForURL(/weights=NodeResourcesFit/);
      await page.getByLabel('ImageLocality', { exact: true }).uncheck();
      await page.waitForURL(/off=ImageLocality/);
      await page.getByRole('button', { name: 'Simulate' }).click();
      await page.getByText('placements differ.').waitFor({ timeout: 600_000 });
      assert.ok((await cells(page, 'Utilisation').count()) > 2);
      if (await cells(page, 'Placements that differ').count()) {
        const [, ...rows] = await copied(page, 'Placements that differ');
        for (const [pod, before, after] of rows) assert.notEqual(before, after, pod);
        const tables = await page.locator('section[aria-label]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
        assert.ok(tables.indexOf('Placements that differ') < tables.indexOf('Utilisation'), 'the difference does not come first');
      }
    },
  ],
  [
    'whatif-nodes',
    async (page) => {
      await page.goto(page.url().replace(/#.*/, '#/whatif'));
      await page.getByRole('button', { name: 'Add nodes' }).click();
      await page.getByLabel('How many nodes').fill('3');
      // What is typed outlasts what a live cluster has drawn anew meanwhile.
      await page.evaluate(() => dispatchEvent(new HashChangeEvent('hashchange')));
      await page.waitForTimeout(100);
      await page.getByLabel('How many nodes').blur();
      await page.waitForURL(/add=.*count%22%3A3/);
      await page.getByLabel('Allocatable').fill('much');
      await page.getByLabel('Allocatable').blur();
      await page.getByLabel('Labels').fill('example.com/new=yes');
      await page.getByLabel('Labels').blur();
      await page.waitForURL(/labels/);
      await page.getByLabel('Allocatable').fill('');
      await page.getByLabel('Allocatable').blur();
      await page.getByRole('button', { name: 'Simulate' }).click();
      await page.getByText('3 nodes more like').waitFor({ timeout: 600_000 });
      await page.getByText('placements differ.').waitFor({ timeout: 600_000 });
      await page.getByText('The nodes that were added').click();
      await page.getByText('example.com/new').last().waitFor();
      const cpu = (await copied(page, 'Utilisation')).find((row) => row[0] === 'cpu');
      const share = (cell) => Number(/(\d+) %/.exec(cell)[1]);
      assert.ok(share(cpu[2]) <= share(cpu[1]), 'more nodes are not less full');
    },
  ],
  [
    'whatif-fewer-nodes',
    async (page, url) => {
      const used = await page.evaluate(async () => {
        const ask = async (path) => (await fetch('/apis/berth/v1alpha1/' + path)).json();
        for (const name of (await ask('cluster')).names) if ((await ask('nodes/' + name)).pods.length > 0) return name;
      });
      await page.goto(`${url}/ui#/cluster/${encodeURIComponent(used)}`);
      await page.getByRole('link', { name: 'What if it were gone' }).click();
      await page.waitForURL((to) => to.href.endsWith('remove=' + used));
      await page.getByLabel('Take away the node').fill('another');
      await page.getByLabel('Take away the node').blur();
      await page.waitForURL(/remove=.*another/);
      await page.getByTitle('Leave another in the cluster').click();
      await page.getByRole('button', { name: 'Simulate' }).click();
      await page.getByText('without ' + used + ':').waitFor({ timeout: 600_000 });
      const [, ...rows] = await copied(page, 'Placements that differ');
      // Of a live cluster only what is scheduled anew is known, so that pods that run have no node before.
      assert.ok(rows.length > 0, 'its pods go nowhere');
      assert.ok(rows.every((row) => row[2] !== used), 'it takes pods');
      await page.getByText('--without-nodes ' + used).waitFor();
    },
  ],
  [
    'memory',
    async (page) => {
      await page.keyboard.press('7');
      await page.getByRole('heading', { name: 'Memory', exact: true }).waitFor();
      await cells(page, 'What it is for').first().waitFor();
      const [, ...rows] = await copied(page, 'What it is for');
      for (const [kind, what] of rows) assert.ok(what, `nothing says what ${kind} is`);
      for (const kind of ['pods', 'nodes', 'columns', 'program', 'other']) assert.ok(rows.some((row) => row[0] === kind), kind);
      const all = rows.map((row) => Number(/(\d+) %/.exec(row[3])[1])).reduce((a, b) => a + b, 0);
      assert.ok(all > 90 && all < 110, `the shares add up to ${all} %`);
    },
  ],
];
