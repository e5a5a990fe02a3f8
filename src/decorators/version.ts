/** `@version`: restricts a verb method to versions of the API. */
import { decorator, MetaKey, type Decorator } from '../route/decorator.js'
import { parseConstraint, type Constraint } from '../versioning/constraint.js'

export const VERSION: MetaKey<Constraint> = new MetaKey('version')

/**
 * Restricts a verb method to requests for versions that satisfy a constraint. Several classes may have the same path if their constraints
 * do not overlap. The option `versioning` sets the header of the version, and the default for requests without a version.
 *
 * Constraints have the syntax of npm ranges: `>=1.2.0 <2`, `^1.4`, `1.x || 2.x`, `1.2 - 2.3`; or with dates: `>=2026-01-01 <2026-07-01`.
 *
 * @throws SetupError `VERSION_CONSTRAINT` if the constraint is malformed or no version satisfies it
 *
 * @example
 * ```ts
 * import { createApp, Route } from 'verbena'
 * import { version } from 'verbena/decorators'
 *
 * class Home extends Route {@version('>=1.2.0') async get() { return { hello: 'world' } }}
 *
 * const app = createApp({ version: '2.0.0', routes: { Home } })
 * const ask = (asked: string) => app.fetch(new Request('http://localhost/home', { headers: { 'accept-version': asked } }))
 * const answer = await ask('1.4')
 * answer.headers.get('api-version') // => '1.4.0'
 * const refusal = await ask('1.1')
 * refusal.status // => 406
 * ```
 */
export const version: Decorator<[constraint: string]> = decorator(function version(constraint: string) {
  return { meta: VERSION.carry(parseConstraint(constraint)) }
})
