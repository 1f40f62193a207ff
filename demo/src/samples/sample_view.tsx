// A sample at work: a picture or a sound goes in, what the model finds comes out.
import { t } from '../i18n/index.js';
import { openSample } from '../state.js';
import { PictureSample } from './picture_sample.js';
import { VoiceSample } from './voice_sample.js';

export function SampleView() {
  const opened = openSample.value;
  if (!opened) return null;
  const { sample } = opened;
  return (
    <div class="sample">
      <h2>{t(sample.title)}</h2>
      <p class="soft">
        {t(sample.text)} <span class="licence">{sample.licence}</span>
      </p>
      {sample.name === 'voice' ? <VoiceSample opened={opened} /> : <PictureSample opened={opened} />}
    </div>
  );
}
