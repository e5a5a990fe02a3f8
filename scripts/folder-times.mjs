/** A reporter for `node --test` that prints how long the tests of each folder took, in seconds. */
import { relative } from 'node:path'
import { ROOT } from './tools.mjs'

const FOLDER = /^test\/(?:features\/)?[^/]+(?=\/)/

/** Folder of a test file: `test/http`, `test/features/auth`; `test` for the files directly in it. */
function folderName(file = '') {
  return FOLDER.exec(relative(ROOT, file))?.[0] ?? 'test'
}

// oxlint-disable-next-line import/no-default-export -- Node.js requires it of a reporter
export default async function* folderTimes(events) {
  const times = new Map()
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0) continue
    const folder = folderName(data.file)
    times.set(folder, (times.get(folder) ?? 0) + data.details.duration_ms)
  }
  const rows = [...times].toSorted(([, one], [, other]) => other - one)
  const total = rows.reduce((sum, [, time]) => sum + time, 0)
  yield `\nTime by folder, in s of all processes together: ${(total / 1000).toFixed(0)}\n`
  for (const [folder, time] of rows) yield `${(time / 1000).toFixed(1).padStart(7)}  ${folder}\n`
}
