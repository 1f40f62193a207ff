// The page: a model is picked, its inputs are filled, it runs in a worker, its outputs are shown.
import { byId, bytesText, countText, element, msText } from './dom.js';
import { Engine } from './engine.js';
import { showInputs } from './inputs.js';
import { showOutputs, showProfile } from './outputs.js';
import { sampleModel } from './sample.js';

const engine = new Engine();
let feedsOf;

function showError(error) {
  const box = byId('error');
  box.hidden = !error;
  box.textContent = error ? error.message : '';
}

function setBusy(busy) {
  byId('run').disabled = busy;
  byId('sample').disabled = busy;
  document.body.setAttribute('aria-busy', String(busy));
}

function showProgress({ phase, loaded, total }) {
  byId('progress').hidden = phase === 'ready';
  const bar = byId('bar');
  if (phase === 'reading' && total) Object.assign(bar, { max: total, value: loaded });
  else bar.removeAttribute('value');
  byId('progress-text').textContent = phase === 'reading' ? `${bytesText(loaded)} read` : 'preparing the graph';
}

function showModel(name, size, { metadata, info, memory, ms, inputs, outputs }) {
  const operators = Object.entries(metadata.operators).sort((a, b) => b[1] - a[1]);
  const nodes = operators.reduce((sum, [, count]) => sum + count, 0);
  const producer = `${metadata.producerName} ${metadata.producerVersion}`.trim();
  const shapeOf = (meta) =>
    meta.isTensor ? `${meta.type}[${meta.shape.map((d) => (d === '' ? '?' : d)).join(', ')}]` : meta.description;
  const ports = (list) => list.map((meta) => `${meta.name}: ${shapeOf(meta)}`).join('; ');
  const rows = [
    ['file', `${name}, ${bytesText(size)}`],
    ['producer', producer],
    ['graph', metadata.graphName],
    [
      'operator sets',
      Object.entries(metadata.opsets)
        .map(([domain, version]) => `${domain} ${version}`)
        .join(', '),
    ],
    ['nodes', `${countText(nodes)}: ${operators.map(([type, count]) => `${type} ${count}`).join(', ')}`],
    ['parameters', countText(metadata.parameters)],
    ['inputs', ports(inputs)],
    ['outputs', ports(outputs)],
    ['loaded in', `${msText(ms)}, ${info.variant}, ${info.threads} thread${info.threads > 1 ? 's' : ''} (${info.why})`],
    ['memory', `${bytesText(memory.weights + memory.packed)} of weights, heap ${bytesText(memory.heap)}`],
  ];
  byId('about').replaceChildren(
    ...rows.filter(([, text]) => text).flatMap(([term, text]) => [element('dt', {}, term), element('dd', {}, text)]),
  );
  byId('about').hidden = false;
}

async function load(name, model, size, externalData = []) {
  showError();
  setBusy(true);
  for (const id of ['about', 'run-form', 'results']) byId(id).hidden = true;
  try {
    showProgress({ phase: 'reading', loaded: 0, total: size });
    const loaded = await engine.load({ model, externalData }, showProgress);
    showModel(name, size, loaded);
    feedsOf = showInputs(byId('inputs'), loaded.inputs);
    byId('status').textContent = '';
    byId('run-form').hidden = false;
  } catch (error) {
    showError(error);
  } finally {
    byId('progress').hidden = true;
    setBusy(false);
  }
}

/** The model among the files; the others are its external data. */
function loadFiles(files) {
  const all = [...files];
  if (all.length === 0) return undefined;
  const model = all.find((file) => /\.(onnx|ort)$/i.test(file.name)) ?? all[0];
  const externalData = all.filter((file) => file !== model).map((file) => ({ path: file.name, data: file }));
  return load(model.name, model, model.size, externalData);
}

async function run(event) {
  event.preventDefault();
  showError();
  setBusy(true);
  byId('status').textContent = 'running';
  try {
    const feeds = await feedsOf();
    const repeat = Math.max(1, Math.min(1000, Math.trunc(Number(byId('repeat').value)) || 1));
    const { outputs, times, profile, memory } = await engine.run({ feeds, repeat, profile: byId('profile').checked });
    const sorted = times.toSorted((a, b) => a - b);
    const more = `; of ${times.length} runs: best ${msText(sorted[0])}, median ${msText(sorted[sorted.length >> 1])}`;
    byId('timing').textContent =
      `${times.length > 1 ? `first run ${msText(times[0])}${more}` : `${msText(times[0])}`}, heap ${bytesText(memory.heap)}`;
    showOutputs(byId('outputs'), outputs);
    byId('profile-box').hidden = !profile;
    if (profile) showProfile(byId('profile-table'), profile);
    byId('results').hidden = false;
    byId('status').textContent = 'done';
  } catch (error) {
    byId('status').textContent = '';
    showError(error);
  } finally {
    setBusy(false);
  }
}

byId('files').addEventListener('change', (event) => loadFiles(event.target.files));
byId('sample').addEventListener('click', () => {
  const model = sampleModel();
  load('a sample', model, model.length);
});
byId('run-form').addEventListener('submit', run);
for (const type of ['dragover', 'dragleave', 'drop']) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.toggle('dragging', type === 'dragover');
    if (type === 'drop') loadFiles(event.dataTransfer.files);
  });
}
