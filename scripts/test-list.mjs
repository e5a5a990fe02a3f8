/**
 * A reporter for `node --test` that writes one line per test: file, full name, and `skipped` or `failed` if it did not pass.
 *
 *   TEST_LIST=<folder> npm test
 *   node scripts/test-list.mjs <folder> <other folder>
 *
 * With `TEST_LIST`, each run of `scripts/test.mjs` writes a file named by its options. As a program, it compares the files of two folders.
 * Prints the tests that only one of them has, and fails if the second has fewer.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFile } from './folder-times.mjs'
import { fail, ROOT } from './tools.mjs'

// oxlint-disable-next-line import/no-default-export -- Node.js requires it of a reporter
export default async function* testList(events) {
  const names = []
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      names.length = data.nesting
      names.push(data.name)
    }
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue
    const name = [...names.slice(0, data.nesting), data.name].join(' > ').replaceAll(/\s+/g, ' ')
    const row = [sourceFile(data.file ?? ROOT), name]
    if (type === 'test:fail') row.push('failed')
    else if (data.skip !== undefined) row.push('skipped')
    yield `${row.join('\t')}\n`
  }
}

function readRows(folder) {
  if (!existsSync(folder)) fail(`Cannot compare tests: there is no folder ${folder}`)
  const rows = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${file.replace(/\.txt$/, '')}\t${line}`),
  )
  const counts = new Map()
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1)
  return counts
}

function compare(before, after) {
  const missing = [...before].filter(([row, count]) => (after.get(row) ?? 0) < count)
  const added = [...after].filter(([row, count]) => (before.get(row) ?? 0) < count)
  for (const [row] of missing) console.log(`- ${row}`)
  for (const [row] of added) console.log(`+ ${row}`)
  console.log(`${before.size} tests before, ${after.size} after: ${missing.length} missing, ${added.length} added`)
  return missing.length === 0
}

if (process.argv[1] === import.meta.filename) {
  const [before, after] = process.argv.slice(2)
  if (after === undefined) fail('Cannot compare tests: name two folders')
  process.exitCode = compare(readRows(before), readRows(after)) ? 0 : 1
}
