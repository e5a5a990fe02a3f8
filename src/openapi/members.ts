/** The members of a described record, through references, `allOf` and alternatives. */
import { isJsonSchema, type JsonSchema } from '../validation/json-schema.js'
import { own, ownEntries, ownList } from '../values/objects.js'
import { joined, unionsOf } from '../validation/json-schema.js'

/** One member of a record. */
export interface Member {
  readonly schema: JsonSchema
  readonly required: boolean
}

/** What a description says of the members of a record. */
export interface Members {
  readonly named: ReadonlyMap<string, Member>
  /** The schema of all other members, where there may be some. */
  readonly rest: JsonSchema | undefined
}

interface Found {
  readonly schemas: Map<string, Set<JsonSchema>>
  readonly required: Set<unknown>
  readonly rests: JsonSchema[]
  readonly seen: Set<JsonSchema>
}

/**
 * Reads the members of a record. One of an alternative is not required; one that several schemas describe may be as any
 * of them says.
 */
export function membersOf(root: JsonSchema): Members {
  const found: Found = { schemas: new Map(), required: new Set(), rests: [], seen: new Set() }
  visit(found, { root, schema: root, isSure: true })
  const named = [...found.schemas].map(([name, schemas]) => {
    const [first = true, ...others] = schemas
    const schema = others.length === 0 ? first : { anyOf: [first, ...others] }
    return [name, { schema, required: found.required.has(name) }] as const
  })
  return { named: new Map(named), rest: found.rests[0] }
}

interface Visit {
  readonly root: JsonSchema
  readonly schema: JsonSchema
  /** Whether the schema holds whatever else does. */
  readonly isSure: boolean
}

function visit(found: Found, { root, schema, isSure }: Visit): void {
  if (typeof schema === 'boolean' || found.seen.has(schema)) return
  found.seen.add(schema)
  for (const [name, member] of ownEntries(schema, 'properties')) {
    if (!isJsonSchema(member)) continue
    found.schemas.set(name, (found.schemas.get(name) ?? new Set<JsonSchema>()).add(member))
  }
  if (isSure) for (const name of ownList(schema, 'required')) found.required.add(name)
  const rest = own(schema, 'additionalProperties')
  if (isJsonSchema(rest) && rest !== false) found.rests.push(rest)
  for (const part of joined(root, schema)) visit(found, { root, schema: part, isSure })
  for (const branch of unionsOf(schema).flat()) visit(found, { root, schema: branch, isSure: false })
}
