// The package's tools, away from the page's thread: check, simplify, print, and the types of values.
import { type CheckReport, check, inferShapes, print, type SimplifyResult, simplify } from 'sardonyx/tools';
import { type ScopeTypes, typesIn } from '../graph/scope_types.js';
import { type Spoken, spoken } from '../i18n/said.js';
import { readModel } from '../model/read_model.js';

interface Common {
  readonly id: number;
  readonly model: Blob;
  readonly externalData: readonly { readonly path: string; readonly data: Blob }[];
}
export type ToolQuestion = Common &
  (
    | { readonly action: 'check' }
    | { readonly action: 'print' }
    | { readonly action: 'types' }
    | { readonly action: 'simplify'; readonly dims: Readonly<Record<string, number>> }
  );
export type ToolResult = CheckReport | SimplifyResult | ScopeTypes | string;
export type ToolAnswer = { readonly id: number; readonly result: ToolResult } | ({ readonly id: number } & Spoken);

async function answer(question: ToolQuestion): Promise<ToolResult> {
  const { model, externalData } = question;
  if (question.action === 'check') return check(model, { externalData });
  if (question.action === 'print') return print(model, { externalData, exact: false });
  if (question.action === 'types') return typesIn(readModel(await inferShapes(model)));
  return simplify(model, { externalData, dims: question.dims });
}

self.addEventListener('message', async ({ data }: MessageEvent<ToolQuestion>) => {
  const reply = (message: ToolAnswer) => (self as unknown as Worker).postMessage(message);
  try {
    reply({ id: data.id, result: await answer(data) });
  } catch (error) {
    reply({ id: data.id, ...spoken(error) });
  }
});
