/** The rows of the waterfall: phases, and the calls of services inside of the handler. */
import {
  PHASES,
  type Phase,
  type RequestRecord,
  type RequestSummary,
  type ServiceCall,
} from '../../wire/request-types.js'
import { sum } from './geometry.js'

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

/** A piece of time, as shares of the whole. */
interface Piece {
  readonly start: number
  readonly length: number
}

export interface WaterfallRow {
  readonly name: string
  /** Phase whose colour it has; `call` for a call of a service, `rest` for middleware. */
  readonly kind: Phase | 'call' | 'rest'
  readonly pieces: readonly Piece[]
  /** In ms; `null` for a phase that did not run. */
  readonly duration: number | null
  /** Share of the whole. */
  readonly share: number
}

/** Rows of calls that stand alone before the rest of them are put together. */
const MAX_CALLS = 200

/** The rows. */
export function buildWaterfall(
  summary: RequestSummary,
  calls: RequestRecord['calls'] | null,
  isFull: boolean,
): readonly WaterfallRow[] {
  const total = totalDuration(summary)
  const rows: WaterfallRow[] = []
  let at = 0
  for (const [index, phase] of PHASES.entries()) {
    const duration = summary['dev.phases'][index] ?? 0
    if (duration > 0 || isAlwaysShown(phase)) rows.push(phaseRow(phase, { start: at, duration, total }))
    if (phase === 'handler' && calls !== null) rows.push(...callRows(calls, total, isFull))
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

function callRows(calls: readonly ServiceCall[], total: number, isFull: boolean): readonly WaterfallRow[] {
  if (!isFull) return groupCalls(calls).map(([name, group]) => callRow(name, group, total))
  const alone = calls.slice(0, MAX_CALLS).map((call) => callRow(call.name, [call], total))
  const rest = calls.slice(MAX_CALLS)
  return rest.length === 0 ? alone : [...alone, callRow('others', rest, total)]
}

function groupCalls(calls: readonly ServiceCall[]): readonly (readonly [string, readonly ServiceCall[]])[] {
  const groups = new Map<string, ServiceCall[]>()
  for (const call of calls) {
    const group = groups.get(call.name)
    if (group === undefined) groups.set(call.name, [call])
    else group.push(call)
  }
  return [...groups]
}

function callRow(name: string, calls: readonly ServiceCall[], total: number): WaterfallRow {
  const duration = sum(calls.map((call) => call.duration))
  return {
    name: calls.length === 1 ? name : `${name} ×${calls.length}`,
    kind: 'call',
    pieces: calls.map((call) => ({ start: call.start / total, length: call.duration / total })),
    duration,
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
