// SPDX-License-Identifier: Apache-2.0
// walk.mjs URL DIRECTORY [CERTIFICATE KEY]: looks at every view of the dashboard at URL, light and dark; pictures go to the
// directory. An error on the console, a serious fault that axe finds, or a view that does not show what it should ends it.
import { accessibility, clipped, end, open } from './browser.mjs';
import { steps } from './steps.mjs';

const [url, directory, certPath, keyPath] = process.argv.slice(2);
const { browser, page, faults } = await open(url, { certificate: certPath && { certPath, keyPath } });

async function judge(name) {
  faults.push(...(await clipped(page, name)));
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(200); // until what is drawn has the new colours
    await page.screenshot({ path: `${directory}/${name}-${scheme}.png` });
    faults.push(...(await accessibility(page, `${name}, ${scheme}`)));
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
end(`${views} of ${steps.length} views`, faults);
