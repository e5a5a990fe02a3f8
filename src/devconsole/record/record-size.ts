/** How much memory a record takes: about, and rather more than less. */
import type {
  CapturedBody,
  ErrorDetail,
  IssueDetail,
  Message,
  RequestRecord,
  ServiceCall,
  StackFrame,
} from '../wire/request-types.js'

const OF_RECORD = 1_800
/** A text, and what points to it. */
const OF_TEXT = 32
/** An entry of a list, an error and a pair of texts, each beside its texts. */
const [OF_ENTRY, OF_ERROR, OF_PAIR] = [120, 250, 72]
/** From here on it is worth to look how wide the characters of a text are. */
const LONG = 200
const WIDE = /[^\0-\xff]/

/** Estimates the size of a record, its lines not counted. */
export function sizeOf(record: RequestRecord): number {
  const { request, response, calls, issues, error, params, repeated } = record
  return (
    OF_RECORD +
    ofTexts(record['url.path'], record['url.query'], record['server.address'], record['user_agent.original']) +
    ofMessage(request) +
    ofMessage(response) +
    sum(Object.values(params), (value) => OF_PAIR + ofTexts(value)) +
    sum(calls, ofCall) +
    sum(issues, ofIssue) +
    OF_ENTRY * repeated.length +
    (error === null ? 0 : ofError(error))
  )
}

function ofCall({ args, error }: ServiceCall): number {
  return OF_ENTRY + ofTexts(args, error)
}

function ofIssue({ where, message, code, received }: IssueDetail): number {
  return OF_ENTRY + ofTexts(where, message, code, received)
}

function ofMessage({ headers, body }: Message): number {
  return sum(headers, ([name, value]) => OF_PAIR + ofTexts(name, value)) + (body === null ? 0 : ofBody(body))
}

function ofBody({ type, text, hex }: CapturedBody): number {
  return OF_ENTRY + ofTexts(type, text, hex)
}

function ofError({ name, message, frames, cause, members }: ErrorDetail): number {
  const own = OF_ERROR + ofTexts(name, message) + sum(frames, ofFrame)
  return own + (cause === null ? 0 : ofError(cause)) + sum(members, ofError)
}

function ofFrame({ function: name, file }: StackFrame): number {
  return OF_ENTRY + ofTexts(name, file)
}

function ofTexts(...texts: readonly (string | null)[]): number {
  return sum(texts, (text) => (text === null ? 0 : OF_TEXT + text.length * widthOf(text)))
}

/** V8 takes two bytes for each character of a text that has one beyond Latin-1. */
function widthOf(text: string): number {
  return text.length > LONG && !WIDE.test(text) ? 1 : 2
}

function sum<T>(list: readonly T[], sizeOfEach: (each: T) => number): number {
  return list.reduce((total, each) => total + sizeOfEach(each), 0)
}
