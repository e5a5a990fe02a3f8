/**
 * Linters of others for OpenAPI documents, with all the rules that they recommend: what they find is mended in what the library or the
 * example says, and no rule is switched off. They are loaded by names that the compiler does not see, as other tools are.
 */
import { createRequire } from 'node:module'

/** What one linter has against a document. */
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

/** What both linters have against a document: warnings and hints count as errors do. */
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
