/** The board and the rules in a real Prometheus, which reads the metrics of an app. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import * as z from 'zod'
import { board, fillIn, readText, rules } from './files.js'
import { findProgram, Prometheus } from './prometheus.js'
import { parseExpression } from './promql.js'
import { startShop, type Shop } from './shop.js'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const AlertTests = z.object({
  tests: z.array(
    z.object({ alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })) }),
  ),
})
const EXPRESSIONS = [
  ...board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, fillIn(expr)] as const)),
  ...rules.map(({ alert, expr }) => [alert, parseExpression(expr).value] as const),
]

describe('examples/grafana in Prometheus', () => {
  let shop: Shop
  let server: Prometheus

  before(async () => {
    shop = await startShop()
    server = new Prometheus()
    await shop.visit()
    await server.start(`
global: { scrape_interval: 250ms, evaluation_interval: 250ms }
rule_files: ['${FOLDER}alerts.yml']
scrape_configs: [{ job_name: shop, static_configs: [{ targets: ['${new URL(shop.url).host}'] }] }]`)
    await server.waitFor('up == 1')
    // Rates need requests between two scrapes.
    await shop.visit()
    await server.waitFor('rate(http_server_request_duration_seconds_count{http_route="/teas/{id}"}[1m]) > 0')
  })
  after(async () => {
    await server.remove()
    await shop.close()
  })

  for (const [name, expression] of EXPRESSIONS) {
    it(`has values for "${name}": ${expression}`, async () => {
      const values = await server.query(expression)
      assert.notEqual(values.length, 0)
      assert.ok(values.some(Number.isFinite), values.join())
    })
  }

  it('evaluates all rules', async () => {
    assert.deepEqual(
      await server.listRules(),
      rules.map(({ alert }) => ({ name: alert, health: 'ok' })),
    )
  })

  it('raises an alert for the errors of the app', async () => {
    await server.waitFor('ALERTS{alertname="ServerErrors", alertstate="pending", job="shop"}')
  })
})

describe('examples/grafana/alerts.yml', () => {
  it('has a test of promtool for each rule', () => {
    const { tests } = AlertTests.parse(parse(readText('alerts.test.yml')))
    const tested = tests.flatMap(({ alert_rule_test: cases }) =>
      cases.filter(({ exp_alerts: alerts }) => alerts.length > 0),
    )
    assert.deepEqual(tested.map(({ alertname }) => alertname).toSorted(), rules.map(({ alert }) => alert).toSorted())
  })

  it('passes the tests of promtool', () => {
    for (const args of [
      ['check', 'rules', 'alerts.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync(findProgram('promtool'), args, { cwd: FOLDER, encoding: 'utf8' })
      assert.equal(status, 0, stdout + stderr)
    }
  })
})
