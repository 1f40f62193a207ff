// The studio for everybody: axe-core finds nothing serious in any view, in both languages, light and dark; all is there
// at 360 pixels, and nothing moves where the user wants that. studio_keyboard.test.mjs has the keyboard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { initializer, modelBytes, node, port } from '../models/tiny_model.mjs';
import { choose, file, readyToRun, studioOfTests, tab } from './studio_page.mjs';

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

/** A picture goes in, and comes out as picture, row and numbers; something is there to be simplified. */
const pictures = () =>
  modelBytes({
    node: [
      node('Identity', ['image'], ['same'], 'idle'),
      node('Conv', ['same', 'kernel'], ['edges'], 'kernel'),
      node('GlobalAveragePool', ['edges'], ['pooled'], 'pool'),
      node('Flatten', ['pooled'], ['scores'], 'flat'),
    ],
    input: [port('image', [1, 3, 32, 32])],
    output: [port('edges', [1, 8, 30, 30]), port('scores', [1, 8])],
    initializer: [
      initializer(
        'kernel',
        [8, 3, 3, 3],
        Array.from({ length: 216 }, (_, i) => (i % 5) - 2),
      ),
    ],
  });

/** Its operator is none: it cannot be loaded. */
const unknown = () =>
  modelBytes({ node: [node('Nonsense', ['x'], ['y'], 'odd')], input: [port('x', [1])], output: [port('y', [1])] });

/** Each view with something in it: [name, what brings it up]. */
const kSteps = [
  ['home', async () => {}],
  [
    'error',
    async (page) => {
      await choose(page, file('none.onnx', 'nothing'));
      await page.waitForSelector('#error:not([hidden])');
    },
  ],
  [
    'not loaded',
    async (page) => {
      await choose(page, file('unknown.onnx', unknown()));
      await page.waitForSelector('#error:not([hidden])');
      await tab(page, 'run');
      await page.waitForSelector('#view-run .load-again');
    },
  ],
  [
    'findings',
    async (page) => {
      await tab(page, 'check');
      await page.waitForSelector('.finding');
    },
  ],
  [
    'run, empty',
    async (page) => {
      await choose(page, file('pictures.onnx', pictures()));
      await readyToRun(page);
      await page.click('.engine summary');
    },
  ],
  [
    'run, done',
    async (page) => {
      await page.locator('#inputs select').first().selectOption('random');
      await page.click('#run');
      await page.waitForSelector('#outputs article >> nth=1');
    },
  ],
  ['profile', (page) => tab(page, 'profile')],
  [
    'simplified, side by side',
    async (page) => {
      await tab(page, 'check');
      await page.click('#simplify');
      await page.click('#side-by-side');
      await page.waitForFunction(() => document.querySelectorAll('.side-by-side canvas[data-scale]').length === 2);
      await page.click('#print');
      await page.waitForSelector('#text');
    },
  ],
  ['model', (page) => tab(page, 'model')],
  ['graph', (page) => tab(page, 'graph')],
  [
    'node, in colours of time',
    async (page) => {
      await page.click('#heat-toggle');
      await page.focus('#view-graph canvas');
      for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowDown');
      await page.locator('.port .link:not(.step)').first().click();
      await page.waitForSelector('.histogram rect');
    },
  ],
  [
    'list of nodes',
    async (page) => {
      await page.keyboard.press('Escape');
      if (await page.isVisible('.list-toggle')) await page.click('.list-toggle');
      await page.fill('#search', 'conv');
    },
  ],
  ...['faces', 'voice'].map((sample) => [
    `sample ${sample}`,
    async (page) => {
      await page.click('#close');
      await page.click(`#sample-${sample}`);
      await page.waitForSelector('.sample');
      if (sample === 'faces')
        await page.waitForFunction(() => /\d/.test(document.getElementById('sample-status').textContent));
    },
  ]),
];

for (const [locale, colorScheme, width] of [
  ['en-GB', 'light', 1280],
  ['en-GB', 'dark', 360],
  ['zh-CN', 'light', 360],
  ['zh-CN', 'dark', 1280],
]) {
  test(`no serious finding, ${locale}, ${colorScheme}, ${width} pixels wide`, async () => {
    const page = await site.open({ locale, colorScheme, viewport: { width, height: 800 } });
    const found = [];
    for (const [name, bring] of kSteps) {
      await bring(page);
      found.push(...(await findings(page, name)));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) found.push(`${name}: ${over} pixels too wide`);
    }
    assert.deepEqual(found, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

/** Two words in a row. What a library says is told as a reason, after Chinese words. */
const isEnglish = (text) => /\b[a-z]{2,} [a-z]{2,}\b/.test(text) && !/\p{Script=Han}/u.test(text);

test('the page in Chinese says nothing of its own in English', async () => {
  const page = await site.open({ locale: 'zh-CN', viewport: { width: 1280, height: 900 } });
  const english = [];
  for (const [name, bring] of kSteps) {
    await bring(page);
    const said = await page.evaluate(() => {
      const texts = [];
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let text = walk.nextNode(); text; text = walk.nextNode()) {
        const { parentElement } = text;
        const foreign = parentElement.closest('[lang=en], code, pre, .name, .node-name, .licence, .brand, #model-name');
        if (!foreign && parentElement.checkVisibility()) texts.push(text.data);
      }
      for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
        for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
      }
      return texts;
    });
    english.push(...said.filter(isEnglish).map((text) => `${name}: ${text}`));
  }
  assert.deepEqual(english, []);
  await page.context().close();
});

test('nothing moves where the user wants no motion', async () => {
  const page = await site.open({ reducedMotion: 'reduce' });
  await page.evaluate(() => {
    globalThis.moving = 0;
    const look = () => {
      globalThis.moving += document.getAnimations().filter((a) => a.playState === 'running').length;
      requestAnimationFrame(look);
    };
    look();
  });
  for (const [, bring] of kSteps.slice(0, 8)) await bring(page);
  assert.equal(await page.evaluate(() => globalThis.moving), 0);
  await page.context().close();
});
