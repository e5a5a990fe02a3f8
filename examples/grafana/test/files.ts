/** The board and the alert rules. */
import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import * as z from 'zod'

/** Reads a file of the example. */
export function readText(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
}

const Source = z.strictObject({ type: z.literal('prometheus'), uid: z.literal(['$', '{datasource}'].join('')) })
const Target = z.object({
  refId: z.string().regex(/^[A-Z]$/),
  datasource: Source,
  expr: z.string(),
  legendFormat: z.string(),
})
const Panel = z.object({
  id: z.int().min(1),
  type: z.enum(['heatmap', 'stat', 'table', 'timeseries']),
  title: z.string().min(1),
  datasource: Source,
  gridPos: z.strictObject({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1).max(24), h: z.int().min(1) }),
  targets: z.array(Target).min(1),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string() }), overrides: z.array(z.unknown()) }),
  options: z.object({}),
})
/** The fields that Grafana requires in a board, in the types of its schema. */
export const Board = z.object({
  uid: z.string().max(40),
  title: z.string().min(1),
  schemaVersion: z.int().min(36),
  time: z.object({ from: z.string(), to: z.string() }),
  refresh: z.string(),
  annotations: z.object({ list: z.array(z.unknown()) }),
  templating: z.object({
    list: z.tuple(
      [z.object({ name: z.literal('datasource'), type: z.literal('datasource'), query: z.literal('prometheus') })],
      z.object({ name: z.string(), type: z.literal('query'), datasource: Source, definition: z.string() }),
    ),
  }),
  panels: z.array(Panel).min(1),
})
const Rule = z.strictObject({
  alert: z.string().regex(/^[A-Z]\w+$/),
  expr: z.string(),
  for: z.string().regex(/^\d+m$/),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.strictObject({ summary: z.string() }),
})
const AlertFile = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule).min(1) })).min(1),
})

export type Panel = z.output<typeof Panel>

export const board = Board.parse(JSON.parse(readText('board.json')))
export const rules = readRules()

function readRules(): readonly z.output<typeof Rule>[] {
  const document = parseDocument(readText('alerts.yml'))
  const problems = [...document.errors, ...document.warnings]
  if (problems.length > 0) throw new Error(`Cannot read alerts.yml: ${problems.join('\n')}`)
  return AlertFile.parse(document.toJS()).groups.flatMap((group) => group.rules)
}

/** Replaces the variables of Grafana in an expression, as a board that shows all jobs does. */
export function fillIn(expression: string): string {
  return expression.replaceAll('$__rate_interval', '1m').replaceAll(/\$(?:job|instance)\b/g, '.*')
}
