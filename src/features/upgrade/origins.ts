/** Origin check of upgrades. Browsers let pages of any origin open a WebSocket, with the cookies of the user. */
import { frameworkError } from '../../errors/http-error.js'
import { BaseContext } from '../../context/request-context.js'
import { isFromTrustedPage } from '../../http/trusted-page.js'
import { ProviderRecipe, type FrameworkErrors, type NamedProvider } from '../../injection/provide.js'
import type { CorsOptions } from '../../route/response-options.js'
import type { Call } from '../../request/call.js'
import { Cors } from '../responses/cors.js'

class OriginRecipe extends ProviderRecipe {
  override readonly frameworkErrors: FrameworkErrors = { always: [403], unsafe: [] }
}

/** Runs before all other guards. */
export function originGuard(origins: CorsOptions['origins'] | undefined): NamedProvider {
  const named = origins === undefined ? null : new Cors({ origins, credentials: true })
  const provider = new OriginRecipe({ guard: true, errors: [] }, async (input) => {
    // Proof: the app passes a context to every provider, and every context belongs to a `Call`.
    const call = BaseContext.sourceOf(input as BaseContext) as Call
    const origin = call.exchange.header('origin')
    if (await isFromTrustedPage(call)) return
    if (origin !== undefined && (await named?.trusts(call, origin)) === true) return
    throw frameworkError(403, 'Pages of this origin may not connect')
  })
  return { name: 'origin', provider }
}
