// SPDX-License-Identifier: Apache-2.0
// sign_in.mjs URL TOKEN DIRECTORY POD: somebody without a certificate is asked for a token, one that is none is refused, and with
// TOKEN the decisions are there, and that about POD, which is made later, as soon as it is made: server-sent events tell of it.
import assert from 'node:assert/strict';
import { accessibility, end, open } from './browser.mjs';

const [url, token, directory, pod] = process.argv.slice(2);
const { browser, page, faults } = await open(url, { expected: [401, 403] });
try {
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const field = page.getByLabel('A bearer token');
  const show = async (text) => {
    await field.fill(text);
    await page.getByRole('button', { name: 'Show it' }).click();
  };
  await page.goto(url + '/ui');
  await field.waitFor();
  await page.screenshot({ path: `${directory}/sign-in.png` });
  faults.push(...(await accessibility(page, 'sign-in')));
  await show('nonsense');
  await page.getByText('The token does not have the right.').waitFor();
  await show(token);
  await page.locator('section[aria-label="Newest first"] tbody tr').first().waitFor();
  assert.equal(await field.count(), 0);
  console.log('signed in');
  await page.getByRole('link', { name: pod, exact: true }).waitFor({ timeout: 120_000 });
  assert.ok(asked.some((one) => one.includes('/changes?follow=true')), 'nobody follows');
  assert.ok(!asked.some((one) => one.includes('/changes?since=')), 'it asks instead of following');
  const kept = await page.evaluate(() => Object.values(localStorage).join());
  assert.ok(!kept.includes(token), 'the token outlives the tab');
} catch (error) {
  faults.push(error.message.split('\n').slice(0, 3).join(' '));
}
await browser.close();
end('signed in, and told of a new pod', faults);
