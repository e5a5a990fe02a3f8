/** Divides test files into groups: each group runs in one process. */

const BATCH_SIZE = 16
/** First line of a file that changes the process, or measures it. */
const MARKER = /^\/\/ own process: \S/
/** Sets NODE_ENV to `development` for the process. */
const DEVELOPMENT = /^import '#test\/development\.js'/m
/** Time for a character of a test file, compared to other folders: these tests start processes, servers and compilers. */
const WEIGHTS = [
  [/^test\/(?:cli|how-to|examples)\//, 8],
  [/^test\/(?:security|e2e)\//, 4],
]

/**
 * Returns groups, the longest first. A file with the marker has its own process; the others share processes of about the same duration.
 * @param tests path and source of each file, and whether a file has its own process without the marker
 * @returns for each group its paths, and whether its process starts in development mode
 */
export function groupTests(tests) {
  const rows = tests.map(({ file, source, isAlone = false }) => {
    const factor = WEIGHTS.find(([folder]) => folder.test(file))?.[1] ?? 1
    const isDevelopment = DEVELOPMENT.test(source)
    return { files: [file], isDevelopment, isAlone: isAlone || MARKER.test(source), weight: source.length * factor }
  })
  const shared = rows.filter((row) => !row.isAlone)
  const groups = [
    ...rows.filter((row) => row.isAlone),
    ...[false, true].flatMap((mode) => fillBatches(shared.filter(({ isDevelopment }) => isDevelopment === mode))),
  ]
  return groups.toSorted(compareWeights).map(({ files, isDevelopment }) => ({ files, isDevelopment }))
}

function fillBatches(rows) {
  const batches = Array.from({ length: Math.ceil(rows.length / BATCH_SIZE) }, () => ({ files: [], weight: 0 }))
  for (const { files, weight, isDevelopment } of rows.toSorted(compareWeights)) {
    const lightest = batches.reduce((least, batch) => (batch.weight < least.weight ? batch : least))
    lightest.files.push(...files)
    lightest.weight += weight
    lightest.isDevelopment = isDevelopment
  }
  return batches
}

function compareWeights(one, other) {
  return other.weight - one.weight
}
