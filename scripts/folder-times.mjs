/** A reporter for `node --test` that prints how long the tests of each folder took, and the ten slowest files, in seconds. */
import { relative } from 'node:path'
import { ROOT } from './tools.mjs'

const FOLDER = /^(?:console\/)?test\/(?:features\/)?[^/]+(?=\/)/
/** Folder of a compiled copy, and the file in `.cache` that loads a test with tsx. */
const COPY = /^\.cache\/(?:compiled\/[^/]+|test-batches\/\d+)\//
const MAX_FILES = 10

/** Returns the path of a test file in the repository, for a path of a compiled copy. */
export function sourceFile(file) {
  return relative(ROOT, file).replace(COPY, '')
}

/** Folder of a test file: `test/http`, `test/features/auth`; `test` for the files directly in it. */
function folderName(file) {
  return FOLDER.exec(file)?.[0] ?? 'test'
}

// oxlint-disable-next-line import/no-default-export -- Node.js requires it of a reporter
export default async function* folderTimes(events) {
  const folders = new Map()
  const files = new Map()
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0) continue
    const file = sourceFile(data.file ?? ROOT)
    add(folders, folderName(file), data.details.duration_ms)
    add(files, file, data.details.duration_ms)
  }
  const total = [...folders.values()].reduce((sum, time) => sum + time, 0)
  yield `\nTime by folder, in s of all processes together: ${(total / 1000).toFixed(0)}\n${rows(folders)}`
  yield `\nThe slowest files, in s\n${rows(files, MAX_FILES)}`
}

function add(times, name, time) {
  times.set(name, (times.get(name) ?? 0) + time)
}

function rows(times, count = times.size) {
  const slowest = [...times].toSorted(([, one], [, other]) => other - one).slice(0, count)
  return slowest.map(([name, time]) => `${(time / 1000).toFixed(1).padStart(7)}  ${name}\n`).join('')
}
