/** Patterns with flags. JSON Schema has no flags, so that `pattern` would describe other strings. */
import { isObject, isRecord, ownList, type UnknownRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import { mapParts, type JsonSchema } from './json-schema.js'

/** Keyword in place of `pattern`. Its value is the pattern with its flags. */
export const FLAGGED_PATTERN = 'x-verbena-pattern'
/** Flags that decide which strings match. JSON Schema has the mode of `u` (core section 6.4); `d` and `g` change no match. */
const FLAGS = /[imsvy]/

export class FlaggedPatterns {
  /** Patterns with their flags, by source. */
  readonly #texts = new Map<string, string>()

  add(pattern: unknown): void {
    if (pattern instanceof RegExp) this.#addSource(pattern.source, pattern.flags)
  }

  /** Adds the patterns of a definition and its checks, which a library passes during a conversion. */
  addChecks(def: UnknownRecord): void {
    this.add(def['pattern'])
    for (const check of ownList(def, 'checks')) this.add(readDefinition(check)['pattern'])
  }

  /** Adds the patterns in the property `json` of a schema, in which a library without such calls writes `{ rule, flags }`. */
  addJson(schema: object): void {
    this.#addRules(
      valueOr(() => Object(schema)['json'], undefined),
      new Set(),
    )
  }

  /** Returns a schema with the keyword of this file instead of each pattern with flags. */
  hide(schema: JsonSchema): JsonSchema {
    if (this.#texts.size === 0 || !isRecord(schema)) return schema
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => this.#hideKeyword(keyword, value)))
  }

  #addSource(source: string, flags: string): void {
    if (FLAGS.test(flags)) this.#texts.set(source, `/${source}/${flags}`)
  }

  #addRules(value: unknown, seen: Set<unknown>): void {
    if (!isObject(value) || seen.has(value)) return
    seen.add(value)
    const { rule, flags } = value
    if (typeof rule === 'string' && typeof flags === 'string') this.#addSource(rule, flags)
    for (const part of Object.values(value)) this.#addRules(part, seen)
  }

  #hideKeyword(keyword: string, value: unknown): readonly [keyword: string, value: unknown] {
    const text = keyword === 'pattern' ? this.#texts.get(String(value)) : undefined
    if (text !== undefined) return [FLAGGED_PATTERN, text]
    return [keyword, mapParts(keyword, value, (part) => (isRecord(part) ? this.hide(part) : part))]
  }
}

function readDefinition(check: unknown): UnknownRecord {
  return Object(Object(Object(check)['_zod'])['def'])
}
