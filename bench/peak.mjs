// The speed of this core with 128-bit SIMD: a WebAssembly loop of multiply-adds in registers, without memory.

const kChains = 12; // independent sums: enough to hide the latency, few enough for the registers
const kFlops = kChains * 4 * 2; // per iteration

// WebAssembly's binary encoding.
const section = (id, ...bytes) => [id, ...leb(bytes.length), ...bytes];
const kGet = 0x20;
const kSet = 0x21;
const kV128 = 0x7b;
const kI32 = 0x7f;
const kF32 = 0x7d;
const simd = (opcode) => [0xfd, ...leb(opcode)];
const kSplat = simd(0x13); // f32x4.splat
const kExtract = [...simd(0x1f), 0]; // f32x4.extract_lane 0
const kAdd = simd(0xe4); // f32x4.add
const kMul = simd(0xe6); // f32x4.mul
const kRelaxedMadd = simd(0x105); // f32x4.relaxed_madd

function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

/** (func (export "run") (param i32 f32) (result f32)): the parameter's count of iterations. */
function peakModule(relaxed) {
  const factor = 2; // after the two parameters
  const term = 3;
  const sums = Array.from({ length: kChains }, (_, i) => 4 + i);
  const step = (sum) =>
    relaxed
      ? [kGet, sum, kGet, factor, kGet, term, ...kRelaxedMadd, kSet, sum]
      : [kGet, sum, kGet, factor, ...kMul, kGet, term, ...kAdd, kSet, sum];
  const body = [
    ...[1, kChains + 2, kV128], // locals
    ...[factor, term, ...sums].flatMap((local) => [kGet, 1, ...kSplat, kSet, local]),
    ...[0x03, 0x40], // loop
    ...sums.flatMap(step),
    ...[kGet, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0], // count - 1, and again unless 0
    0x0b,
    ...[kGet, sums[0]],
    ...sums.slice(1).flatMap((sum) => [kGet, sum, ...kAdd]),
    ...kExtract,
    0x0b,
  ];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 2, kI32, kF32, 1, kF32),
    ...section(3, 1, 0),
    ...section(7, 1, 3, 0x72, 0x75, 0x6e, 0, 0),
    ...section(10, 1, ...leb(body.length), ...body),
  ]);
}

/**
 * @param {boolean} relaxed fused multiply-adds, where the engine has relaxed SIMD
 * @returns {Promise<(iterations: number) => number>} GFLOP/s of one core while it ran that many
 */
export async function peakLoop(relaxed) {
  const { instance } = await WebAssembly.instantiate(peakModule(relaxed));
  const { run } = instance.exports;
  for (let i = 0; i < 20; i++) run(20_000, 0.5); // the optimising compiler takes over
  return (iterations) => {
    const begin = performance.now();
    run(iterations, 0.5);
    return (kFlops * iterations) / (performance.now() - begin) / 1e6;
  };
}
