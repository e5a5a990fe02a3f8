/** The guard, and the same credentials as an optional value for mounted servers. */
import { bearer, optional } from 'verbena'

/** The owner of a token. */
export interface User {
  readonly name: string
}

const NAMES = new Map([
  ['token-of-ada', 'ada'],
  ['token-of-grace', 'grace'],
])

export const user = bearer((token): User | undefined => {
  const name = NAMES.get(token)
  return name === undefined ? undefined : { name }
})

/** The user, or `undefined` without credentials. */
export const viewer = optional(user)
