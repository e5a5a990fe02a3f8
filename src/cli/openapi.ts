/** `verbena openapi`: prints the OpenAPI document of an app. */
import { writeFileSync } from 'node:fs'
import type { OpenApiDocument } from '../setup/document-types.js'
import { attempt, EXIT, readString, type Command, type CommandInput, type CommandOption } from './command.js'
import { loadApp, type LoadedApp } from './load-module.js'
import { formatCount } from './terminal.js'

export const VERSION_OPTION: CommandOption = {
  type: 'string',
  value: '<version>',
  help: 'Version of the API, as a client requests it',
}

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the OpenAPI document of an app',
  args: ['<module>'],
  options: {
    version: VERSION_OPTION,
    out: { type: 'string', short: 'o', value: '<file>', help: 'Write the document to a file' },
  },
  details: 'The document is always JSON.',
  example: 'openapi src/app.ts --out openapi.json',
  async run(input, terminal) {
    const [module = ''] = input.args
    const document = makeDocument(await loadApp(module, terminal), input)
    const text = JSON.stringify(document, null, 2)
    const out = readString(input, 'out')
    if (out === undefined) await terminal.print(text)
    else await terminal.print(writeDocument(out, text, document))
    return EXIT.fine
  },
}

/** Returns the document of the wanted version. Throws a `CommandError` for an invalid version. */
export function makeDocument({ app }: LoadedApp, input: CommandInput): OpenApiDocument {
  return attempt('', () => app.openapi({ version: readString(input, 'version') }))
}

function writeDocument(path: string, text: string, { paths }: OpenApiDocument): string {
  attempt(`Cannot write "${path}": `, () => writeFileSync(path, `${text}\n`))
  const operations = Object.values(paths).flatMap((each) => Object.keys(each))
  return `Wrote ${path} with ${formatCount(operations.length, 'operation')}`
}
