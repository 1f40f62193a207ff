// The page of all these examples: a file input; the chosen model runs on zeros, and the page lists its outputs.

/** A tensor of zeros for an input; dimensions that the model leaves open are 1. */
function zeros({ Tensor }, { type, shape }) {
  const dims = shape.map((d) => (typeof d === 'number' ? d : 1));
  const length = dims.reduce((a, b) => a * b, 1);
  return new Tensor(type, Array(length).fill(type.includes('64') && type !== 'float64' ? 0n : 0), dims);
}

async function run(ort, file) {
  const session = await ort.InferenceSession.create(file);
  try {
    const feeds = Object.fromEntries(session.inputMetadata.map((input) => [input.name, zeros(ort, input)]));
    const outputs = await session.run(feeds);
    return Object.entries(outputs).map(([name, { type, dims }]) => `${name}: ${type}[${dims.join(', ')}]`);
  } finally {
    await session.release();
  }
}

/** @param {typeof import('sardonyx')} ort @param {HTMLElement} root */
export function start(ort, root) {
  root.innerHTML = '<label>A model: <input type="file" accept=".onnx"></label><pre></pre>';
  const [input, output] = [root.querySelector('input'), root.querySelector('pre')];
  input.addEventListener('change', async () => {
    output.textContent = '...';
    output.textContent = await run(ort, input.files[0]).then(
      (lines) => lines.join('\n'),
      (error) => String(error),
    );
  });
}
