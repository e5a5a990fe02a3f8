/** Tabs of the detail. */
import type { RequestSummary } from '../../../../src/devconsole/wire/request-types.js'
import type { Child } from '../../dom/h.js'
import { emptyMessage } from '../../dom/parts.js'
import { isOfFile } from '../../pure/runs.js'
import type { SecondScript } from '../second-script-types.js'
import type { Tab } from '../tab-bar.js'
import { errorPanel } from './error.js'
import { requestPanel, responsePanel } from './exchange.js'
import { logsPanel } from './logs.js'
import { overviewPanel } from './overview.js'
import type { PanelSource, RecordSource } from './panel-source.js'
import { timingPanel } from './timing.js'
import { validationPanel } from './validation.js'

/** A panel of the second script is empty until that script has run. */
type Panel<Source> = (source: Source, secondScript: SecondScript | null) => Child

const WITHOUT_RECORD: ReadonlyMap<string, Panel<PanelSource>> = new Map<string, Panel<PanelSource>>([
  ['overview', overviewPanel],
  ['timing', timingPanel],
  ['compare', (source, secondScript) => secondScript?.comparePanel(source)],
])

const WITH_RECORD: ReadonlyMap<string, Panel<RecordSource>> = new Map<string, Panel<RecordSource>>([
  ['request', requestPanel],
  ['response', responsePanel],
  ['queries', (source, secondScript) => secondScript?.queriesPanel(source)],
  ['logs', logsPanel],
  ['validation', validationPanel],
  ['error', errorPanel],
])

/** The tabs of a request. The form is a tab if no endpoint has it, or if it was chosen. */
export function tabsFor(summary: RequestSummary, chosen: string): readonly Tab[] {
  const plain = (id: string, label: string): Tab => ({ id, label, count: null, className: '' })
  const issues = summary['dev.issues']
  const tabs = [plain('overview', 'Overview'), plain('request', 'Request'), plain('response', 'Response')]
  if (summary['dev.queries'] > 0) tabs.push({ ...plain('queries', 'Queries'), count: summary['dev.queries'] })
  tabs.push(plain('timing', 'Timing'), { ...plain('logs', 'Logs'), count: summary['dev.logs'] || null })
  if (issues > 0) tabs.push({ id: 'validation', label: 'Validation', count: issues, className: 'warn' })
  if (summary['error.type'] !== null) tabs.push({ id: 'error', label: 'Error', count: 1, className: 'bad' })
  tabs.push(plain('compare', 'Compare'))
  // The form of an endpoint is in the view of routes, but the app may not have the endpoint of a request from a file.
  const hasForm = summary['code.function.name'] === null || isOfFile(summary) || chosen === 'edit'
  return hasForm ? [...tabs, plain('edit', 'Edit and resend')] : tabs
}

export function tabPanel(tab: string, source: PanelSource, secondScript: SecondScript | null): Child {
  const withoutRecord = WITHOUT_RECORD.get(tab)
  if (withoutRecord !== undefined) return withoutRecord(source, secondScript)
  if (source.record !== null) return WITH_RECORD.get(tab)?.({ ...source, record: source.record }, secondScript)
  return !source.isGone && emptyMessage('Reading …')
}
