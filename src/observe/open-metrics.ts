/** Metrics in a text format: OpenMetrics 1.0 or Prometheus 0.0.4. Names and units are OpenTelemetry's, spelled as in Prometheus. */
import { Histogram } from './histogram.js'
import type { MetricSeries } from './metrics.js'

/** Media type of OpenMetrics, exactly as in its specification. */
export const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
/** Media type of the text format of Prometheus. */
export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8'
const DURATION = 'http_server_request_duration_seconds'
const ACTIVE = 'http_server_active_requests'
const FAST_PATH = 'verbena_http_fast_path'
/** Bounds to write, in ms: the powers of two from 1/8 ms to 65 s. The histogram has eight times as many. */
const WRITTEN_BOUNDS: ReadonlySet<number> = new Set(Array.from({ length: 20 }, (_, index) => 2 ** (index - 3)))

/** `usesFastPath` is `undefined` without a server. */
export function metricsText(
  series: readonly MetricSeries[],
  active: ReadonlyMap<string, number>,
  type: string,
  usesFastPath?: boolean,
): string {
  const isOpen = type === OPEN_METRICS
  const lines = [
    `# TYPE ${DURATION} histogram`,
    // Prometheus would read UNIT and EOF as comments.
    ...(isOpen ? [`# UNIT ${DURATION} seconds`] : []),
    `# HELP ${DURATION} Duration of HTTP server requests.`,
    ...Array.from(joinLines(series), ([labels, durations]) => histogramLines(labels, durations)).flat(),
    `# TYPE ${ACTIVE} gauge`,
    `# HELP ${ACTIVE} Number of active HTTP server requests.`,
    ...Array.from(active, ([method, count]) => `${ACTIVE}{${formatLabel('http_request_method', method)}} ${count}`),
    ...(usesFastPath === undefined ? [] : fastPathLines(usesFastPath)),
    ...(isOpen ? ['# EOF'] : []),
  ]
  return `${lines.join('\n')}\n`
}

function fastPathLines(usesFastPath: boolean): string[] {
  return [
    `# TYPE ${FAST_PATH} gauge`,
    `# HELP ${FAST_PATH} Whether new connections use the fast path (1) or only the documented API of Node.js (0).`,
    `${FAST_PATH} ${Number(usesFastPath)}`,
  ]
}

/** Merges series with the same labels, which must be unique. Two classes can have the same path in different versions. */
function joinLines(series: readonly MetricSeries[]): Map<string, Histogram> {
  const byLabels = new Map<string, Histogram>()
  for (const each of series) {
    const labels = formatLabels(each)
    const durations = byLabels.get(labels) ?? new Histogram()
    durations.merge(each.durations)
    byLabels.set(labels, durations)
  }
  return byLabels
}

function formatLabels({ method, path, status }: MetricSeries): string {
  const route = path === '' ? [] : [formatLabel('http_route', path)]
  const labels = [
    formatLabel('http_request_method', method),
    formatLabel('http_response_status_code', String(status)),
    ...route,
  ]
  return labels.join(',')
}

function formatLabel(name: string, value: string): string {
  const escaped = value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
  return `${name}="${escaped}"`
}

function histogramLines(labels: string, durations: Histogram): string[] {
  const lines: string[] = []
  let below = 0
  for (const { bound, count } of durations.buckets()) {
    below += count
    if (WRITTEN_BOUNDS.has(bound)) lines.push(`${DURATION}_bucket{${labels},le="${bound / 1000}"} ${below}`)
  }
  return [
    ...lines,
    `${DURATION}_bucket{${labels},le="+Inf"} ${durations.count}`,
    `${DURATION}_sum{${labels}} ${formatFloat(durations.sum / 1000)}`,
    `${DURATION}_count{${labels}} ${durations.count}`,
  ]
}

/** Formats a float. A decimal point or an exponent distinguishes it from an integer. */
function formatFloat(value: number): string {
  const text = String(value)
  return /^\d+$/.test(text) ? `${text}.0` : text
}
