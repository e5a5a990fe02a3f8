/**
 * Third-party tools for OpenAPI documents: a validator and a type generator. They are loaded without their types, which depend on
 * packages that they do not install. This file declares the types that are used.
 */
import { createRequire } from 'node:module'

/** Parsed configuration of the linter. */
interface Config {
  readonly rules: unknown
}

/** A violated rule. */
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
  /** Builds the types of a document, as nodes of the TypeScript compiler. */
  default(document: object): Promise<unknown>
  /** Formats the nodes as TypeScript. */
  astToString(types: unknown): string
}

const require = createRequire(import.meta.url)
const linter: Linter = require('@redocly/openapi-core')
const GENERATOR: string = 'openapi-typescript'

/** The rules of the OpenAPI specification, and `no-unused-components`. */
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

/** Returns the violations of `RULES` in a document. */
export async function lint(document: object): Promise<readonly Complaint[]> {
  const config = await linter.createConfig({ rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])) })
  return linter.lintFromString({ source: JSON.stringify(document), config })
}

/** Returns the TypeScript types of a document: `paths`, `operations`, `components`. */
export async function generateTypes(document: object): Promise<string> {
  const generator: Generator = await import(GENERATOR)
  return generator.astToString(await generator.default({ ...document }))
}
