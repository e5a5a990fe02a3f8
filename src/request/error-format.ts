/** Finds the error format of a request. */
import { parseTarget } from '../http/target.js'
import { match } from '../router/match.js'
import type { Mounts } from '../router/mounts.js'
import type { Router } from '../router/router.js'
import type { FormatPlan } from './endpoint.js'

/** An endpoint or path. `errorFormat` is `null` for problem details. */
interface FormattedError {
  readonly errorFormat: FormatPlan | null
}

interface FailedRequest {
  readonly endpoint: FormattedError | null
  readonly pathRecord: FormattedError | null
  /** Empty until the request target is parsed. */
  readonly path: string
  readonly exchange: { readonly url: string }
}

/** Error formats of an app and its groups. */
export class ErrorFormats {
  /** Errors thrown by formats, by request; for tests. */
  readonly faults: WeakMap<object, unknown> = new WeakMap<object, unknown>()
  readonly #own: FormatPlan | null
  readonly #router: Router<FormattedError>
  readonly #mounts: Mounts<FormatPlan | null>

  constructor(own: FormatPlan | null, router: Router<FormattedError>, mounts: Mounts<FormatPlan | null>) {
    this.#own = own
    this.#router = router
    this.#mounts = mounts
  }

  /** Returns the format of the endpoint, its path, the longest matching mount or the app, in that order of preference. */
  of({ endpoint, pathRecord, path, exchange }: FailedRequest): FormatPlan | null {
    const located = endpoint ?? pathRecord
    if (located !== null) return located.errorFormat
    // Requests that fail before routing may still have a path.
    const target = path === '' ? parseTarget(exchange.url) : { path }
    if (typeof target === 'string') return this.#own
    const entry = match(this.#router, target.path)?.value
    if (entry !== undefined) return entry.errorFormat
    const mounted = this.#mounts.of(target.path)
    return mounted === undefined ? this.#own : mounted
  }
}
