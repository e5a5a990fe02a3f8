/** What is wrong with a request, in words and first of all. */
import { PHASES, type ErrorDetail, type RepeatedCall, type RequestRecord, type RequestSummary } from '../../../wire.js'
import { h, type Child } from '../../dom/h.js'
import { formatAddress } from '../../pure/address.js'
import { counted, ms, percent } from '../../pure/format.js'
import { PHASE_NAMES } from '../../pure/waterfall.js'
import type { Context } from '../context.js'
import { placeMark } from '../place.js'
import type { PanelSource } from './panel-source.js'

/**
 * The call-outs of a request.
 *
 * @param source of the request
 */
export function callOuts({ summary, record, context }: PanelSource): Child {
  if (record === null) return null
  const flags = new Set(summary['dev.flags'])
  return [
    record.error === null ? null : thrown(record.error, { summary, context }),
    record.issues.length === 0 ? null : invalid(record),
    record.repeated.map((call) => repeated(call, context)),
    record.version === null || record.version.ok ? null : otherVersion(record),
    record.aborted ? box('warn', 'The connection was closed before the answer was sent', null) : null,
    flags.has('slow') && record.error === null ? slow(summary, context) : null,
  ]
}

function box(kind: 'bad' | 'warn' | 'note', title: string, text: Child): HTMLElement {
  return h(
    'div',
    { class: `call ${kind}` },
    h('b', null, title),
    text === null ? null : h('span', { class: 'sub' }, text),
  )
}

function tabLink(summary: RequestSummary, tab: string, text: string): HTMLElement {
  return h('a', { class: 'link', href: formatAddress({ id: summary.id, tab }) }, text)
}

function thrown(error: ErrorDetail, { summary, context }: { summary: RequestSummary; context: Context }): HTMLElement {
  const frame = error.frames.find((it) => it.kind === 'app') ?? error.frames[0]
  const place = frame === undefined ? null : ['Thrown in ', placeMark(frame, context.store.state), '. ']
  return box('bad', `${error.name}: ${error.message}`, [place, tabLink(summary, 'error', 'See the stack')])
}

function invalid(record: RequestRecord): HTMLElement {
  const [first] = record.issues
  const isAnswer = record.issues.every((issue) => issue.side === 'response')
  const count = counted(record.issues.length, 'validation issue')
  const title = isAnswer ? `The answer did not fit its schema: ${count}` : `${count} stopped this request`
  const text = first === undefined ? null : [h('code', null, first.where), ' ', first.message, '. ']
  return box(isAnswer ? 'bad' : 'warn', title, [text, tabLink(record, 'validation', 'See all')])
}

function repeated(call: RepeatedCall, context: Context): HTMLElement {
  const site = call.site === null ? null : [', from ', placeMark(call.site, context.store.state)]
  const saved = (call.total * (call.count - 1)) / Math.max(1, call.count)
  const text = ['Looks like one query per row', site, `. One call for all would save about ${ms(saved)}.`]
  return box('note', `${call.name} ran ${call.count} times with the same shape`, text)
}

function otherVersion({ version }: RequestRecord): HTMLElement | null {
  if (version === null) return null
  const { asked, constraint, alternatives } = version
  const exist = alternatives.length === 0 ? [constraint] : alternatives
  const text = [
    'Read from ',
    h('code', null, version.from),
    '. There is ',
    exist.map((it, index) => [index > 0 ? ', ' : '', h('code', null, it)]),
    '.',
  ]
  return box('warn', `No endpoint satisfies version ${asked ?? '(none)'}`, text)
}

function slow(summary: RequestSummary, context: Context): HTMLElement {
  const phases = summary['dev.phases']
  const most = Math.max(...phases, 0)
  const phase = PHASES[phases.indexOf(most)]
  const share = percent(most / Math.max(summary['dev.duration'], 1e-6))
  const text =
    phase === undefined || most === 0 ? null : `${share} of the time went into: ${PHASE_NAMES[phase].toLowerCase()}.`
  return box('warn', `Slower than ${ms(context.store.state.settings.slow)}`, text)
}
