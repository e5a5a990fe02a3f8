/**
 * Bundles the page of the console, `src/devconsole/ui`, into `src/devconsole/serve/page.generated.ts`: the document with its
 * style, two scripts, and their hashes for the Content-Security-Policy. Like the rest of the package, the scripts are the source
 * without its types, with the path before the code of each file. Other comments are left out, because browsers load the page.
 * The file is committed; the same sources always produce the same text.
 *
 *   node scripts/build-console.mjs [--check]
 *
 * `--check` writes nothing, and fails if the file does not match the sources.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { format } from 'prettier'
import { rollup } from 'rollup'
import blankTypes from 'ts-blank-space'
import { withoutComments } from './comments.mjs'
import { CONSOLE_STYLE, ROOT, fail, withHeadings } from './tools.mjs'

const UI = join(ROOT, 'src/devconsole/ui')
const TARGET = join(ROOT, 'src/devconsole/serve/page.generated.ts')
/** The scripts of the page by their name at `/__dev__/`. The page loads the first one before the other. */
const SCRIPTS = { page: 'main.ts', views: 'second-script.ts' }
/** Maximum size of the document and its first script, in bytes. */
const MAX_BYTES = 250_000
const MAX_ZIPPED = 80_000

const { page: pageScript, views: viewsScript } = await bundleScripts()
const style = await bundleStyle()
const page = readFileSync(join(UI, 'index.html'), 'utf8')
  .replace(/[ \t]*<!--style-->\n/, () => style)
  .replace('<!--page.js-->', hashOf(pageScript))
  .replace('<!--views.js-->', hashOf(viewsScript))

checkPage()
const text = `/** Made of \`ui/\` by \`npm run build:console\`; not to be edited. */

/** The page, with \`{{token}}\`, \`{{name}}\`, \`{{version}}\` and \`{{boot}}\` to be filled. */
export const PAGE: string = ${templateLiteral(page)}

/** First script of the page: its frame and the view of requests. */
export const PAGE_SCRIPT: string = ${templateLiteral(pageScript)}

/** Second script of the page: the other views. */
export const VIEWS_SCRIPT: string = ${templateLiteral(viewsScript)}

/** Sources of the page's scripts for \`script-src\`. */
export const SCRIPT_HASHES: readonly string[] = ['${hashOf(pageScript)}', '${hashOf(viewsScript)}']

/** Source of the page's style for \`style-src\`. */
export const STYLE_HASH: string = '${hashOf(`\n${style}    `)}'
`

if (!process.argv.includes('--check')) {
  writeFileSync(TARGET, text)
  console.log(`First: ${describe(page + pageScript)}. Then: ${describe(viewsScript)}`)
} else if (readFileSync(TARGET, 'utf8') !== text) {
  fail(
    'Cannot use src/devconsole/serve/page.generated.ts: src/devconsole/ui gives another page. Run `npm run build:console`',
  )
}

async function bundleScripts() {
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(SCRIPTS).map(([name, file]) => [name, join(UI, file)])),
    // The second script imports from the first one.
    preserveEntrySignatures: 'allow-extension',
    plugins: [{ resolveId: resolveSource, load: loadSource }],
    onwarn: ({ message }) => fail(`Cannot build the console: ${message}`),
  })
  const { output } = await bundle.generate({ format: 'es', minifyInternalExports: false, entryFileNames: '[name].js' })
  if (output.length !== 2) fail(`Cannot build the console: it has ${output.length} scripts`)
  const scripts = output.map(async ({ name, code, modules }) => {
    return [name, await format(withHeadings(code, modules, pathInSource), { ...CONSOLE_STYLE, parser: 'babel' })]
  })
  return Object.fromEntries(await Promise.all(scripts))
}

function pathInSource(path) {
  return relative(join(ROOT, 'src/devconsole'), path)
}

/** Sources import each other by the names of compiled files. */
function resolveSource(to, from) {
  return from === undefined ? null : resolve(dirname(from), to.replace(/\.js$/, '.ts'))
}

function loadSource(path) {
  const refuse = ({ pos }) => fail(`Cannot build the console: what stands at ${pos} of ${path} is no type`)
  const isScript = Object.values(SCRIPTS).includes(relative(UI, path))
  return { code: blankTypes(withoutComments(readFileSync(path, 'utf8')), refuse), moduleSideEffects: isScript }
}

async function bundleStyle() {
  const main = readFileSync(join(UI, 'css/main.css'), 'utf8')
  const sheets = Array.from(main.matchAll(/^@import '\.\/([a-z]+\.css)';$/gm), ([, name]) => readSheet(name))
  return format(sheets.join('\n'), { ...CONSOLE_STYLE, parser: 'css' })
}

function readSheet(name) {
  return readFileSync(join(UI, 'css', name), 'utf8').replace(/\/\*[^]*?\*\/\n?/g, '')
}

function templateLiteral(content) {
  return `\`${content.replace(/[`\\]|\$\{/g, '\\$&')}\``
}

function hashOf(content) {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

function describe(content) {
  return `${Buffer.byteLength(content)} bytes, ${gzipSync(content).length} zipped`
}

function checkPage() {
  if (/<\//.test(style)) fail('Cannot build the console: its style would end the element it stands in')
  if (/\{\{\w+\}\}/.test(style)) fail('Cannot build the console: the style holds a place to be filled')
  const first = page + pageScript
  if (Buffer.byteLength(first) > MAX_BYTES || gzipSync(first).length > MAX_ZIPPED)
    fail(`Cannot build the console: ${describe(first)}, is too much`)
}
