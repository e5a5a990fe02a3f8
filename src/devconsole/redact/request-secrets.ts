/** Collects the secrets of one request from its input, from the arguments of service calls, and from the response. */
import { Buffer } from 'node:buffer'
import { gatherFields, gatherJson, gatherQuery } from '../../secrets/call-secrets.js'
import type { TrailAnswer, TrailSources } from '../../observe/request-recorder.js'
import type { RequestRedactor } from './request-redactor.js'

const MAX_BODY_TEXT = 64 * 1024
const FORM = /^application\/x-www-form-urlencoded/i
const JSON_TYPE = /[/+]json/i

export class RequestSecrets {
  readonly hider: RequestRedactor
  #hasHead = false
  #hasBody = false

  constructor(hider: RequestRedactor) {
    this.hider = hider.ofRequest()
  }

  /** Collects the secrets of the request: of headers and query once, of the body as soon as it is available. */
  gather(sources: TrailSources): void {
    const { names, values } = this.hider
    for (const [name, value] of Object.entries(sources.params)) if (names.isKey(name)) values.add(value)
    if (!this.#hasHead) {
      this.#hasHead = true
      gatherFields(Object.entries(sources.headers), this.hider)
      gatherQuery(sources.query, this.hider)
    }
    if (this.#hasBody || sources.body === null) return
    this.#hasBody = true
    this.#gatherBody(sources.headers['content-type'], sources.body)
  }

  /** Collects the secrets of the response, such as new tokens and cookies. */
  gatherAnswer({ headers, payload }: TrailAnswer): void {
    const { type, data } = payload
    gatherFields(headers, this.hider)
    if (typeof data !== 'string' && !(data instanceof Uint8Array)) return
    this.#gatherBody(headers.get('content-type') ?? type, data)
  }

  #gatherBody(type: string | undefined, data: string | Uint8Array): void {
    const size = typeof data === 'string' ? data.length : data.byteLength
    if (type === undefined || size > MAX_BODY_TEXT) return
    if (FORM.test(type)) gatherQuery(decodeData(data), this.hider)
    else if (JSON_TYPE.test(type)) gatherJson(decodeData(data), this.hider)
  }
}

function decodeData(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
}
