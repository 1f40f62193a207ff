// A picture from the camera: started by the user, seen, taken.
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.js';
import { problem } from '../state.js';

export function Camera({ take }: { take: (picture: ImageBitmap) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [stream, setStream] = useState<MediaStream | undefined>(undefined);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream ?? null;
    return () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, [stream]);
  const start = async () => {
    try {
      setStream(await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } }));
    } catch (error) {
      problem.value = { message: (error as Error).message };
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
