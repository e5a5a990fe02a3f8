import { Setting, IdempotencyStore, IdempotencyStoreWithin, Idempotency, ServicesOf, WantOf } from './core.js'
import { Uses, AnyProvider, ProviderInput } from './index.js'
export {
  CompletedKey,
  IncompleteKey,
  KeyClaim,
  KeyState,
  RedisClient,
  RedisIdempotencyOptions,
  redisIdempotency,
} from './core.js'
interface IdempotencyOptions<
  U extends Uses,
  Services,
  Required extends boolean,
  StoreServices extends object = {},
  Within extends AnyProvider = never,
> {
  readonly by: (
    input: ProviderInput<{
      readonly uses: U
    }>,
    services: Services,
  ) => string | Promise<string>
  readonly uses?: U
  readonly ttl: number
  readonly lease?: number
  readonly within?: Within
  readonly store?: Setting<IdempotencyStoreFor<Within>, StoreServices>
  readonly required?: Required
}
type IdempotencyStoreFor<Within extends AnyProvider> = [Within] extends [never]
  ? IdempotencyStore
  : IdempotencyStoreWithin<Within['~value']>
declare function idempotency<
  const U extends Uses = {},
  Services extends object = {},
  const Required extends boolean = false,
  StoreServices extends object = {},
  Within extends AnyProvider = never,
>(
  options: IdempotencyOptions<U, Services, Required, StoreServices, Within>,
): Idempotency<Services & StoreServices & ServicesOf<WantOf<U>>, Required>
export { Idempotency, IdempotencyStore, IdempotencyStoreWithin, Setting, idempotency }
export type { IdempotencyOptions, IdempotencyStoreFor }
