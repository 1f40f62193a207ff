// Sound as samples: from a file or the microphone, one channel, at the rate that a model expects.

/** Decodes any format that the browser knows. @throws Error */
export async function decodeAudio(data: ArrayBuffer, rate: number): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, rate);
  const sound = await context.decodeAudioData(data);
  return mixed(sound);
}

function mixed(sound: AudioBuffer): Float32Array {
  const mix = new Float32Array(sound.length);
  for (let c = 0; c < sound.numberOfChannels; ++c) {
    const channel = sound.getChannelData(c);
    for (let i = 0; i < mix.length; ++i) mix[i] += channel[i] / sound.numberOfChannels;
  }
  return mix;
}

/** Records for some seconds; asks the user for the microphone. @throws DOMException where it may not or cannot */
export async function recordAudio(seconds: number, rate: number): Promise<Float32Array> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    const recorder = new MediaRecorder(stream);
    const parts: Blob[] = [];
    const recorded = new Promise<void>((resolve, reject) => {
      recorder.ondataavailable = ({ data }) => parts.push(data);
      recorder.onstop = () => resolve();
      recorder.onerror = () => reject(new Error('the recording broke off'));
    });
    recorder.start();
    setTimeout(() => recorder.stop(), 1000 * seconds);
    await recorded;
    return await decodeAudio(await new Blob(parts).arrayBuffer(), rate);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
