/** Issues of validation, read from the error that they became. */
import { parseQuery } from '../../http/query.js'
import { isObject } from '../../values/objects.js'
import { valueOr } from '../../values/quietly.js'
import { beginOf, cut, shorten } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { parsePointer } from '../../values/json-pointer.js'
import type { IssueDetail } from '../wire/request-types.js'

const MOST_ISSUES = 100
/** Characters of a pointer that are looked at: each of its keys may be as long as a body. */
const LONGEST_POINTER = 1_000
const LONGEST_WHERE = 300
/** As long as the message of an issue is in an answer, `…` included. */
const LONGEST_MESSAGE = 1_001
const LONGEST_CODE = 100
const LONGEST_VALUE = 300

export interface Sent {
  readonly query: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string | null
}

export function readIssues(error: unknown, sent: Sent, hider: RequestRedactor): IssueDetail[] {
  if (memberOf(error, 'status') === 422) {
    const roots = new Map<string, unknown>()
    return listAt(memberOf(error, 'extensions'), 'errors').map((issue) => {
      const source = String(memberOf(issue, 'in'))
      if (!roots.has(source)) roots.set(source, sourceOf(sent, source, hider))
      return detailOf(issue, { side: 'request', source, root: roots.get(source) }, hider)
    })
  }
  if (memberOf(error, 'name') !== 'ContractBreach') return []
  const root: unknown = Reflect.get(Object(error), 'received')
  return listAt(error, 'issues').map((issue) => detailOf(issue, { side: 'response', source: 'body', root }, hider))
}

interface Place {
  readonly side: IssueDetail['side']
  readonly source: string
  /** What the pointer of the issue begins at. */
  readonly root: unknown
}

function detailOf(issue: unknown, { side, source, root }: Place, hider: RequestRedactor): IssueDetail {
  const whole = String(memberOf(issue, 'pointer'))
  const pointer = whole.slice(0, LONGEST_POINTER)
  const code = memberOf(issue, 'code')
  return {
    side,
    where: hider.hide(shorten([source, ...parsePointer(pointer)].join('.'), LONGEST_WHERE)),
    message: hider.hide(beginOf(String(memberOf(issue, 'message')), LONGEST_MESSAGE)),
    code: typeof code === 'string' ? cut(code, LONGEST_CODE) : null,
    received: pointer === whole ? receivedAt(pointer, root, hider) : null,
  }
}

/** What was answered is the author's: nothing of their code may run, and a proxy may throw at any touch. */
function receivedAt(pointer: string, root: unknown, hider: RequestRedactor): string | null {
  const keys = parsePointer(pointer)
  if (keys.some((key) => hider.names.isKey(key))) return null
  const value = valueOr(() => keys.reduce(dataOf, root), undefined)
  return value === undefined ? null : cut(JSON.stringify(hider.value(value)), LONGEST_VALUE)
}

/** What a getter would give is not asked for. */
function dataOf(holder: unknown, key: string): unknown {
  return isObject(holder) ? Object.getOwnPropertyDescriptor(holder, key)?.value : undefined
}

function sourceOf(sent: Sent, source: string, hider: RequestRedactor): unknown {
  if (source === 'query') return parseQuery(sent.query, Number.POSITIVE_INFINITY)
  if (source === 'params') return sent.params
  if (source === 'headers') return Object.fromEntries(hider.headers(Object.entries(sent.headers)))
  return source === 'cookies' ? undefined : valueOr<unknown>(() => JSON.parse(sent.body ?? ''), undefined)
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = memberOf(value, key)
  return Array.isArray(list) ? list.slice(0, MOST_ISSUES) : []
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
