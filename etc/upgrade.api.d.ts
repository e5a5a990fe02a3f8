import { Duplex } from 'node:stream'
import { UpgradeRequest, TextSources, Only, UsesIn } from './core.js'
import { ProviderInput, ParamsOf, Uses, CorsOptions, EndpointDecorator, Meta, Upgrade } from './index.js'
interface UpgradeNeeds extends TextSources {
  readonly path?: string
  readonly uses?: Uses
  readonly origins?: CorsOptions['origins']
  readonly protocol?: string
  readonly decorators?: readonly EndpointDecorator[]
  readonly public?: boolean
  readonly tags?: readonly string[]
  readonly meta?: Meta
}
type UpgradeParams<N> = 'params' extends keyof N
  ? unknown
  : {
      readonly params: N extends {
        readonly path: infer Path
      }
        ? ParamsOf<Path>
        : Readonly<Record<string, string>>
    }
type UpgradeInput<N = {}> = ProviderInput<N> & UpgradeParams<N>
type UpgradeHandler<N = {}> = (input: UpgradeInput<N>, socket: Duplex, head: Buffer, request: UpgradeRequest) => unknown
declare function upgrade<const N extends UpgradeNeeds>(
  needs: N & Only<N, UpgradeNeeds>,
  handler: UpgradeHandler<N>,
): Upgrade<UsesIn<N>>
export { UpgradeRequest, upgrade }
export type { UpgradeHandler, UpgradeInput, UpgradeNeeds }
