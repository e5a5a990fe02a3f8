/** Which format of errors applies where. */
import { parseTarget } from '../http/target.js'
import { match } from '../router/match.js'
import type { Mounts } from '../router/mounts.js'
import type { Router } from '../router/router.js'
import type { FormatPlan } from './endpoint.js'

/** What has a format of errors, `null` where these are problem details: an endpoint, a path. */
interface FormattedError {
  readonly errorFormat: FormatPlan | null
}

/** How far a call has come. */
interface FailedRequest {
  readonly endpoint: FormattedError | null
  readonly pathRecord: FormattedError | null
  /** Empty as long as the target was not read. */
  readonly path: string
  readonly exchange: { readonly url: string }
}

/** The formats of an app where it has one, or a group of its. */
export class ErrorFormats {
  /** Why a format has failed, by call: for tests. */
  readonly faults: WeakMap<object, unknown> = new WeakMap<object, unknown>()
  readonly #own: FormatPlan | null
  readonly #router: Router<FormattedError>
  readonly #mounts: Mounts<FormatPlan | null>

  constructor(own: FormatPlan | null, router: Router<FormattedError>, mounts: Mounts<FormatPlan | null>) {
    this.#own = own
    this.#router = router
    this.#mounts = mounts
  }

  /** The format of the endpoint, of its path, or of the longest mount that the path lies below. */
  of({ endpoint, pathRecord, path, exchange }: FailedRequest): FormatPlan | null {
    const located = endpoint ?? pathRecord
    if (located !== null) return located.errorFormat
    // What was refused before it was located may have a path all the same.
    const target = path === '' ? parseTarget(exchange.url) : { path }
    if (typeof target === 'string') return this.#own
    const entry = match(this.#router, target.path)?.value
    if (entry !== undefined) return entry.errorFormat
    const mounted = this.#mounts.of(target.path)
    return mounted === undefined ? this.#own : mounted
  }
}
