/**
 * Tools of others for OpenAPI documents: a validator, and a generator of types. They are loaded by a name that the compiler does
 * not see, because their own types need types of packages that they do not install; what is used of them is said here.
 */
import { createRequire } from 'node:module'

/** Rules, ready to use. */
interface Config {
  readonly rules: unknown
}

/** Something that a rule has against a document. */
export interface Complaint {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

interface Linter {
  createConfig(config: { readonly rules: Readonly<Record<string, 'error'>> }): Promise<Config>
  lintFromString(options: { readonly source: string; readonly config: Config }): Promise<readonly Complaint[]>
}

interface Generator {
  /** Makes the types of a document, as nodes of the compiler. */
  default(document: object): Promise<unknown>
  /** Writes them. */
  astToString(types: unknown): string
}

const require = createRequire(import.meta.url)
const linter: Linter = require('@redocly/openapi-core')
const GENERATOR: string = 'openapi-typescript'

/** What the specification demands, and that nothing is defined for nobody. */
const RULES = [
  ...['struct', 'no-unresolved-refs', 'no-unused-components', 'spec-components-invalid-map-name', 'no-identical-paths'],
  ...[
    'path-parameters-defined',
    'path-declaration-must-exist',
    'path-not-include-query',
    'operation-parameters-unique',
  ],
  ...[
    'operation-operationId',
    'operation-operationId-unique',
    'operation-operationId-url-safe',
    'no-enum-type-mismatch',
  ],
  ...['operation-tag-defined', 'no-server-trailing-slash', 'no-undefined-server-variable', 'no-path-trailing-slash'],
]

/** What the rules of OpenAPI have against a document. */
export async function lint(document: object): Promise<readonly Complaint[]> {
  const config = await linter.createConfig({ rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])) })
  return linter.lintFromString({ source: JSON.stringify(document), config })
}

/** TypeScript types of a document: `paths`, `operations`, `components`. */
export async function generateTypes(document: object): Promise<string> {
  const generator: Generator = await import(GENERATOR)
  return generator.astToString(await generator.default({ ...document }))
}
