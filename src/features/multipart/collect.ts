/** Collects a multipart body: strings of text fields, values of JSON fields, files, and errors of parts. */
import { isUtf8 } from 'node:buffer'
import { frameworkError, type HttpError } from '../../errors/http-error.js'
import { ChunkBuffer } from '../../http/body.js'
import { parseJson } from '../../http/json-body.js'
import { isUtf8Charset, typeMatcher, type MediaType } from '../../http/media-type.js'
import type { JsonShape } from '../../validation/text/json-shape.js'
import type { RawText } from '../../validation/text/convert-text.js'
import { BareRecord } from '../../values/objects.js'
import type { FileStore } from './file-store.js'
import type { PartHead } from './part-head.js'
import type { PartReader } from './part-reader.js'

/** A `FileRule` with its defaults. */
export interface FilePlan {
  readonly takesType: (media: MediaType) => boolean
  /** Accepted media types, for error details. */
  readonly types: string
  /** Maximum bytes of each file. */
  readonly limit: number
  readonly isOptional: boolean
  /** Maximum number of files; `null` for a single file that is not passed as a list. */
  readonly count: number | null
}

export interface FormPlan {
  /** By part name. */
  readonly files: ReadonlyMap<string, FilePlan>
  /** Maximum bytes of all fields together. */
  readonly fieldLimit: number
  /** Maximum nesting depth of a JSON field. */
  readonly depth: number
  /** Returns the shape of a field that is sent as JSON; `null` for any other. */
  readonly jsonShape: (name: string) => JsonShape | null
}

export interface CollectedForm {
  /** Strings of text fields, by name. */
  readonly texts: RawText
  /** Parsed values of JSON fields, by name. */
  readonly values: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, readonly File[]>
  /** First error of each part name. */
  readonly messages: ReadonlyMap<string, string>
}

export function collect(reader: PartReader, plan: FormPlan, store: FileStore): Promise<CollectedForm> {
  return new Collector(reader, plan, store).collect()
}

/** Result for a request without a body: all required files are missing. */
export function nothingCollected(plan: FormPlan): CollectedForm {
  return {
    texts: new BareRecord(),
    values: new BareRecord(),
    files: new Map(),
    messages: missingPartIssue(plan, new Set()),
  }
}

class Collector {
  readonly #reader: PartReader
  readonly #plan: FormPlan
  readonly #store: FileStore
  readonly #texts = new BareRecord<string | string[]>()
  /** Parsed parts of JSON fields, by name. */
  readonly #json = new Map<string, { readonly shape: JsonShape; readonly parts: unknown[] }>()
  readonly #files = new Map<string, File[]>()
  readonly #messages = new Map<string, string>()
  /** Bytes of all fields read so far. */
  #fieldBytes = 0

  constructor(reader: PartReader, plan: FormPlan, store: FileStore) {
    this.#reader = reader
    this.#plan = plan
    this.#store = store
  }

  async collect(): Promise<CollectedForm> {
    try {
      for (let head = await this.#reader.next(); head !== null; head = await this.#reader.next()) {
        const shape = this.#plan.jsonShape(head.name)
        if (shape !== null) await this.#takeJson(head, shape)
        else if (head.filename === undefined) await this.#takeField(head)
        else await this.#takeFile(head, head.filename)
      }
    } finally {
      await this.#reader.end()
    }
    const messages = missingPartIssue(this.#plan, new Set([...this.#files.keys(), ...this.#messages.keys()]))
    const values = this.#values()
    return { texts: this.#texts, values, files: this.#files, messages: new Map([...this.#messages, ...messages]) }
  }

  /** Repeated parts become the items of a list. If the schema expects a list, a single part that is not an array becomes its only item. */
  #values(): Readonly<Record<string, unknown>> {
    const values = new BareRecord()
    for (const [name, { shape, parts }] of this.#json) {
      const [first] = parts
      const areItems = parts.length > 1 ? shape.canBeList : shape.isList && !Array.isArray(first)
      if (parts.length > 1 && !shape.canBeList) this.#reject(name, 'Expected one value')
      else values[name] = areItems ? parts : first
    }
    return values
  }

  async #takeField({ name, media }: PartHead): Promise<void> {
    if (this.#plan.files.has(name)) return this.#reject(name, 'Expected a file')
    if (!isUtf8Charset(media.parameters.get('charset'))) throw partError(415, name, `Send the field "${name}" in UTF-8`)
    const bytes = await this.#fieldBytesOf(name)
    if (!isUtf8(bytes)) throw partError(400, name, `The field "${name}" is not valid UTF-8`)
    this.#addText(name, bytes.toString('utf8'))
  }

  /** Reads a field with the checks of a JSON body: media type, syntax and depth. */
  async #takeJson({ name, media, filename }: PartHead, shape: JsonShape): Promise<void> {
    // Without a file name, text is JSON: the schema accepts no string. Most clients send objects so.
    const isAccepted = isJson(media) || (filename === undefined && isText(media))
    if (!isAccepted) throw partError(415, name, `Send the field "${name}" as application/json`)
    const value = parseFormField(await this.#fieldBytesOf(name), name, this.#plan.depth)
    const present = this.#json.get(name)
    if (present === undefined) this.#json.set(name, { shape, parts: [value] })
    else present.parts.push(value)
  }

  async #fieldBytesOf(name: string): Promise<Buffer> {
    const { fieldLimit } = this.#plan
    const gathered = new ChunkBuffer()
    for (let chunk = await this.#reader.chunk(); chunk !== null; chunk = await this.#reader.chunk()) {
      this.#fieldBytes += chunk.length
      if (this.#fieldBytes > fieldLimit) {
        throw partError(413, name, `The fields up to "${name}" are larger than ${fieldLimit} bytes in total`)
      }
      gathered.add(chunk)
    }
    return gathered.join()
  }

  #addText(name: string, text: string): void {
    const present = this.#texts[name]
    if (present === undefined) this.#texts[name] = text
    else if (typeof present === 'string') this.#texts[name] = [present, text]
    else present.push(text)
  }

  async #takeFile({ name, type, media }: PartHead, filename: string): Promise<void> {
    const plan = this.#plan.files.get(name)
    let chunk = await this.#reader.chunk()
    // Browsers send an empty part with an empty file name for an empty file input.
    if (filename === '' && chunk === null) return undefined
    if (plan === undefined) return this.#reject(name, 'Unexpected file')
    const files = this.#files.get(name) ?? []
    if (files.length === (plan.count ?? 1)) {
      return this.#reject(name, plan.count === null ? 'Expected one file' : `Expected at most ${plan.count} files`)
    }
    if (!plan.takesType({ ...media, parameters: NO_PARAMETERS })) {
      throw partError(415, name, `Send the file "${name}" as ${plan.types}`)
    }
    let size = 0
    const next = async (): Promise<Buffer | null> => {
      const bytes = chunk ?? (await this.#reader.chunk())
      chunk = null
      size += bytes?.length ?? 0
      if (size <= plan.limit) return bytes
      throw partError(413, name, `The file "${name}" is larger than ${plan.limit} bytes`)
    }
    const file = await this.#store.add({ name: filename, type, next })
    this.#files.set(name, [...files, file])
  }

  /** Stores the first error of a part name. The reader skips the unread bytes of the part. */
  #reject(name: string, why: string): void {
    if (!this.#messages.has(name)) this.#messages.set(name, why)
  }
}

const isJson = typeMatcher(['application/json', 'application/*+json'])
const isText = typeMatcher(['text/plain'])

function parseFormField(bytes: Buffer, name: string, depth: number): unknown {
  try {
    return parseJson(bytes, { depth }, `The field "${name}"`)
  } catch (error) {
    throw partError(400, name, Object(error).message)
  }
}

/** A file type is compared without parameters, because a `charset` does not matter for bytes. */
const NO_PARAMETERS: MediaType['parameters'] = new Map()

function missingPartIssue({ files }: FormPlan, receivedNames: ReadonlySet<string>): Map<string, string> {
  const absent = [...files].filter(([name, { isOptional }]) => !isOptional && !receivedNames.has(name))
  return new Map(
    absent.map(([name, { count }]) => [name, count === null ? 'Expected a file' : 'Expected at least one file']),
  )
}

function partError(status: number, part: string, detail: string): HttpError {
  return frameworkError(status, detail, { part })
}
