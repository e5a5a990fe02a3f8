/** Sessions of all requests in progress, and the origin check that protects them (CSRF). */
import { BaseContext, type ContextSource } from '../../context/request-context.js'
import { isFromTrustedPage } from '../../http/trusted-page.js'
import { frameworkError } from '../../errors/http-error.js'
import { SAFE_METHODS } from '../../http/methods.js'
import { thenVerify, type OriginCheck } from '../../injection/credentials.js'
import { ProviderRecipe, type FrameworkErrors, type Uses } from '../../injection/provide.js'
import type { StartSettings } from '../../injection/services.js'
import { noop } from '../../values/noop.js'
import type { ProviderSettings } from '../stores/service-settings.js'
import { openSession, type RequestSession, type Sessions } from './request-session.js'

interface InWork {
  readonly session: RequestSession
  /** Whether the request skips the origin check. */
  isExempt: boolean
  isTrusted: boolean | Promise<boolean> | null
}

/** Opens the session. Its cleanup runs last, so that the session is saved only if everything else has succeeded. */
class SessionOpener extends ProviderRecipe {
  override readonly readsCredentials: boolean = true
  override readonly cleansUpLast: boolean = true
  override readonly frameworkErrors: FrameworkErrors
  override readonly settings: readonly StartSettings[]

  constructor(
    open: (input: object) => AsyncGenerator,
    storeErrors: readonly number[],
    settings: readonly StartSettings[],
  ) {
    super(Object.freeze({ guard: true, errors: [] }), open)
    this.frameworkErrors = { always: storeErrors, unsafe: [] }
    this.settings = settings
  }
}

/** Facts about the sessions of a provider that are the same in each app. */
interface SessionFacts {
  readonly cookieName: string
  /** Warning to log once; `null` if there is nothing to warn about. */
  readonly warning: string | null
  /** Statuses of errors of the store. */
  readonly storeErrors: readonly number[]
}

export class SessionGuard implements OriginCheck {
  readonly uses: Uses
  readonly cookieName: string
  readonly #sessions: ProviderSettings<Sessions>
  readonly #inWork = new WeakMap<ContextSource, InWork>()
  /** Warning to log once; `null` after it is logged. */
  #warning: string | null

  constructor(sessions: ProviderSettings<Sessions>, { cookieName, warning, storeErrors }: SessionFacts) {
    this.#sessions = sessions
    this.#warning = warning
    this.cookieName = cookieName
    const opener = new SessionOpener((input) => this.#open(input), storeErrors, sessions.unread)
    this.uses = { [`session of ${cookieName}`]: opener }
  }

  /** Returns `undefined` if the provider in `uses` has not run. */
  sessionOf(source: ContextSource): RequestSession | undefined {
    return this.#inWork.get(source)?.session
  }

  check(source: ContextSource): unknown {
    const inWork = this.#inWork.get(source)
    if (inWork === undefined || inWork.isExempt || SAFE_METHODS.has(source.exchange.method)) return undefined
    inWork.isTrusted ??= isFromTrustedPage(source)
    return thenVerify(inWork.isTrusted, (isTrusted) => {
      if (isTrusted !== true) throw frameworkError(403, 'Requests from pages of other origins are not allowed')
    })
  }

  exempt(source: ContextSource): void {
    const inWork = this.#inWork.get(source)
    if (inWork !== undefined) inWork.isExempt = true
  }

  /** Yields `null`. Other providers get the session from the guard, which first checks the origin. */
  async *#open(requestParts: object): AsyncGenerator<null, void, void> {
    // Proof: the app passes a context to every provider.
    const input = requestParts as BaseContext
    if (this.#warning !== null) input.log.warn({}, this.#warning)
    this.#warning = null
    const source = BaseContext.sourceOf(input)
    const session = await openSession(this.#sessions.for(source.app), input)
    this.#inWork.set(source, { session, isExempt: false, isTrusted: null })
    try {
      yield null
      await session.close()
    } catch (error) {
      session.close().catch(noop)
      await session.writeEnd()
      throw error
    }
    await session.write()
  }
}

/** The provider that `session` returns. It is the last guard, because the accepted credentials decide whether the origin is checked. */
export class SessionRecipe extends ProviderRecipe {
  override readonly readsCredentials: boolean = true
  override readonly frameworkErrors: FrameworkErrors = { always: [], unsafe: [403] }
  readonly guard: SessionGuard

  constructor(guard: SessionGuard) {
    const resolve = (input: object): unknown => {
      // Proof: the app passes a context to every provider.
      const source = BaseContext.sourceOf(input as BaseContext)
      return thenVerify(guard.check(source), () => guard.sessionOf(source))
    }
    super(Object.freeze({ uses: guard.uses, errors: [] }), resolve, 'before-response', 'last guard')
    this.guard = guard
  }
}
