/** Metrics as text, read by a parser that is not ours. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import parse from 'parse-prometheus-text-format'
import { Histogram } from '#src/observe/histogram.js'
import type { MetricSeries } from '#src/observe/metrics.js'
import { metricsText, OPEN_METRICS, PROMETHEUS_TEXT } from '#src/observe/open-metrics.js'

const DURATION = 'http_server_request_duration_seconds'

/** A series of durations in ms. */
function seriesOf(durations: readonly number[], labels: Partial<MetricSeries> = {}): MetricSeries {
  const histogram = new Histogram()
  for (const duration of durations) histogram.record(duration)
  return { method: 'GET', path: '/users', status: 200, ...labels, durations: histogram }
}

function textOf(
  series: readonly MetricSeries[],
  type = OPEN_METRICS,
  active: Readonly<Record<string, number>> = {},
): string {
  return metricsText(series, new Map(Object.entries(active)), type)
}

interface Sample {
  readonly value: number
  readonly labels: Readonly<Record<string, string>>
}

/** The samples of one name. Of a family whose type it knows, the parser would put several histograms into one. */
function samplesOf(text: string, name: string): Sample[] {
  const untyped = text.replace(/^# TYPE .*\n/gm, '')
  const families = parse(untyped).filter((family) => family.name === name)
  return families.flatMap(({ metrics }) =>
    metrics.map(({ value, labels }) => ({ value: Number(value), labels: labels ?? {} })),
  )
}

describe('metricsText()', () => {
  for (const type of [OPEN_METRICS, PROMETHEUS_TEXT]) {
    it(`writes ${type} that a Prometheus parser can read`, () => {
      const families = parse(textOf([seriesOf([1])], type, { GET: 2 }))
      assert.deepEqual(
        families.map(({ name, type: kind, help }) => [name, kind, help]),
        [
          [DURATION, 'HISTOGRAM', 'Duration of HTTP server requests.'],
          ['http_server_active_requests', 'GAUGE', 'Number of active HTTP server requests.'],
        ],
      )
    })
  }

  it('ends each line with a line feed, and adds UNIT and EOF only to OpenMetrics', () => {
    const [open, plain] = [textOf([]), textOf([], PROMETHEUS_TEXT)]
    assert.deepEqual(open.split('\n'), [
      `# TYPE ${DURATION} histogram`,
      `# UNIT ${DURATION} seconds`,
      `# HELP ${DURATION} Duration of HTTP server requests.`,
      '# TYPE http_server_active_requests gauge',
      '# HELP http_server_active_requests Number of active HTTP server requests.',
      '# EOF',
      '',
    ])
    assert.equal(plain, open.replace(/^# (UNIT|EOF).*\n/gm, ''))
  })

  it('names the labels of method, status and path template as OpenTelemetry does', () => {
    const text = textOf([seriesOf([1]), seriesOf([1], { method: '_OTHER', path: '', status: 501 })])
    assert.deepEqual(
      samplesOf(text, `${DURATION}_count`).map(({ labels }) => labels),
      [
        { http_request_method: 'GET', http_response_status_code: '200', http_route: '/users' },
        { http_request_method: '_OTHER', http_response_status_code: '501' },
      ],
    )
  })

  it('writes the sum in seconds, and the count', () => {
    const text = textOf([seriesOf([500, 250.5])])
    assert.deepEqual(
      samplesOf(text, `${DURATION}_sum`).map(({ value }) => value),
      [0.7505],
    )
    assert.deepEqual(
      samplesOf(text, `${DURATION}_count`).map(({ value }) => value),
      [2],
    )
  })

  it('writes sums as floats and counts as integers', () => {
    const text = textOf([seriesOf([1000, 2000])])
    assert.match(text, /_sum\{[^}]+\} 3\.0\n/)
    assert.match(text, /_count\{[^}]+\} 2\n/)
    assert.match(text, /le="0.001"\} 0\n/)
  })

  it('writes cumulative buckets whose bounds are powers of two of a ms', () => {
    const text = textOf([seriesOf([0.01, 0.125, 1, 1.001, 65_536, 65_537, 1e9])])
    const buckets = samplesOf(text, `${DURATION}_bucket`).map(({ labels, value }) => [labels['le'], value] as const)
    const byBound = new Map(buckets)
    assert.deepEqual(
      buckets.slice(0, -1).map(([bound]) => Number(bound)),
      Array.from({ length: 20 }, (_, index) => 2 ** (index - 3) / 1000),
    )
    assert.deepEqual(
      ['0.000125', '0.0005', '0.001', '0.002', '65.536', '+Inf'].map((bound) => byBound.get(bound)),
      [2, 2, 3, 4, 5, 7],
    )
  })

  it('writes bounds as floats, as OpenMetrics requires', () => {
    const bounds = samplesOf(textOf([seriesOf([1])]), `${DURATION}_bucket`).map(({ labels }) => labels['le'])
    for (const bound of bounds) assert.match(String(bound), /^(?:\d+\.\d+|\+Inf)$/)
  })

  it('writes the samples of a series together, with ascending buckets that end with the count', () => {
    const text = textOf([seriesOf([1, 5, 20]), seriesOf([3], { status: 404 })])
    const names = text.split('\n').filter((line) => line.startsWith(DURATION))
    const half = names.length / 2
    assert.ok(names.slice(0, half).every((line) => line.includes('"200"')))
    assert.ok(names.slice(half).every((line) => line.includes('"404"')))
    const values = samplesOf(text, `${DURATION}_bucket`).map(({ value }) => value)
    assert.deepEqual(
      values.slice(0, 21),
      values.slice(0, 21).toSorted((a, b) => a - b),
    )
    assert.deepEqual([values[20], values.at(-1)], [3, 1])
  })

  it('merges series with the same labels', () => {
    const text = textOf([seriesOf([1000]), seriesOf([2000, 4000]), seriesOf([1], { method: 'HEAD' })])
    const counts = samplesOf(text, `${DURATION}_count`)
    assert.deepEqual(
      counts.map(({ value, labels }) => [labels['http_request_method'], value]),
      [
        ['GET', 3],
        ['HEAD', 1],
      ],
    )
    assert.equal(samplesOf(text, `${DURATION}_sum`)[0]?.value, 7)
  })

  it('does not change the series', () => {
    const series = seriesOf([1])
    textOf([series, seriesOf([2])])
    assert.equal(series.durations.count, 1)
  })

  it('escapes the values of labels', () => {
    for (const path of ['/a"b', '/a\\b', '/a\nb', '/a\\nb', '/ü/{name}', '/a,b="c"} 1 # x', '/\\"']) {
      const [sample, ...others] = samplesOf(textOf([seriesOf([1], { path })]), `${DURATION}_count`)
      assert.deepEqual([sample?.labels['http_route'], sample?.value, others], [path, 1, []])
    }
  })

  it('writes the number of active requests', () => {
    const text = textOf([], OPEN_METRICS, { GET: 3, POST: 0 })
    assert.deepEqual(samplesOf(text, 'http_server_active_requests'), [
      { labels: { http_request_method: 'GET' }, value: 3 },
      { labels: { http_request_method: 'POST' }, value: 0 },
    ])
  })

  it('writes whether the server uses the fast path', () => {
    for (const type of [OPEN_METRICS, PROMETHEUS_TEXT]) {
      const [on, off] = [true, false].map((usesFastPath) => metricsText([], new Map(), type, usesFastPath))
      const value = (text = ''): unknown => samplesOf(text, 'verbena_http_fast_path')
      assert.deepEqual(value(on), [{ labels: {}, value: 1 }])
      assert.deepEqual(value(off), [{ labels: {}, value: 0 }])
      assert.match(String(on), /^# TYPE verbena_http_fast_path gauge\n# HELP verbena_http_fast_path .+\.\n/m)
      assert.equal(on?.endsWith('# EOF\n'), type === OPEN_METRICS)
    }
  })
})
