/** Reads OpenAPI documents of any framework from files. */
import { readFileSync } from 'node:fs'
import { isRecord, type UnknownRecord } from '../values/objects.js'
import { attempt, CommandError } from './command.js'

const DOCUMENT = '.json'

/** Whether an argument is a file with a document, and not a module with an app. */
export function isDocumentPath(argument: string): boolean {
  return argument.endsWith(DOCUMENT)
}

/** Returns the document in a file. Throws a `CommandError` if it is not OpenAPI 3.0, 3.1 or 3.2. */
export function readDocument(path: string): UnknownRecord {
  const cannot = `Cannot read "${path}": `
  const text = attempt(cannot, () => readFileSync(path, 'utf8'))
  const document: unknown = attempt(`${cannot}it is not JSON. `, () => JSON.parse(text))
  if (!isRecord(document)) throw new CommandError(`${cannot}it must be an OpenAPI document`)
  const { openapi, swagger } = document
  if (typeof openapi === 'string' && /^3\.[012]\./.test(openapi)) return document
  const version = String(openapi ?? swagger ?? 'none')
  throw new CommandError(
    `${cannot}it must be an OpenAPI document of version 3.0, 3.1 or 3.2, but its version is ${version}`,
  )
}
