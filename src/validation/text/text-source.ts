/** Sources that arrive as text: query, headers, cookies, path parameters and forms. Prepared once, read per request. */
import { BareRecord } from '../../values/objects.js'
import { Issues } from '../issues.js'
import { describeSchema, type Converters, type Description } from '../json-schema.js'
import type { Schema } from '../schema.js'
import { after, validate, type Outcome } from '../validate.js'
import { severalComplaint, topOf, validateOpenText } from './open-text.js'
import { ANY, convertText, hasGap, takesSeveral, textMembersOf, unwrapped } from './text-type.js'
import type { TextMembers, TextType, TextValue } from './text-type.js'

/** What a client sent, by key; several texts where a key was repeated. */
export type RawText = Readonly<Record<string, TextValue | undefined>>

export interface TextSource {
  readonly schema: Schema
  /** The keys the schema describes; undefined when it describes none or allows any. */
  readonly keys: readonly string[] | undefined
  read(raw: RawText): Outcome | Promise<Outcome>
}

/** Prepares a source: text is converted by the description of its schema, or by what issues name where that says nothing. */
export function textSource(schema: Schema, converters: Converters, isNarrow: boolean = false): TextSource {
  const description = describeSchema(schema, 'input', converters)
  const members = description.schema === undefined ? undefined : textMembersOf(description.schema)
  const keys = members === undefined || members.rest ? undefined : [...members.types.keys()]
  const rest = members?.rest ?? ANY
  // Of headers and cookies only the keys that the schema describes are read.
  const kept = isNarrow ? keys : undefined
  const isOpen = openKeys(description, members)
  const read = (raw: RawText): Outcome | Promise<Outcome> => {
    const input = new BareRecord()
    const several: string[] = []
    for (const key of kept ?? Object.keys(raw)) {
      const sent = Object.hasOwn(raw, key) ? raw[key] : undefined
      if (sent === undefined) continue
      const value = unwrapped(sent)
      const type = members?.types.get(key) ?? rest
      input[key] = convertText(value, type)
      if (typeof value !== 'string' && !takesSeveral(type)) several.push(key)
    }
    const outcome = isOpen ? validateOpenText({ schema, raw, input, isOpen }) : validate(schema, input)
    return several.length === 0 ? outcome : after(outcome, (settled) => addSeveral(settled, several, raw))
  }
  return { schema, keys, read }
}

// Undefined when every key is known, which is the usual case: then one validation is all.
function openKeys(description: Description, members: TextMembers | undefined): ((key: string) => boolean) | undefined {
  if (members === undefined) return () => true
  const types = [...members.types].filter(([, type]) => isUncertain(type, description, members))
  const open = new Set(types.map(([key]) => key))
  const rest = members.rest !== undefined && description.lenient && hasGap(members.rest)
  return open.size > 0 || rest ? (key) => open.has(key) || (rest && !members.types.has(key)) : undefined
}

// A gap in a lenient description may be a date or anything else; in a union a key may be text in one branch only.
function isUncertain(type: TextType, description: Description, members: TextMembers): boolean {
  if (description.lenient && hasGap(type)) return true
  return members.union && type.text && (type.integer || type.truth)
}

// What the validator made of the list does not matter: it would see one where its schema wants none.
function addSeveral({ issues }: Outcome, keys: readonly string[], raw: RawText): Outcome {
  const refused = new Set<string | undefined>(keys)
  const others = [...(issues?.complaints ?? [])].filter((complaint) => !refused.has(topOf(complaint)))
  return { value: undefined, issues: new Issues([...keys.map(severalComplaint), ...others], raw) }
}
