/**
 * Bundles the page of the console, `src/devconsole/ui`, into `src/devconsole/serve/page.generated.ts`: an HTML string, and the
 * hashes of its script and its style for the Content-Security-Policy. The file is committed; the same sources always produce
 * the same text.
 *
 *   node scripts/build-console.mjs [--check]
 *
 * `--check` writes nothing, and fails if the file does not match the sources.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { minify } from '@swc/core'
import { build } from 'esbuild'
import { ROOT, fail } from './tools.mjs'

const UI = 'src/devconsole/ui'
const TARGET = join(ROOT, 'src/devconsole/serve/page.generated.ts')
const MOST_BYTES = 250_000
const MOST_ZIPPED = 80_000

const html = readFileSync(join(ROOT, UI, 'index.html'), 'utf8')
const script = await compressed(await bundle('main.ts', { format: 'esm', target: 'es2022' }))
const style = dense(await bundle('css/main.css', { minifySyntax: true }))
const page = html
  .trim()
  .replaceAll(/>\s+</g, '><')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(' />', '>')
  .replace('<!--style-->', () => style)
  .replace('<!--script-->', () => script)

checkPage()
const text = `/** Made of \`ui/\` by \`npm run build:console\`; not to be edited. */

/** The page, with \`{{token}}\`, \`{{name}}\`, \`{{version}}\` and \`{{boot}}\` to be filled. */
export const PAGE: string = ${JSON.stringify(page)}

/** Source of the page's script for \`script-src\`. */
export const SCRIPT_HASH: string = '${hashOf(script)}'

/** Source of the page's style for \`style-src\`. */
export const STYLE_HASH: string = '${hashOf(style)}'
`

if (!process.argv.includes('--check')) {
  writeFileSync(TARGET, text)
  console.log(`page.generated.ts: ${page.length} characters, ${gzipSync(page).length} bytes zipped`)
} else if (readFileSync(TARGET, 'utf8') !== text) {
  fail(
    'Cannot use src/devconsole/serve/page.generated.ts: src/devconsole/ui gives another page. Run `npm run build:console`',
  )
}

async function bundle(entry, options) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`${UI}/${entry}`],
    bundle: true,
    minifyIdentifiers: true,
    minifyWhitespace: true,
    charset: 'utf8',
    write: false,
    legalComments: 'none',
    logLevel: 'error',
    ...options,
  })
  return outputFiles[0].text.trim()
}

/** Removes spaces in values of custom properties, which esbuild keeps. */
function dense(css) {
  return css
    .replaceAll(/(--[\w-]+): /g, '$1:')
    .replaceAll(', ', ',')
    .replaceAll(' / ', '/')
}

/** Also inlines functions with one call, and selects names that compress better, unlike esbuild (2 kB less). */
async function compressed(text) {
  const compress = { ecma: 2022, passes: 10, toplevel: true, keep_fargs: false, unsafe: true, unsafe_arrows: true }
  const { code } = await minify(text, {
    ecma: 2022,
    module: true,
    compress: { ...compress, sequences: false },
    mangle: { toplevel: false },
  })
  return code.trim()
}

function hashOf(content) {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

function checkPage() {
  if (/<\/script|<!--/i.test(script)) fail('Cannot build the console: its script would end the element it stands in')
  if (/<\//.test(style)) fail('Cannot build the console: its style would end the element it stands in')
  if (/\{\{\w+\}\}/.test(script + style)) fail('Cannot build the console: script or style hold a place to be filled')
  const [bytes, zipped] = [Buffer.byteLength(page), gzipSync(page).length]
  if (bytes > MOST_BYTES || zipped > MOST_ZIPPED)
    fail(`Cannot build the console: ${bytes} bytes, ${zipped} zipped, is too much`)
}
