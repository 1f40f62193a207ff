// What is wrong with the model, each finding with a jump to its node.
import { useEffect, useState } from 'preact/hooks';
import type { CheckReport, Finding } from '../../../web/src/tools/types.js';
import { countText } from '../app/text.js';
import { showNode } from '../graph/show_node.js';
import { language, t } from '../i18n/index.js';
import { explainFinding } from '../i18n/zh_engine.js';
import { model, view } from '../state.js';
import { checkModel, working } from './client.js';

const kShown = 200;

/** 'graph.node[7].attribute[then_branch].g.node[0]...' as the key of the graph's view; undefined where it is in no node. */
export function keyOfPath(path: string): string | undefined {
  let rest = path.replace(/^graph/, '');
  const parts: string[] = [];
  for (let node = /^\.node\[(\d+)\]/.exec(rest); node; node = /^\.node\[(\d+)\]/.exec(rest)) {
    parts.push(`n${node[1]}`);
    rest = rest.slice(node[0].length);
    const graph = /^\.attribute\[([^\]]*)\]\.(?:g|graphs\[(\d+)\])(?=\.node)/.exec(rest);
    if (!graph) break;
    parts.push(`${graph[1]}.${graph[2] ?? 0}`);
    rest = rest.slice(graph[0].length);
  }
  return path.startsWith('graph') && parts.length > 0 ? parts.join('/') : undefined;
}

function FindingRow({ finding }: { finding: Finding }) {
  const key = keyOfPath(finding.path);
  const jump = () => {
    if (key === undefined) return;
    showNode(key);
  };
  return (
    <li class={`finding finding-${finding.severity}`}>
      <strong>{finding.severity === 'error' ? t('error') : t('warning')}</strong>{' '}
      {language.value === 'zh' && explainFinding(finding)} <span lang="en">{finding.message}</span>
      <p class="soft">
        <code>{finding.path}</code>{' '}
        {key !== undefined && (
          <button type="button" class="link" onClick={jump}>
            {t('showNode')}
          </button>
        )}
      </p>
    </li>
  );
}

export function CheckPanel() {
  const opened = model.value;
  const [report, setReport] = useState<CheckReport | undefined>(undefined);
  const seen = view.value === 'check';
  const check = async () => {
    if (opened) setReport(await checkModel(opened));
  };
  useEffect(() => {
    if (seen && !report && working.peek() === undefined) check();
  }, [opened, seen]);
  return (
    <section aria-labelledby="check-title">
      <h2 id="check-title">{t('checkTitle')}</h2>
      <p id="check-status" role="status" class={report?.valid ? 'good' : ''}>
        {report
          ? report.valid
            ? report.findings.length === 0
              ? t('checkGood')
              : t('checkRemarks', { count: countText(report.findings.length) })
            : t('checkBad', { count: countText(report.findings.length + report.leftOut) })
          : working.value === 'check'
            ? t('checking')
            : ''}
      </p>
      {!report && working.value === undefined && (
        <button type="button" id="check" onClick={check}>
          {t('checkTitle')}
        </button>
      )}
      <ol class="plain" id="check-findings">
        {report?.findings.slice(0, kShown).map((finding, i) => (
          <FindingRow key={`${i} ${finding.path}`} finding={finding} />
        ))}
      </ol>
      {report && report.findings.length > kShown && (
        <p class="soft">{t('rowsShown', { shown: kShown, all: report.findings.length + report.leftOut })}</p>
      )}
    </section>
  );
}
