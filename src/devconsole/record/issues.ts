/** Reads validation issues from the error that contains them. */
import { VALIDATION_STATUS } from '../../errors/request-issue.js'
import { parseCookies } from '../../http/cookies.js'
import { parseQuery } from '../../http/target.js'
import { isObject } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import { cutToLength, cut, shorten } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { parsePointer } from '../../values/json-pointer.js'
import type { IssueDetail } from '../wire/request-types.js'

const MAX_ISSUES = 100
/** Maximum number of characters of a pointer to read. Each of its keys can be as long as a body. */
const MAX_POINTER_LENGTH = 1_000
const MAX_WHERE_LENGTH = 300
/** Maximum length of an issue's message in a response, including `…`. */
const MAX_MESSAGE_LENGTH = 1_001
const MAX_CODE_LENGTH = 100
const MAX_VALUE_LENGTH = 300

export interface SentSources {
  readonly query: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string | null
}

export function readIssues(error: unknown, sent: SentSources, hider: RequestRedactor): IssueDetail[] {
  if (ownProperty(error, 'status') === VALIDATION_STATUS) {
    const roots = new Map<string, unknown>()
    return readList(ownProperty(error, 'extensions'), 'errors').map((issue) => {
      const source = String(ownProperty(issue, 'in'))
      if (!roots.has(source)) roots.set(source, parseSource(sent, source, hider))
      return issueDetail(issue, { side: 'request', source, root: roots.get(source) }, hider)
    })
  }
  if (ownProperty(error, 'name') !== 'ContractBreach') return []
  const root: unknown = Reflect.get(Object(error), 'received')
  return readList(error, 'issues').map((issue) => issueDetail(issue, { side: 'response', source: 'body', root }, hider))
}

interface IssuePlace {
  readonly side: IssueDetail['side']
  readonly source: string
  /** The value at the root of the pointer. */
  readonly root: unknown
}

function issueDetail(issue: unknown, { side, source, root }: IssuePlace, hider: RequestRedactor): IssueDetail {
  const wholePointer = String(ownProperty(issue, 'pointer'))
  const pointer = wholePointer.slice(0, MAX_POINTER_LENGTH)
  const code = ownProperty(issue, 'code')
  return {
    side,
    where: hider.hide(shorten([source, ...parsePointer(pointer)].join('.'), MAX_WHERE_LENGTH)),
    message: hider.hide(cutToLength(String(ownProperty(issue, 'message')), MAX_MESSAGE_LENGTH)),
    code: typeof code === 'string' ? cut(code, MAX_CODE_LENGTH) : null,
    received: pointer === wholePointer ? receivedValue(pointer, root, hider) : null,
    ...(pointer === wholePointer && valueOr(() => isMissing(pointer, root), false) && { missing: true }),
  }
}

/** Whether an object or array on the way to the value was sent, without the next key. */
function isMissing(pointer: string, root: unknown): boolean {
  let holder: unknown = root
  for (const key of parsePointer(pointer)) {
    if (!isObject(holder)) return false
    if (!Object.hasOwn(holder, key)) return true
    holder = readData(holder, key)
  }
  return false
}

/** Reads the received value. A response value belongs to the app: its getters must not run, and a proxy can throw when it is read. */
function receivedValue(pointer: string, root: unknown, hider: RequestRedactor): string | null {
  const keys = parsePointer(pointer)
  if (keys.some((key) => hider.names.isKey(key))) return null
  const value = valueOr(() => keys.reduce(readData, root), undefined)
  return value === undefined ? null : cut(JSON.stringify(hider.value(value)), MAX_VALUE_LENGTH)
}

/** Returns a data property. Does not call getters. */
function readData(holder: unknown, key: string): unknown {
  return isObject(holder) ? Object.getOwnPropertyDescriptor(holder, key)?.value : undefined
}

function parseSource(sent: SentSources, source: string, hider: RequestRedactor): unknown {
  if (source === 'query') return parseQuery(sent.query, Number.POSITIVE_INFINITY)
  if (source === 'params') return sent.params
  if (source === 'headers') return Object.fromEntries(hider.headers(Object.entries(sent.headers)))
  if (source === 'cookies') return cookieNames(sent.headers['cookie'])
  const { body } = sent
  if (body === null) return undefined
  const isForm = FORM.test(sent.headers['content-type'] ?? '')
  return valueOr<unknown>(() => (isForm ? parseQuery(body, Number.POSITIVE_INFINITY) : JSON.parse(body)), undefined)
}

const FORM = /^application\/x-www-form-urlencoded/i

/** Values of cookies are not stored, because most of them are secret. */
function cookieNames(header: string | undefined): unknown {
  return Object.fromEntries(Object.keys(parseCookies(header)).map((name) => [name, undefined]))
}

function readList(value: unknown, key: string): readonly unknown[] {
  const list = ownProperty(value, key)
  return Array.isArray(list) ? list.slice(0, MAX_ISSUES) : []
}

function ownProperty(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
