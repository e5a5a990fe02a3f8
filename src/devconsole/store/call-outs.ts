/** What is wrong with a request, in words. */
import type { CallOut, CallOutPart } from '../wire/call-out-types.js'
import {
  PHASES,
  type ErrorDetail,
  type IssueDetail,
  type RepeatedCall,
  type RequestRecord,
  type VersionDetail,
} from '../wire/request-types.js'

/** Finds what is wrong with a request. */
export function callOutsOf(record: RequestRecord, limit: number): CallOut[] {
  const { error, issues, repeated, version, aborted } = record
  const found = repeated.map(repeatedCall)
  if (issues.length > 0) found.unshift(invalid(issues))
  if (error !== null) found.unshift(thrown(error))
  if (version?.ok === false) found.push(otherVersion(version))
  if (aborted) found.push({ kind: 'warn', title: ['The connection was closed before the answer was sent'], text: [] })
  if (error === null && record['dev.flags'].includes('slow')) found.push(slow(record, limit))
  return found
}

/** A call-out without links. */
export function plainText({ title, text }: CallOut): string {
  return [title, text].map((parts) => parts.map(plainPart).join('')).join('. ')
}

function plainPart(part: CallOutPart): string {
  if (typeof part === 'string') return part
  if ('code' in part) return part.code
  if ('place' in part) return `${part.place.file}:${part.place.line}`
  return 'ms' in part ? `${part.ms.toFixed(1)} ms` : ''
}

function thrown({ name, message, frames }: ErrorDetail): CallOut {
  const place = frames.find(({ kind }) => kind === 'app') ?? frames[0]
  const link = { tab: 'error', text: 'See the stack' }
  const text = place === undefined ? [link] : ['Thrown in ', { place: placeOf(place) }, '. ', link]
  return { kind: 'bad', title: [`${name}: ${message}`], text }
}

function placeOf({ file, line, column }: ErrorDetail['frames'][number]): {
  file: string
  line: number
  column: number
} {
  return { file, line, column }
}

function invalid(issues: readonly IssueDetail[]): CallOut {
  const isAnswer = issues.every(({ side }) => side === 'response')
  const count = issues.length === 1 ? '1 validation issue' : `${issues.length} validation issues`
  const first = issues.slice(0, 1).flatMap(({ where, message }) => [{ code: where }, ` ${message}. `])
  return {
    kind: isAnswer ? 'bad' : 'warn',
    title: [isAnswer ? `The answer did not fit its schema: ${count}` : `${count} stopped this request`],
    text: [...first, { tab: 'validation', text: 'See all' }],
  }
}

function repeatedCall({ name, count, total, site }: RepeatedCall): CallOut {
  const saved = (total * (count - 1)) / count
  const from = site === null ? [] : [', from ', { place: site }]
  return {
    kind: 'note',
    title: [`${name} ran ${count} times with the same shape`],
    text: ['Looks like one query per row', ...from, '. One call for all would save about ', { ms: saved }, '.'],
  }
}

function otherVersion({ asked, constraint, alternatives, from }: VersionDetail): CallOut {
  const exist = alternatives.length === 0 ? [constraint] : alternatives
  const list = exist.flatMap((code, index) => (index === 0 ? [{ code }] : [', ', { code }]))
  return {
    kind: 'warn',
    title: [`No endpoint satisfies version ${asked ?? '(none)'}`],
    text: ['Read from ', { code: from }, '. There is ', ...list, '.'],
  }
}

function slow(record: RequestRecord, limit: number): CallOut {
  const phases = record['dev.phases']
  const most = Math.max(...phases)
  const phase = PHASES[phases.indexOf(most)]
  const share = `${((most / record['dev.duration']) * 100).toFixed(0)}%`
  const text =
    phase === undefined || most === 0
      ? []
      : [`${share} of the time went into: ${phase.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}.`]
  return { kind: 'warn', title: ['Slower than ', { ms: limit }], text }
}
