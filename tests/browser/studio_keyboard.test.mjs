// The studio by the keyboard alone: the way from the first page to a run, what closes, where one is afterwards, and that
// Tab goes through each view and out of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goodModel } from '../models/tiny_model.mjs';
import { choose, file, readyToRun, run, studioOfTests, tab } from './studio_page.mjs';

const site = studioOfTests();

const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.id || at?.className || at?.tagName.toLowerCase();
  });

/** Presses Tab until the element is reached. */
async function tabTo(page, selector, key = 'Tab') {
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press(key);
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  assert.fail(`${key} does not reach ${selector}`);
}

test('the main path: a model is opened, looked at, run and closed, without a mouse', async () => {
  const page = await site.open();
  // A listener makes the browser hand dialogs over, which takes a moment: one opened before would be closed unseen.
  page.on('filechooser', () => {});
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'skip');
  assert.ok((await page.locator('.skip').boundingBox()).x >= 0, 'the skip link is seen when it has the focus');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'files');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles(file('good.onnx', goodModel()));
  await page.waitForSelector('#run-form', { state: 'attached' });
  // What had the focus is gone; the content has it.
  await page.waitForFunction(() => document.activeElement.id === 'content');
  await tabTo(page, '#view-graph canvas');
  await page.keyboard.press('ArrowDown');
  await page.waitForSelector('.panel-close');
  await tabTo(page, '.panel-close');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.matches('#view-graph canvas'));
  await tabTo(page, '[role=tab]', 'Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 'tab-run');
  await tabTo(page, '#run');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('status')?.textContent === 'done');
  assert.equal(await focused(page), 'run', 'the button keeps the focus while it runs');
  await tabTo(page, '#close', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'content');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('Escape closes what is open over the graph, one at a time', async () => {
  const page = await site.open({ viewport: { width: 360, height: 760 } });
  await choose(page, file('good.onnx', goodModel()));
  await page.waitForSelector('#view-graph canvas[data-scale]');
  await page.focus('.list-toggle');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.graph-listed');
  await page.fill('#search', 'nothing of the kind');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.getElementById('search').value === '');
  assert.ok(await page.isVisible('#search'));
  await page.keyboard.press('Escape');
  await page.waitForSelector('#search', { state: 'hidden' });
  await page.waitForFunction(() => document.activeElement.matches('.list-toggle'));
  // What is chosen in the list is not left under it.
  await page.keyboard.press('Enter');
  await page.focus('.node-row');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.graph-chosen:not(.graph-listed)');
  await page.waitForFunction(() => document.activeElement.matches('#view-graph canvas'));
  await page.focus('.node-panel .panel-close');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.graph-chosen', { state: 'detached' });
  await page.waitForFunction(() => document.activeElement.matches('#view-graph canvas'));
  await page.context().close();
});

test('what is dismissed or cancelled leaves the focus in the content', async () => {
  const page = await site.open();
  await choose(page, file('none.onnx', 'nothing'));
  await page.focus('#error button');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'content');
  await page.context().close();
});

test('tabs are reached and changed by the keyboard', async () => {
  const page = await site.open();
  await choose(page, file('good.onnx', goodModel()));
  await readyToRun(page);
  await page.focus('#tab-run');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 'tab-profile');
  assert.ok(await page.isVisible('#view-profile'));
  await page.keyboard.press('End');
  assert.equal(await focused(page), 'tab-check');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 'tab-graph');
  await page.keyboard.press('Tab');
  assert.notEqual(await focused(page), 'tab-graph');
  await page.context().close();
});

test('Tab goes through each view and out of it; what has the focus is seen, and marked', async () => {
  const page = await site.open({ viewport: { width: 1024, height: 700 } });
  await choose(page, file('good.onnx', goodModel()));
  await readyToRun(page);
  await run(page);
  for (const view of ['graph', 'model', 'run', 'profile', 'check']) {
    await tab(page, view);
    if (view === 'check') {
      await page.click('#simplify');
      await page.click('#side-by-side');
      await page.waitForFunction(() => document.querySelectorAll('.side-by-side canvas[data-scale]').length === 2);
    }
    await page.focus(`#tab-${view}`);
    const wanted = await page.evaluate((name) => {
      const all = document.querySelectorAll(
        `#view-${name} :is(a, button, input, select, textarea, summary, [tabindex])`,
      );
      return [...all].filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).length;
    }, view);
    let met = 0;
    for (let i = 0; i < wanted + 12; ++i) {
      await page.keyboard.press('Tab');
      const now = await page.evaluate((name) => {
        const at = document.activeElement;
        if (!at.closest(`#view-${name}`)) return { out: at === document.body || !at.closest('main') };
        const { top, bottom } = at.getBoundingClientRect();
        const style = getComputedStyle(at);
        return {
          what: at.id || at.className || at.textContent.slice(0, 20),
          seen: bottom > 0 && top < innerHeight,
          marked: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 1,
        };
      }, view);
      if (now.out && met > 0) break;
      if (now.what === undefined) continue;
      ++met;
      assert.ok(now.seen, `${view}: ${now.what} is not seen`);
      assert.ok(now.marked, `${view}: ${now.what} is not marked`);
    }
    // The view itself may be one more stop, where it scrolls.
    assert.ok(met >= wanted && met <= wanted + 1, `${view}: ${met} of ${wanted}`);
  }
  await page.context().close();
});
