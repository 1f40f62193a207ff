// A picture from the camera: started by the user, seen, taken.
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.js';
import { problem, view } from '../state.js';
import { deviceStream, endStream } from './devices.js';

export function Camera({ take }: { take: (picture: ImageBitmap) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [stream, setStream] = useState<MediaStream | undefined>(undefined);
  // It is not left on where it is not seen.
  const seen = view.value === 'run';
  useEffect(() => {
    if (!seen) setStream(undefined);
  }, [seen]);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream ?? null;
    return () => endStream(stream);
  }, [stream]);
  const start = async () => {
    problem.value = undefined;
    try {
      setStream(await deviceStream({ video: { facingMode: 'environment' } }));
    } catch (error) {
      problem.value = { message: t('noCamera', { why: (error as Error).message }) };
    }
  };
  const shoot = async () => {
    if (video.current && video.current.videoWidth > 0) take(await createImageBitmap(video.current));
  };
  return (
    <div class="camera">
      <video ref={video} autoplay muted playsInline hidden={!stream} />
      <button type="button" onClick={stream ? shoot : start}>
        {stream ? t('takePicture') : t('startCamera')}
      </button>
    </div>
  );
}
