// Camera and microphone, where the browser has them for this page.
import { t } from '../i18n/index.js';

/** @throws Error where there is none, the user refuses, or the page may not ask */
export async function deviceStream(wanted: MediaStreamConstraints): Promise<MediaStream> {
  if (!navigator.mediaDevices) throw new Error(t('insecure'));
  try {
    return await navigator.mediaDevices.getUserMedia(wanted);
  } catch (error) {
    const { name } = error as DOMException;
    const known = {
      NotAllowedError: 'deviceRefused',
      NotFoundError: 'deviceMissing',
      NotReadableError: 'deviceBusy',
    } as const;
    const key = known[name as keyof typeof known];
    throw key ? new Error(t(key)) : error;
  }
}

export function endStream(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
