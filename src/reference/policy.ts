/** Content Security Policy of the page: nothing is allowed except its own style and script (CSP level 3). */
import { createHash } from 'node:crypto'
import { SCRIPT } from './script.js'
import { STYLE } from './style.js'

/** Policy in the page itself, for web servers that send the file. */
export const FILE_POLICY: string = [
  "default-src 'none'",
  `style-src '${policyHash(STYLE)}'`,
  `script-src '${policyHash(SCRIPT)}'`,
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Policy in the header of a response, which can also forbid frames. */
export const PAGE_POLICY: string = `${FILE_POLICY}; frame-ancestors 'self'`

function policyHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
