// The camera's pictures, one after another: each is looked at before the next is taken.
import { deviceStream, endStream } from '../run/devices.js';

export class LiveCamera {
  readonly #video = document.createElement('video');
  #stream: MediaStream | undefined;
  #ended = false;

  /** Asks for the camera. @throws DOMException where there is none, or it may not be used */
  async start(): Promise<void> {
    const video = { facingMode: 'environment', width: { ideal: 640 }, height: { ideal: 480 } };
    const stream = await deviceStream({ video });
    if (this.#ended) return endStream(stream);
    this.#stream = stream;
    Object.assign(this.#video, { srcObject: stream, muted: true, playsInline: true });
    await this.#video.play();
  }

  /** What the camera sees now; undefined once it has ended. */
  async picture(): Promise<ImageBitmap | undefined> {
    if (this.#video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) {
      await new Promise((ready) => this.#video.addEventListener('loadeddata', ready, { once: true }));
    }
    return this.#ended ? undefined : createImageBitmap(this.#video);
  }

  end(): void {
    this.#ended = true;
    endStream(this.#stream);
    this.#video.srcObject = null;
  }
}
