/** Names: `KebabCase` converts the key of a class to its path. */
import type { ParamsOf } from 'verbena'
import type { KebabCase } from '#src/naming/kebab-case.js'
import { sameType } from './same-type.js'

sameType<KebabCase<'UserProfiles'>, 'user-profiles'>()
sameType<KebabCase<'APIStatus'>, 'api-status'>()
sameType<KebabCase<'Home'>, 'home'>()
sameType<KebabCase<'OAuth2Tokens'>, 'o-auth2-tokens'>()
sameType<KebabCase<'HTTP2Server'>, 'http2-server'>()
sameType<KebabCase<'snake_case$dollar'>, 'snake-case-dollar'>()
sameType<KebabCase<string>, string>()
// @ts-expect-error - a difference is an error here
sameType<KebabCase<'UserProfiles'>, 'userprofiles'>()

sameType<ParamsOf<'/users/{id}/files/{path...}'>, { id: string; path: string }>()
sameType<ParamsOf<'/users'>, {}>()
