// A file to choose: the browser's own control speaks the browser's language, this one the page's.
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.js';

interface Props {
  /** What the file is for, said to who does not see the page. */
  readonly label: string;
  readonly accept: string;
  readonly take: (file: File) => void;
  readonly id?: string;
  /** On the button. */
  readonly text?: string;
}

export function FileField({ label, accept, take, id, text }: Props) {
  const [name, setName] = useState('');
  return (
    <label class="file">
      <input
        id={id}
        type="file"
        class="unseen"
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (!file) return;
          setName(file.name);
          take(file);
          // The same file again is a choice too.
          currentTarget.value = '';
        }}
      />
      <span class="button">{text ?? t('chooseFile')}</span>
      <span class="soft file-name">{name || (text ? '' : t('noFile'))}</span>
    </label>
  );
}
