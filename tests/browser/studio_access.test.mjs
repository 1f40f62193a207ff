// The studio for everybody: axe-core finds nothing serious in any view, light and dark; all is there at 360 pixels; the
// keyboard reaches all.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { goodModel } from '../models/tiny_model.mjs';
import { choose, file, readyToRun, run, studioOfTests, tab } from './studio_page.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const site = studioOfTests();

/** Serious and critical findings, each with where it is. */
async function findings(page, place) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${place}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 360],
]) {
  test(`no serious finding, ${colorScheme}, ${width} pixels wide`, async () => {
    const page = await site.open({ colorScheme, viewport: { width, height: 800 } });
    const found = await findings(page, 'home');
    await choose(page, file('none.onnx', 'nothing'));
    await page.waitForSelector('#error:not([hidden])');
    found.push(...(await findings(page, 'error')));
    await choose(page, file('good.onnx', goodModel()));
    await readyToRun(page);
    await run(page);
    for (const view of ['run', 'profile', 'check', 'model', 'graph']) {
      await tab(page, view);
      assert.ok((await overflow(page)) <= 0, view);
      found.push(...(await findings(page, view)));
    }
    await page.focus('.graph-canvas canvas');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('.panel-close');
    found.push(...(await findings(page, 'node')));
    await page.click('#close');
    await page.click('#sample-faces');
    await page.waitForFunction(() => /\d found in/.test(document.getElementById('sample-status')?.textContent));
    assert.ok((await overflow(page)) <= 0, 'sample');
    found.push(...(await findings(page, 'sample')));
    assert.deepEqual(found, []);
    await page.context().close();
  });
}

test('tabs are reached and changed by the keyboard', async () => {
  const page = await site.open();
  await choose(page, file('good.onnx', goodModel()));
  await readyToRun(page);
  await page.focus('#tab-run');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-profile');
  assert.ok(await page.isVisible('#view-profile'));
  await page.keyboard.press('Tab');
  assert.notEqual(await page.evaluate(() => document.activeElement.id), 'tab-profile');
  await page.context().close();
});
