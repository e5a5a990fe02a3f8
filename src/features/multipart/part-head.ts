/** Parses the headers of a part: name, file name and media type (RFC 7578 section 4, and the variants that browsers send). */
import { isUtf8 } from 'node:buffer'
import { frameworkError, type HttpError } from '../../errors/http-error.js'
import { TOKEN } from '../../http/fields.js'
import { parseMediaType, type MediaType } from '../../http/media-type.js'

export interface PartHead {
  readonly name: string
  /** File name without directories; `undefined` for a field. */
  readonly filename: string | undefined
  /** `Content-Type` as sent; a default if it is missing or malformed. */
  readonly type: string
  readonly media: MediaType
}

const MAX_FIELDS = 16
/** In characters. */
const MAX_NAME_LENGTH = 256
const MAX_FILENAME_LENGTH = 1_024

const NAME = new RegExp(`^${TOKEN}(?=:)`)
/** Control characters except tab. Line breaks within a header are removed before the check. */
// oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/
const FORM_DATA = /^form-data[ \t]*(?=;)/i
/**
 * A parameter, with optional spaces and tabs around `=` (RFC 2045 section 5.1). Browsers write `"` as `%22` and do not escape backslashes.
 * Other clients escape both with a backslash.
 */
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\[^])*)"|(${TOKEN})))?[ \\t]*`,
  'y',
)
/** RFC 8187 section 3.2.1. The language tag is ignored. */
const EXTENDED = /^utf-8'[a-z0-9-]*'((?:%[0-9a-f]{2}|[!#$&+.^_`|~0-9a-z-])*)$/i
const ENCODINGS = /^(?:7bit|8bit|binary)$/i
const BYTES = 'application/octet-stream'
const PLAIN = 'text/plain'

/** Parses the header lines of a part. Throws 400 if they are malformed, and 415 if the part has a transfer encoding. */
export function parsePartHead(bytes: Buffer): PartHead {
  if (!isUtf8(bytes)) throw partSyntaxError('headers that are not valid UTF-8')
  const fields = parsePartHeaders(bytes.toString('utf8'))
  const parameters = parseDisposition(fields.get('content-disposition') ?? '')
  const name = unescapeQuoted(parameters.get('name'))
  if (name === undefined) throw partSyntaxError('no name. Send "Content-Disposition: form-data; name=…"')
  const filename = parseFilename(parameters)
  if (name.length > MAX_NAME_LENGTH) throw partSyntaxError(`a name of more than ${MAX_NAME_LENGTH} characters`)
  if (filename !== undefined && filename.length > MAX_FILENAME_LENGTH) {
    throw partSyntaxError(`a file name of more than ${MAX_FILENAME_LENGTH} characters`)
  }
  const encoding = fields.get('content-transfer-encoding') ?? '8bit'
  if (!ENCODINGS.test(encoding))
    throw frameworkError(415, `Send the part "${name}" without a transfer encoding`, { part: name })
  return { name, filename, ...partMediaType(fields.get('content-type'), filename === undefined ? PLAIN : BYTES) }
}

function partSyntaxError(what: string): HttpError {
  return frameworkError(400, `A part has ${what}`)
}

function parsePartHeaders(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  if (text === '') return fields
  // A line that starts with a space or tab continues the previous line (RFC 5322 section 2.2.3).
  for (const line of text.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [name = ''] = NAME.exec(line) ?? []
    const value = line.slice(name.length + 1).trim()
    const key = name.toLowerCase()
    if (key === '' || CONTROL.test(value)) throw partSyntaxError('malformed headers')
    if (fields.has(key)) throw partSyntaxError(`the header "${name}" twice`)
    if (fields.size === MAX_FIELDS) throw partSyntaxError(`more than ${MAX_FIELDS} headers`)
    fields.set(key, value)
  }
  return fields
}

function parseDisposition(disposition: string): Map<string, string> {
  const parameters = new Map<string, string>()
  const [start] = FORM_DATA.exec(disposition) ?? []
  if (start === undefined) return parameters
  for (PARAMETER.lastIndex = start.length; PARAMETER.lastIndex < disposition.length;) {
    const match = PARAMETER.exec(disposition)
    if (match === null) throw partSyntaxError('a malformed "Content-Disposition"')
    const [, key, quoted, token = ''] = match
    if (key === undefined) continue
    const name = key.toLowerCase()
    if (parameters.has(name)) throw partSyntaxError(`the "Content-Disposition" parameter "${key}" twice`)
    parameters.set(name, quoted === undefined ? token : quoted.replace(/\\(["\\])/g, '$1'))
  }
  return parameters
}

/** Escapes that browsers send for quotes and line breaks in names (WHATWG HTML, multipart/form-data). */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['%22', '"'],
  ['%0d', '\r'],
  ['%0a', '\n'],
])

function unescapeQuoted(text: string | undefined): string | undefined {
  return text?.replace(/%(?:22|0d|0a)/gi, (escape) => String(ESCAPES.get(escape.toLowerCase())))
}

/** Prefers `filename*` if it is valid (RFC 6266 section 4.3). */
function parseFilename(parameters: ReadonlyMap<string, string>): string | undefined {
  const extended = parameters.get('filename*')
  const filename = parseExtendedValue(extended) ?? unescapeQuoted(parameters.get('filename'))
  if (filename === undefined && extended !== undefined) throw partSyntaxError('a malformed "filename*"')
  return filename === undefined ? undefined : withoutFolders(filename)
}

function parseExtendedValue(text = ''): string | undefined {
  const [, encoded] = EXTENDED.exec(text) ?? []
  if (encoded === undefined) return undefined
  try {
    const decoded = decodeURIComponent(encoded)
    return CONTROL.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}

/** Removes everything up to the last slash or backslash, and a drive letter. Returns an empty string for `.` and `..`. */
function withoutFolders(filename: string): string {
  const baseName = filename.replace(/^[^]*[/\\]/, '').replace(/^[a-z]:/i, '')
  return baseName === '.' || baseName === '..' ? '' : baseName
}

/** Removes spaces and tabs around each `=` that is not in a quoted string. */
function withoutBlanks(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[^])*"?|[ \t]+/g, (found, at: number) => {
    const isBeside = text[at - 1] === '=' || text[at + found.length] === '='
    return isBeside && !found.startsWith('"') ? '' : found
  })
}

/** Returns the default if the type is missing, and `application/octet-stream` if it is malformed. */
function partMediaType(sent: string | undefined, usual: string): Pick<PartHead, 'type' | 'media'> {
  const media = parseMediaType(withoutBlanks(sent ?? usual))
  if (media !== undefined) return { type: sent ?? usual, media }
  return { type: BYTES, media: { essence: BYTES, type: 'application', subtype: 'octet-stream', parameters: new Map() } }
}
