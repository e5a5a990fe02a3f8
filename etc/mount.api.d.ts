import { Only, Mount, UsesIn } from './core.js'
import { Uses, EndpointDecorator, Meta, ProviderInput } from './index.js'
interface WebResponse {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: object | null
  readonly type?: string
}
interface MountOptions {
  readonly uses?: Uses
  readonly limit?: number
  readonly types?: readonly string[]
  readonly timeout?: number
  readonly decorators?: readonly EndpointDecorator[]
  readonly public?: boolean
  readonly tags?: readonly string[]
  readonly meta?: Meta
}
type MountHandler<N = {}> =
  N extends Required<Pick<MountOptions, 'uses'>>
    ? (request: Request, input: ProviderInput<N>) => WebResponse | Promise<WebResponse>
    : (request: Request) => WebResponse | Promise<WebResponse>
declare function mount<const N extends MountOptions = {}>(
  handler: MountHandler<N>,
  options?: N & Only<N, MountOptions>,
): Mount<UsesIn<N>>
export { Mount, mount }
export type { MountHandler, MountOptions, WebResponse }
