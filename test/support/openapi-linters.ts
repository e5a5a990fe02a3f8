/**
 * Two OpenAPI linters, Redocly and Spectral, with all recommended rules. Findings are fixed in the library or the example; no rule is
 * disabled. They are loaded with `require`, so that the compiler does not read their types.
 */
import { createRequire } from 'node:module'

/** An error, warning or hint of a linter. */
export type Finding = readonly [linter: string, rule: string, place: string, message: string]

interface Redocly {
  createConfig(config: { readonly extends: readonly string[] }): Promise<object>
  lintFromString(options: { readonly source: string; readonly config: object }): Promise<readonly RedoclyFinding[]>
}

interface RedoclyFinding {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

interface Spectral {
  setRuleset(ruleset: { readonly extends: readonly unknown[] }): void
  run(source: string): Promise<readonly SpectralFinding[]>
}

interface SpectralFinding {
  readonly code: string | number
  readonly message: string
  readonly path: readonly (string | number)[]
}

const require = createRequire(import.meta.url)
const redocly: Redocly = require('@redocly/openapi-core')
const { Spectral: SpectralLinter }: { readonly Spectral: new () => Spectral } = require('@stoplight/spectral-core')
const { oas }: { readonly oas: unknown } = require('@stoplight/spectral-rulesets')

const spectral = new SpectralLinter()
spectral.setRuleset({ extends: [oas] })

/** Returns the findings of both linters, including warnings and hints. */
export async function lintDocument(document: object): Promise<Finding[]> {
  const source = JSON.stringify(document)
  const config = await redocly.createConfig({ extends: ['recommended'] })
  const ofRedocly = await redocly.lintFromString({ source, config })
  const ofSpectral = await spectral.run(source)
  return [
    ...ofRedocly.map(({ ruleId, location, message }): Finding => {
      return ['redocly', ruleId, location[0]?.pointer ?? '', message]
    }),
    ...ofSpectral.map(({ code, path, message }): Finding => ['spectral', String(code), path.join('/'), message]),
  ]
}
