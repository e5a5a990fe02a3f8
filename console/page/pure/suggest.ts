/** Suggestions for the filter: keys for the current word, and recorded values after a key. */
import { FILTER_HINTS } from '../../../src/devconsole/wire/filter.js'
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'

interface Suggestion {
  readonly text: string
  readonly hint: string
  /** The whole filter with this suggestion as its last term. */
  readonly q: string
}

const MAX_SUGGESTIONS = 8

const VALUES: Readonly<Record<string, (summary: RequestSummary) => string>> = {
  status: (summary) => String(summary['http.response.status_code']),
  method: (summary) => summary['http.request.method'],
  path: (summary) => summary['url.path'],
  template: (summary) => summary['http.route'] ?? '',
  handler: (summary) => summary['code.function.name'] ?? '',
  client: (summary) => summary['client.address'] ?? '',
  version: (summary) => summary['dev.version']?.asked ?? '',
}

/** Returns at most eight suggestions for the last term of a filter. */
export function suggestTerms(q: string, records: readonly RequestSummary[]): readonly Suggestion[] {
  const word = q.slice(q.search(/(?<!\S)\S*$/))
  const minus = word.startsWith('-') ? '-' : ''
  const [before, term] = [q.slice(0, q.length - word.length), word.slice(minus.length)]
  const [, key, start] = /^([a-z]+):(.*)$/i.exec(term) ?? []
  const suggestions = key === undefined ? suggestKeys(term) : suggestValues(key.toLowerCase(), start ?? '', records)
  return suggestions
    .filter(({ text }) => text !== term)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ text, hint }) => ({ text, hint, q: `${before}${minus}${text}` }))
}

function suggestKeys(word: string): readonly Omit<Suggestion, 'q'>[] {
  if (word === '') return []
  const keys = FILTER_HINTS.filter(([key]) => key.startsWith(word.toLowerCase()))
  return keys.map(([key, hint]) => ({ text: `${key}:`, hint }))
}

function suggestValues(
  key: string,
  start: string,
  records: readonly RequestSummary[],
): readonly Omit<Suggestion, 'q'>[] {
  const readValue = Object.hasOwn(VALUES, key) ? VALUES[key] : undefined
  const values = readValue === undefined ? listWords(key) : [...new Set(records.map(readValue))].toSorted()
  const isMatch = (value: string) => value !== '' && value.toLowerCase().startsWith(start.toLowerCase())
  return values
    .filter(isMatch)
    .map((value) => ({ text: `${key}:${/\s/.test(value) ? `"${value}"` : value}`, hint: '' }))
}

/** Returns the words that a key accepts, from its hint. */
function listWords(key: string): readonly string[] {
  const [, hint = ''] = FILTER_HINTS.find(([name]) => name === key) ?? []
  return hint.startsWith('one of ') ? hint.slice('one of '.length).split(', ') : []
}
