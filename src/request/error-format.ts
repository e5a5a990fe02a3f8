/** Which format of errors applies where. */
import { parseTarget } from '../http/target.js'
import { match } from '../router/match.js'
import type { Router } from '../router/router.js'
import type { Template } from '../router/template.js'
import type { FormatPlan } from './endpoint.js'

/** What has a format of errors, `null` where these are problem details: an endpoint, a path. */
interface Formatted {
  readonly errorFormat: FormatPlan | null
}

interface FormattedMount extends Formatted {
  readonly template: Template
}

/** How far a call has come. */
interface Failed {
  readonly endpoint: Formatted | null
  readonly pathRecord: Formatted | null
  /** Empty as long as the target was not read. */
  readonly path: string
  readonly exchange: { readonly url: string }
}

/** The formats of an app where it has one, or a group of its. */
export class ErrorFormats {
  /** Why a format has failed, by call: for tests. */
  readonly faults: WeakMap<object, unknown> = new WeakMap<object, unknown>()
  readonly #own: FormatPlan | null
  readonly #router: Router<Formatted>
  /** In the order in which they are tried. */
  readonly #mounts: readonly FormattedMount[]

  constructor(own: FormatPlan | null, router: Router<Formatted>, mounts: readonly FormattedMount[]) {
    this.#own = own
    this.#router = router
    this.#mounts = mounts.toSorted((one, other) => rankOf(one).localeCompare(rankOf(other)))
  }

  /** The format of the endpoint, of its path, or of the longest mount that the path lies below. */
  of({ endpoint, pathRecord, path, exchange }: Failed): FormatPlan | null {
    const located = endpoint ?? pathRecord
    if (located !== null) return located.errorFormat
    // What was refused before it was located may have a path all the same.
    const target = path === '' ? parseTarget(exchange.url) : { path }
    if (typeof target === 'string') return this.#own
    const known = match(this.#router, target.path)?.value ?? this.#mountOf(target.path)
    return known === undefined ? this.#own : known.errorFormat
  }

  #mountOf(path: string): Formatted | undefined {
    const texts = path.split('/').slice(1)
    return this.#mounts.find(({ template }) => isBelow(texts, template))
  }
}

/** As in the router a literal goes before a parameter, and a mount before those around it. */
function rankOf({ template: { segments } }: FormattedMount): string {
  return `${segments.map(({ kind }) => (kind === 'literal' ? 0 : 1)).join('')}2`
}

function isBelow(texts: readonly string[], { segments }: Template): boolean {
  return segments.every((segment, at) => (segment.kind === 'literal' ? segment.text === texts[at] : Boolean(texts[at])))
}
