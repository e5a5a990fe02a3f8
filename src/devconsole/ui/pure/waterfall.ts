/** The rows of the waterfall: phases, service calls in the handler, and the queries of each call. */
import { PHASES, type Phase, type RequestRecord, type RequestSummary } from '../../wire/request-types.js'
import { buildCallRows, type CallRow } from './call-rows.js'
import { sum } from './geometry.js'
import type { Span } from '../../wire/spans.js'

/** Names of the phases. */
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

export interface WaterfallRow {
  readonly name: string
  /** Phase that has the same color; `rest` for middleware. */
  readonly kind: Phase | 'rest'
  readonly pieces: readonly Span[]
  /** In ms; `null` for a phase that did not run. */
  readonly duration: number | null
  /** Share of the whole. */
  readonly share: number
}

/** The rows. */
export function buildWaterfall(
  summary: RequestSummary,
  record: Pick<RequestRecord, 'calls' | 'queries'> | null,
  isFull: boolean,
): readonly (WaterfallRow | CallRow)[] {
  const total = totalDuration(summary)
  const rows: (WaterfallRow | CallRow)[] = []
  let at = 0
  for (const [index, phase] of PHASES.entries()) {
    const duration = summary['dev.phases'][index] ?? 0
    if (duration > 0 || isAlwaysShown(phase)) rows.push(phaseRow(phase, { start: at, duration, total }))
    if (phase === 'handler' && record !== null) rows.push(...buildCallRows(record, total, isFull))
    at += duration
  }
  const rest = total - at
  if (rest > total * 0.01 && rest > 0.05) {
    rows.push({ name: 'Middleware', kind: 'rest', pieces: [], duration: rest, share: rest / total })
  }
  return rows
}

/** The longer of the time measured and its parts, so that nothing stands outside. */
function totalDuration(summary: RequestSummary): number {
  return Math.max(summary['dev.duration'], sum(summary['dev.phases']), 1e-6)
}

/** Guards and providers are shown only where they ran: most endpoints have none. */
function isAlwaysShown(phase: Phase): boolean {
  return phase !== 'guards' && phase !== 'providers'
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

/** The `Server-Timing` header that would say the same (W3C Server Timing). */
export function timingRow(summary: RequestSummary): string {
  return PHASES.map((phase, index) => [phase, summary['dev.phases'][index] ?? 0] as const)
    .filter(([, duration]) => duration > 0)
    .map(([phase, duration]) => `${phase};desc="${PHASE_NAMES[phase]}";dur=${duration.toFixed(2)}`)
    .join(', ')
}
