/** Rows of the waterfall: phases, service calls in the handler, and the queries of each call. */
import {
  PHASES,
  type Phase,
  type RequestRecord,
  type RequestSummary,
} from '../../../src/devconsole/wire/request-types.js'
import { buildCallRows, type CallRow } from './call-rows.js'
import { sum } from './geometry.js'
import type { Span } from '../../../src/devconsole/wire/spans.js'

export const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  route: 'Route',
  guards: 'Guards',
  readBody: 'Read body',
  validate: 'Validate',
  providers: 'Providers',
  handler: 'Handler',
  serialize: 'Serialize',
  send: 'Send',
}

/** Phases that have a row only if they ran, because most endpoints do not use them. */
const OPTIONAL_PHASES: ReadonlySet<Phase> = new Set(['guards', 'providers'])

export interface WaterfallRow {
  readonly name: string
  /** Phase that has the same color; `rest` for middleware. */
  readonly kind: Phase | 'rest'
  readonly pieces: readonly Span[]
  /** In ms; `null` for a phase that did not run. */
  readonly duration: number | null
  /** Share of the duration of the request, 0 to 1. */
  readonly share: number
}

export function buildWaterfall(
  summary: RequestSummary,
  record: Pick<RequestRecord, 'calls' | 'queries'> | null,
  isFull: boolean,
): readonly (WaterfallRow | CallRow)[] {
  // If the sum of the phases is greater than the duration, it prevents that a phase ends outside of the chart.
  const total = Math.max(summary['dev.duration'], sum(summary['dev.phases']), 1e-6)
  const rows: (WaterfallRow | CallRow)[] = []
  let start = 0
  for (const [index, phase] of PHASES.entries()) {
    const duration = summary['dev.phases'][index] ?? 0
    if (duration > 0 || !OPTIONAL_PHASES.has(phase)) rows.push(phaseRow(phase, { start, duration, total }))
    if (phase === 'handler' && record !== null) rows.push(...buildCallRows(record, total, isFull))
    start += duration
  }
  const duration = total - start
  if (duration > total * 0.01 && duration > 0.05) {
    rows.push({ name: 'Middleware', kind: 'rest', pieces: [], duration, share: duration / total })
  }
  return rows
}

function phaseRow(phase: Phase, time: { start: number; duration: number; total: number }): WaterfallRow {
  const { start, duration, total } = time
  return {
    name: PHASE_NAMES[phase],
    kind: phase,
    pieces: duration === 0 ? [] : [{ start: start / total, length: duration / total }],
    duration: duration === 0 ? null : duration,
    share: duration / total,
  }
}

/** Formats the phases as the value of a `Server-Timing` header (W3C Server Timing). */
export function formatServerTiming(summary: RequestSummary): string {
  return PHASES.map((phase, index) => [phase, summary['dev.phases'][index] ?? 0] as const)
    .filter(([, duration]) => duration > 0)
    .map(([phase, duration]) => `${phase};desc="${PHASE_NAMES[phase]}";dur=${duration.toFixed(2)}`)
    .join(', ')
}
