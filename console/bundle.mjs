/**
 * Bundles the page of the console: the document with its style, and two scripts. Like the rest of the package, the scripts are the source
 * without its types, with the path before the code of each file. Other comments are left out, because browsers load the page. The same
 * sources always produce the same text.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { format } from 'prettier'
import { rollup } from 'rollup'
import blankTypes from 'ts-blank-space'
import { withoutComments } from '../scripts/comments.mjs'
import { CONSOLE_STYLE, ROOT, fail, withHeadings } from '../scripts/tools.mjs'

const PAGE = join(ROOT, 'console/page')
/** The scripts of the page by their name at `/__dev__/`. The page loads the first one before the other. */
const SCRIPTS = { page: 'main.ts', views: 'second-script.ts' }
/** Maximum size of the document and its first script, in bytes. */
const MAX_BYTES = 250_000
const MAX_ZIPPED = 80_000

/** Returns the text of the module: the document, its scripts, and their hashes for the Content-Security-Policy. */
export async function bundlePage() {
  const { page: pageScript, views: viewsScript } = await bundleScripts()
  const style = await bundleStyle()
  const page = readFileSync(join(PAGE, 'index.html'), 'utf8')
    .replace(/[ \t]*<!--style-->\n/, () => style)
    .replace('<!--page.js-->', computeHash(pageScript))
    .replace('<!--views.js-->', computeHash(viewsScript))
  checkPage(style, page + pageScript)
  console.log(`The page of the console: ${describe(page + pageScript)}. Its second script: ${describe(viewsScript)}`)
  const parts = {
    PAGE: templateLiteral(page),
    PAGE_SCRIPT: templateLiteral(pageScript),
    VIEWS_SCRIPT: templateLiteral(viewsScript),
    SCRIPT_HASHES: `['${computeHash(pageScript)}', '${computeHash(viewsScript)}']`,
    STYLE_HASH: `'${computeHash(`\n${style}    `)}'`,
  }
  return Object.entries(parts)
    .map(([name, value]) => `export const ${name} = ${value}\n`)
    .join('\n')
}

async function bundleScripts() {
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(SCRIPTS).map(([name, file]) => [name, join(PAGE, file)])),
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

/** `page/main.ts`, or `wire/har-marks.ts` for a file that the console shares with its page. */
function pathInSource(path) {
  return relative(join(ROOT, path.startsWith(PAGE) ? 'console' : 'src/devconsole'), path)
}

/** Sources import each other by the names of compiled files. */
function resolveSource(to, from) {
  return from === undefined ? null : resolve(dirname(from), to.replace(/\.js$/, '.ts'))
}

function loadSource(path) {
  const refuse = ({ pos }) => fail(`Cannot build the console: what stands at ${pos} of ${path} is no type`)
  const isScript = Object.values(SCRIPTS).includes(relative(PAGE, path))
  return { code: blankTypes(withoutComments(readFileSync(path, 'utf8')), refuse), moduleSideEffects: isScript }
}

async function bundleStyle() {
  const main = readFileSync(join(PAGE, 'css/main.css'), 'utf8')
  const sheets = Array.from(main.matchAll(/^@import '\.\/([a-z]+\.css)';$/gm), ([, name]) => readSheet(name))
  return format(sheets.join('\n'), { ...CONSOLE_STYLE, parser: 'css' })
}

function readSheet(name) {
  return readFileSync(join(PAGE, 'css', name), 'utf8').replace(/\/\*[^]*?\*\/\n?/g, '')
}

function templateLiteral(content) {
  return `\`${content.replace(/[`\\]|\$\{/g, '\\$&')}\``
}

function computeHash(content) {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

function describe(content) {
  return `${Buffer.byteLength(content)} bytes, ${gzipSync(content).length} zipped`
}

function checkPage(style, first) {
  if (/<\//.test(style)) fail('Cannot build the console: its style would end the element it stands in')
  if (/\{\{\w+\}\}/.test(style)) fail('Cannot build the console: the style holds a place to be filled')
  if (Buffer.byteLength(first) > MAX_BYTES || gzipSync(first).length > MAX_ZIPPED)
    fail(`Cannot build the console: ${describe(first)}, is too much`)
}
