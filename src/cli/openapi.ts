/** `verbena openapi`: prints the OpenAPI document of an app, and writes its page. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { OpenApiDocument } from '../setup/document-types.js'
import type { PageOptions } from '../reference/page-options.js'
import type { UnknownRecord } from '../values/objects.js'
import {
  attempt,
  CommandError,
  EXIT,
  readString,
  type Command,
  type CommandInput,
  type CommandOption,
} from './command.js'
import { loadApp, type LoadedApp } from './load-module.js'
import { isDocumentPath, readDocument } from './read-document.js'
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
    page: { type: 'string', value: '<file>', help: 'Write a page for readers, as one HTML file' },
    since: { type: 'string', value: '<version>', help: 'List in the page what changed since a version, or a file' },
  },
  details:
    'The document is always JSON. With "verbena openapi <document.json> --page <file>", it writes the page of a document of OpenAPI 3.0, ' +
    '3.1 or 3.2, of any framework.',
  example: 'openapi src/app.ts --out openapi.json',
  async run(input, terminal) {
    const [module = ''] = input.args
    const page = readString(input, 'page')
    if (isDocumentPath(module)) {
      const path = pagePath(input, module, page)
      await terminal.print(await writePage(path, readDocument(module), { previous: previousVersion(input) }))
      return EXIT.fine
    }
    if (page === undefined && readString(input, 'since') !== undefined) {
      throw new CommandError('Cannot list changes without a page. Add "--page <file>"')
    }
    const app = await loadApp(module, terminal)
    const document = makeAppDocument(app, input)
    const text = JSON.stringify(document, null, 2)
    const out = readString(input, 'out')
    if (out !== undefined) await terminal.print(writeDocument(out, text, document))
    if (page !== undefined) {
      const options = { hasClient: true, previous: previousVersion(input, app) }
      await terminal.print(await writePage(page, { ...document }, options))
    }
    if (out === undefined && page === undefined) await terminal.print(text)
    return EXIT.fine
  },
}

/** Returns the document of the wanted version. Throws a `CommandError` for an invalid version. */
export function makeAppDocument({ app }: LoadedApp, input: CommandInput, option: string = 'version'): OpenApiDocument {
  return attempt('', () => app.openapi({ version: readString(input, option) }))
}

/** Returns the document of `--since`: of a file, or of a version of the app. */
function previousVersion(input: CommandInput, app?: LoadedApp): PageOptions['previous'] {
  const since = readString(input, 'since')
  if (since === undefined) return undefined
  if (app !== undefined && !isDocumentPath(since))
    return { name: since, document: { ...makeAppDocument(app, input, 'since') } }
  const document = readDocument(since)
  const { version = since } = Object(document['info'])
  return { name: String(version), document }
}

function writeDocument(path: string, text: string, { paths }: OpenApiDocument): string {
  writeWhole(path, `${text}\n`)
  const operations = Object.values(paths).flatMap((each) => Object.keys(each))
  return `Wrote ${path} with ${formatCount(operations.length, 'operation')}`
}

/** Returns the path of `--page`, the only option for a document. */
function pagePath(input: CommandInput, document: string, page: string | undefined): string {
  if (page === undefined) {
    throw new CommandError(`Cannot print "${document}": it is already a document. Add "--page <file>" for its page`)
  }
  const otherOption = ['version', 'out'].find((name) => readString(input, name) !== undefined)
  if (otherOption === undefined) return page
  throw new CommandError(
    `Cannot write the page of "${document}" with "--${otherOption}": only an app has this option. Remove it`,
  )
}

async function writePage(path: string, document: UnknownRecord, options: PageOptions): Promise<string> {
  const { referencePage } = await import('../reference/page.js')
  const text = [...referencePage(document, options)].join('')
  writeWhole(path, text)
  return `Wrote ${path} with ${Math.ceil(Buffer.byteLength(text) / 1000)} kB`
}

/** Writes a file so that readers, such as a web server, see the old or the new file, but never a part. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}-${process.pid}`
  attempt(`Cannot write "${path}": `, () => {
    writeFileSync(draft, text)
    try {
      renameSync(draft, path)
    } catch (error) {
      rmSync(draft)
      throw error
    }
  })
}
