// Horizontal bars with Chart.js: one row per name, one bar per series, whiskers where a value has a spread.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LogarithmicScale,
  Tooltip,
} from 'chart.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LogarithmicScale, Legend, Tooltip);

// Distinct in light and dark, and for most who see few colours.
const kColours = [
  '#c8553d',
  '#4a7fb5',
  '#e0a458',
  '#5b8e7d',
  '#8e6c8a',
  '#7a7067',
  '#b56576',
  '#3d5a80',
  '#a3b18a',
  '#d4a373',
];
const kBar = 14; // px

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Draws from `lower` to `upper` of each point through the end of its bar. */
const whiskers = {
  id: 'whiskers',
  afterDatasetsDraw(chart) {
    const { ctx, scales, chartArea } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
    ctx.clip();
    ctx.strokeStyle = colour('--ink');
    for (const [i, { spreads }] of chart.data.datasets.entries()) {
      if (!spreads || !chart.isDatasetVisible(i)) continue;
      for (const [j, bar] of chart.getDatasetMeta(i).data.entries()) {
        if (!spreads[j]) continue;
        const [from, to] = [spreads[j].lower, spreads[j].upper].map((value) => scales.x.getPixelForValue(value));
        ctx.beginPath();
        ctx.moveTo(from, bar.y);
        ctx.lineTo(to, bar.y);
        ctx.stroke();
      }
    }
    ctx.restore();
  },
};

/** A line where a ratio is 1. */
const reference = {
  id: 'reference',
  beforeDatasetsDraw(chart, _args, { at }) {
    if (at === undefined) return;
    const { ctx, scales, chartArea } = chart;
    const x = scales.x.getPixelForValue(at);
    ctx.save();
    ctx.strokeStyle = colour('--soft');
    ctx.beginPath();
    ctx.moveTo(x, chartArea.top);
    ctx.lineTo(x, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
};

const charts = new Set();

export function clearPlots() {
  for (const chart of charts) chart.destroy();
  charts.clear();
}

function optionsFor({ unit, stacked = false, logarithmic = false, at }) {
  const ticks = { color: colour('--soft') };
  const grid = { color: colour('--line') };
  const text = (value) => (value === null ? '' : `${Number(value.toPrecision(3))} ${unit}`);
  return {
    indexAxis: 'y',
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    scales: {
      x: {
        type: logarithmic ? 'logarithmic' : 'linear',
        stacked,
        ticks,
        grid,
        title: { display: true, text: unit, color: ticks.color },
      },
      y: { stacked, ticks: { ...ticks, autoSkip: false }, grid: { display: false } },
    },
    plugins: {
      reference: { at },
      legend: { labels: { color: colour('--ink') } },
      tooltip: { callbacks: { label: ({ dataset, parsed }) => `${dataset.label}: ${text(parsed.x)}` } },
    },
  };
}

/**
 * A plot; it draws itself once it is in the page.
 * @param {string[]} names of the rows
 * @param {{label: string, values: (number | null)[], spreads?: ({lower: number, upper: number} | undefined)[]}[]} series
 * @param {{unit: string, alt: string, stacked?: boolean, logarithmic?: boolean, at?: number}} look  alt: for those who do
 *   not see it
 */
export function barPlot(names, series, look) {
  const holder = document.createElement('div');
  holder.className = 'plot';
  const bars = look.stacked ? 1 : series.length;
  holder.style.height = `${90 + names.length * (bars * kBar + 10)}px`;
  const canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', look.alt);
  holder.append(canvas);
  const datasets = series.map(({ label, values, spreads }, i) => ({
    label,
    data: values,
    spreads,
    backgroundColor: kColours[i % kColours.length],
    maxBarThickness: kBar,
  }));
  requestAnimationFrame(() => {
    charts.add(
      new Chart(canvas, {
        type: 'bar',
        data: { labels: names, datasets },
        options: optionsFor(look),
        plugins: [reference, whiskers],
      }),
    );
  });
  return holder;
}
