/** Security: how clients show who they are (OpenAPI 3.1.1 sections 4.8.27 and 4.8.30). */
import type { SchemaObject } from '../validation/json-schema.js'
import type { OpenApiOperation } from './document-types.js'
import type { SecurityNeed } from './documented-endpoint.js'
import { freeName, safeName } from './naming.js'

type Requirement = Readonly<Record<string, readonly string[]>>

/** The security schemes of a document: the same scheme has one name, wherever it is used. */
export class SecuritySchemes {
  readonly #named = new Map<string, readonly [name: string, scheme: SchemaObject]>()
  readonly #taken = new Set<string>()

  /** The schemes by name, in the order of their first use; `undefined` when there are none. */
  get all(): Readonly<Record<string, SchemaObject>> | undefined {
    return this.#named.size === 0 ? undefined : Object.fromEntries(this.#named.values())
  }

  requirements(needs: readonly SecurityNeed[]): OpenApiOperation['security'] {
    if (needs.length === 0) return undefined
    const alternatives = needs.reduce<readonly Requirement[]>(
      (before, need) => before.flatMap((one) => this.#waysOf(need).map((other) => ({ ...one, ...other }))),
      [{}],
    )
    const byText = new Map(alternatives.map((alternative) => [JSON.stringify(alternative), alternative]))
    return [...byText.values()]
  }

  #waysOf({ schemes, isOptional }: SecurityNeed): Requirement[] {
    const ways = schemes.map((scheme) => ({ [this.#nameOf(scheme)]: [] }))
    return isOptional ? [...ways, {}] : ways
  }

  #nameOf(scheme: SchemaObject): string {
    const text = JSON.stringify(scheme)
    const [name = freeName(wantedName(scheme), this.#taken)] = this.#named.get(text) ?? []
    this.#named.set(text, [name, scheme])
    return name
  }
}

function wantedName({ type, scheme, name }: SchemaObject): string {
  const said = { http: scheme, apiKey: name }[String(type)]
  return safeName(String(said ?? type))
}
