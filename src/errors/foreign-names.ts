/** Names of other frameworks for options of Verbena, as data. A list of all options would not lead to the right one. */
import { isRecord } from '../values/objects.js'
import { optionError } from './options.js'

type Names = readonly (readonly [fix: string, names: string])[]

const OF_APPS: Names = [
  ['Write "app.listen({ port: 3000 })"', 'port'],
  [`Write "app.listen({ host: '0.0.0.0', port: 3000 })"`, 'host hostname address'],
  ['Write "app.listen({ tls: { key, cert } })"', 'tls https ssl cert httpsoptions'],
  [
    `Name a section after it: "routes: { '/v1': { Tasks } }"`,
    'prefix basepath baseurl globalprefix routeprefix rootpath mountpath',
  ],
  [
    'Write "routes: { Tasks }", with classes that extend Route',
    'controllers routers router handlers endpoints modules',
  ],
  ['Write "services: { tasks: service(() => new Tasks()) }"', 'providers dependencies container state decorate'],
  ['Use "services" and "middleware"; there are no plugins', 'plugins plugin extensions'],
  [
    'Write "group({ uses: { user: bearer(verify) }, routes: { Tasks } })" in "routes"',
    'guards auth security prehandler hooks interceptors',
  ],
  ['Write "mapError: (error) => HttpError | undefined"', 'onerror errorhandler exceptionhandlers exceptionfilters'],
  ['Write "limits: { body: 1_000_000 }"', 'bodylimit bodyparser maxbodysize'],
  [`Write "name: 'Tasks'"`, 'title'],
  ['Write "openapi: { info: { description } }"', 'description info'],
  ['Write "openapi: { … }"', 'swagger docs documentation'],
  [`Write "securityHeaders: 'api'"`, 'helmet'],
  [`Write "trailingSlash: 'ignore'"`, 'ignoretrailingslash strictrouting redirectslashes'],
]

const OF_CONTRACTS: Names = [
  [
    'Write "returns: Task", or "returns: { 200: Task, 202: Job }"',
    'response responses responsemodel responseschema responsebody output result returntype reply schema',
  ],
  ['Write "query: Filter"', 'querystring queryparams querystringparameters search'],
  ['Write "params: Ids"', 'pathparams urlparams pathparameters'],
  ['Write "body: NewTask"', 'requestbody request input payload data dto json'],
  ['Write "status: 201"', 'statuscode successstatus httpcode code'],
  [`Write "static readonly path = '/tasks/{id}'" in the class`, 'path url route'],
  ['Give the contract and its method the name of the verb, such as "get"', 'method handler run resolve'],
  [
    'Write "uses: { user: bearer(verify) }"',
    'auth guard guards security prehandler dependencies middleware middlewares before',
  ],
  ['Write "hidden: true"', 'includeinschema excludefromdocs'],
]

/** Fixes for names of other frameworks, by the name in lower case without separators. */
type Fixes = ReadonlyMap<string, string>

export const FIXES_OF_APPS: Fixes = byName(OF_APPS)
export const FIXES_OF_CONTRACTS: Fixes = byName(OF_CONTRACTS)

function byName(names: Names): Fixes {
  return new Map(names.flatMap(([fix, list]) => list.split(' ').map((name) => [name, fix] as const)))
}

/** Throws `OPTION_INVALID` for the first option that is a name of another framework. */
export function checkForeignNames(options: unknown, fixes: Fixes, owner: string): void {
  if (!isRecord(options)) return
  for (const key of Object.keys(options)) {
    const fix = fixes.get(key.toLowerCase().replaceAll(/[-_]/g, ''))
    if (fix !== undefined) throw optionError(owner, key, `it is unknown. ${fix}`)
  }
}
