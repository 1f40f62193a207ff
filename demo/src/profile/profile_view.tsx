// Where the time of the last run went, and its memory.
import { useMemo } from 'preact/hooks';
import { timeByOperator } from 'sardonyx/tools';
import { runLast } from '../actions.js';
import { focusOn } from '../app/focus.js';
import { NotLoaded } from '../app/not_loaded.js';
import { save } from '../app/save.js';
import { countText, largeText, msText, numberText } from '../app/text.js';
import { showNode } from '../graph/show_node.js';
import { t } from '../i18n/index.js';
import { busy, lastRun, loaded, openGraph, showHeat, view } from '../state.js';
import { MemoryChart } from './memory_chart.js';
import { Peer } from './peer.js';
import { byNode, totalOf } from './profile.js';
import { NodeTable, OperatorTable } from './time_tables.js';
import { Timeline } from './timeline.js';
import { chromeTraceOf } from './trace.js';

function choose(name: string): void {
  const entry = openGraph.value?.index.value?.named(name);
  if (entry) showNode(entry.key);
}

function Again({ times }: { times: number }) {
  return (
    <button
      type="button"
      aria-disabled={busy.value !== '' || !loaded.value}
      onClick={() => !busy.value && loaded.value && runLast(times)}
    >
      {t('runTimes', { n: times })}
    </button>
  );
}

export function ProfileView() {
  const result = lastRun.value;
  const profile = result?.profile;
  const tables = useMemo(() => profile && { nodes: byNode(profile), operators: timeByOperator(profile) }, [profile]);
  if (!loaded.value && !result) return <NotLoaded />;
  if (!result || !profile || !tables) {
    return (
      <div class="empty">
        <p>{t('noProfile')}</p>
        <Again times={1} />
      </div>
    );
  }
  const total = totalOf(profile);
  const best = Math.min(...result.times);
  const macs = result.macs;
  return (
    <div class="profile">
      <div class="fields profile-head">
        <p id="profile-sum">
          {t('profileSum', { nodes: countText(profile.length), total: msText(total), best: msText(best) })}
          {macs !== undefined && macs > 0 && (
            <span class="soft">
              {' '}
              {t('macs', { macs: largeText(macs), rate: numberText(Number((macs / best / 1e6).toPrecision(2))) })}
            </span>
          )}{' '}
          <span class="soft" id="ran-by">
            {t('threadsText', { variant: result.info.variant, threads: result.info.threads })}
          </span>
        </p>
        <Again times={1} />
        <Again times={20} />
        <button
          type="button"
          id="heat"
          onClick={() => {
            showHeat.value = true;
            view.value = 'graph';
            focusOn('#view-graph canvas');
          }}
        >
          {t('showHeat')}
        </button>
        <button type="button" onClick={() => save(new Blob([JSON.stringify(chromeTraceOf(profile))]), 'trace.json')}>
          {t('saveTrace')}
        </button>
      </div>
      <Timeline profile={profile} choose={choose} />
      <div class="columns">
        <div>
          <NodeTable rows={tables.nodes} total={total} choose={choose} />
        </div>
        <div class="stack">
          <OperatorTable rows={tables.operators} total={total} />
          <MemoryChart result={result} atLoad={loaded.value?.memory.heap ?? 0} />
          <Peer result={result} />
        </div>
      </div>
    </div>
  );
}
