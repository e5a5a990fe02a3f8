/** Pictures in responses. Their type is read from their bytes. SVG is not accepted, because it can contain scripts. */

const MAX_BYTES = 2_000_000
/** Bytes at the start of a file, and an offset with further bytes. */
const SIGNATURES: readonly (readonly [type: string, start: string, offset?: number, more?: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/webp', 'RIFF', 8, 'WEBP'],
  ['image/avif', '', 4, 'ftypavif'],
]

/** Returns the media type of a picture that browsers can show; `null` for anything else, and for more than 2 MB. */
export function pictureType(bytes: ArrayBuffer): string | null {
  if (bytes.byteLength > MAX_BYTES) return null
  const head = String.fromCharCode(...new Uint8Array(bytes.slice(0, 16)))
  const signature = SIGNATURES.find(
    ([, start, offset = 0, more = '']) => head.startsWith(start) && head.startsWith(more, offset),
  )
  return signature?.[0] ?? null
}

/** Returns a `data:` URL, because the Content-Security-Policy of the page allows pictures only there. */
export function toDataUrl(bytes: ArrayBuffer, type: string): string {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte)
  return `data:${type};base64,${btoa(text)}`
}
