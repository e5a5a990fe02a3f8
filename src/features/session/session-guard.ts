/** The session of each request in work, and which pages may use it (CSRF). */
import { RequestContext, type ContextSource } from '../../context/request-context.js'
import { isFromTrustedPage } from '../../context/trusted-page.js'
import { frameworkError } from '../../errors/http-error.js'
import { followedBy, type OriginCheck } from '../../injection/credentials.js'
import { ProviderRecipe, type FrameworkErrors, type Uses } from '../../injection/provide.js'
import { noop } from '../../values/ignore.js'
import { openSession, type RequestSession, type Sessions } from './request-session.js'

interface InWork {
  readonly session: RequestSession
  /** Whether it does not count which page has sent the request. */
  isExempt: boolean
  isTrusted: boolean | Promise<boolean> | null
}

/** A session is written when nothing else can fail any more. */
class SessionOpener extends ProviderRecipe {
  override readonly readsCredentials: boolean = true
  override readonly cleansUpLast: boolean = true
  override readonly frameworkErrors: FrameworkErrors

  constructor(open: (input: object) => AsyncGenerator, storeErrors: readonly number[]) {
    super(Object.freeze({ guard: true, errors: [] }), open)
    this.frameworkErrors = { always: storeErrors, unsafe: [] }
  }
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export class SessionGuard implements OriginCheck {
  readonly uses: Uses
  readonly #sessions: Sessions
  readonly #inWork = new WeakMap<ContextSource, InWork>()
  /** What the log has to be told once. */
  #warning: string | null

  /** @param storeErrors that its store may cause */
  constructor(sessions: Sessions, warning: string | null, storeErrors: readonly number[]) {
    this.#sessions = sessions
    this.#warning = warning
    const opener = new SessionOpener((input) => this.#open(input), storeErrors)
    this.uses = { [`session of ${sessions.cookie.name}`]: opener }
  }

  get cookieName(): string {
    return this.#sessions.cookie.name
  }

  /** `undefined` where `uses` have not run. */
  sessionOf(source: ContextSource): RequestSession | undefined {
    return this.#inWork.get(source)?.session
  }

  check(source: ContextSource): unknown {
    const inWork = this.#inWork.get(source)
    if (inWork === undefined || inWork.isExempt || SAFE.has(source.exchange.method)) return undefined
    inWork.isTrusted ??= isFromTrustedPage(source)
    return followedBy(inWork.isTrusted, (isTrusted) => {
      if (isTrusted !== true) throw frameworkError(403, 'A page of another origin has sent this')
    })
  }

  exempt(source: ContextSource): void {
    const inWork = this.#inWork.get(source)
    if (inWork !== undefined) inWork.isExempt = true
  }

  /** Its value is for nobody: those that use it ask the guard, which looks at the page first. */
  async *#open(given: object): AsyncGenerator<null, void, void> {
    // Proof: providers get their input from the app, and all inputs are contexts.
    const input = given as RequestContext
    if (this.#warning !== null) input.log.warn({}, this.#warning)
    this.#warning = null
    const session = await openSession(this.#sessions, input)
    this.#inWork.set(RequestContext.sourceOf(input), { session, isExempt: false, isTrusted: null })
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

/** What `session` makes. It is the last guard, so that it is known whose credentials have won. */
export class SessionRecipe extends ProviderRecipe {
  override readonly readsCredentials: boolean = true
  override readonly frameworkErrors: FrameworkErrors = { always: [], unsafe: [403] }
  readonly guard: SessionGuard

  constructor(guard: SessionGuard) {
    const resolve = (input: object): unknown => {
      // Proof: as above.
      const source = RequestContext.sourceOf(input as RequestContext)
      return followedBy(guard.check(source), () => guard.sessionOf(source))
    }
    super(Object.freeze({ uses: guard.uses, errors: [] }), resolve, 'before-response', 'last guard')
    this.guard = guard
  }
}
