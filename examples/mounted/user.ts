/** The guard, and the same credentials as an optional value for mounted servers. */
import { bearer, optional } from 'verbena'

/** The owner of a token. */
export interface User {
  readonly name: string
}

export const user = bearer((token): User | false => token === 'token-of-ada' && { name: 'ada' })

/** The user, or `undefined` without credentials. */
export const viewer = optional(user)
