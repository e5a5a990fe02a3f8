/** The board and the rules use only metrics and labels that an app has. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { board, fillIn, rules, type Panel } from './files.js'
import { parseExpression } from './promql.js'
import { startShop, type Shop } from './shop.js'

/** Labels that Prometheus adds to each series, and the metric of each target. */
const ADDED = ['job', 'instance']
const UP = 'up'
const COLUMNS = 24
/** Names in `{{ }}` of a legend, and in `$labels.` of an annotation. */
const LEGEND = /\{\{(\w+)\}\}/g
const ANNOTATION = /\$labels\.(\w+)/g
const VARIABLE = /\$\{?(\w+)/g

const { panels, templating } = board
const shown = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => ({ name: title, expr, text: legendFormat, names: LEGEND })),
)
const alerted = rules.map(({ alert, expr, annotations }) => ({
  name: alert,
  expr,
  text: annotations.summary,
  names: ANNOTATION,
}))

describe('examples/grafana', () => {
  let shop: Shop
  let metrics: ReadonlyMap<string, ReadonlySet<string>>

  before(async () => {
    shop = await startShop()
    metrics = readMetrics(await shop.visit())
  })
  after(() => shop.close())

  for (const { name, expr, text, names } of [...shown, ...alerted]) {
    it(`uses metrics and labels that exist in "${name}": ${expr}`, () => {
      const { selectors, groupings } = parseExpression(fillIn(expr))
      assert.notEqual(selectors.length, 0)
      for (const { metric, labels } of selectors) {
        const known = labelsOf(metric)
        assert.ok(known !== undefined, metric)
        for (const label of labels) assert.ok(known.has(label), `${metric}: ${label}`)
      }
      const all = new Set(selectors.flatMap(({ metric }) => [...(labelsOf(metric) ?? [])]))
      for (const label of groupings) assert.ok(all.has(label), label)
      // An aggregation has only the labels that it names.
      const left = groupings.length > 0 || expr.includes('sum(') ? new Set(groupings) : all
      for (const [, label = ''] of text.matchAll(names)) assert.ok(left.has(label), label)
    })
  }

  it('fills its variables from labels that exist', () => {
    const [, ...queries] = templating.list
    for (const { name, definition } of queries) {
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? []
      assert.equal(label, name)
      const [found] = parseExpression(fillIn(selector)).selectors
      assert.ok(found !== undefined && labelsOf(found.metric)?.has(label) === true, definition)
    }
  })

  it('shows each metric of the app', () => {
    const used = shown.flatMap(({ expr }) => parseExpression(fillIn(expr)).selectors.map(({ metric }) => metric))
    const missing = [...metrics.keys()].filter((metric) => !used.includes(metric))
    // The sum of the durations says less than their quantiles.
    assert.deepEqual(missing, ['http_server_request_duration_seconds_sum'])
  })

  function labelsOf(metric: string): ReadonlySet<string> | undefined {
    const labels = metric === UP ? [] : metrics.get(metric)
    return labels && new Set([...labels, ...ADDED])
  }
})

describe('examples/grafana/board.json', () => {
  it('has panels with unique ids, which do not overlap', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(listCells)
    assert.equal(new Set(cells).size, cells.length)
    for (const { title, gridPos } of panels) assert.ok(gridPos.x + gridPos.w <= COLUMNS, title)
  })

  it('has unique targets in each panel', () => {
    for (const { title, targets } of panels) {
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
    }
  })

  it('uses only variables that it defines', () => {
    const known = new Set(['__rate_interval', ...templating.list.map(({ name }) => name)])
    for (const [, name = ''] of JSON.stringify(panels).matchAll(VARIABLE)) assert.ok(known.has(name), name)
  })
})

/** Returns the labels of each metric in the text of `/metrics`. */
function readMetrics(text: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? assert.fail(line)
    const known = metrics.get(name) ?? new Set<string>()
    for (const [, label = ''] of labels.matchAll(/(\w+)="[^"]*"/g)) known.add(label)
    metrics.set(name, known)
  }
  return metrics
}

function listCells({ gridPos: { x, y, w, h } }: Panel): string[] {
  return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`)
}
