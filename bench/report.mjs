/** Turns measurements into tables. */
import { readFileSync, writeFileSync } from 'node:fs'
import { SMALL, WORKLOADS } from './workloads.mjs'

/**
 * Summarizes a run.
 *
 * @param {object} run settings and results: rounds by workload and server
 * @returns Markdown
 */
export function markdown({ results, date, node, processor, load, seconds, warmUp }) {
  return [
    `# Whole servers, ${date.slice(0, 10)}`,
    `Node ${node}, ${processor}, load before ${load.toFixed(1)}. Rounds: ${countRounds(results)} of ${seconds} s after ${warmUp} s of warm-up.`,
    ...splitTables(results).flatMap(([, part]) => formatTables(part)),
  ]
    .join('\n\n')
    .concat('\n')
}

/**
 * Splits results by the tables of the page: `sockets` with the small requests, `transfers` with streams, uploads and files.
 *
 * @param {object} results rounds by workload and server
 * @returns {[string, object][]} names of the tables with their results, without empty tables
 */
export function splitTables(results) {
  const entries = Object.entries(results)
  const tables = [
    ['sockets', entries.filter(([name]) => SMALL.includes(name))],
    ['transfers', entries.filter(([name]) => !SMALL.includes(name))],
  ]
  return tables.filter(([, part]) => part.length > 0).map(([name, part]) => [name, Object.fromEntries(part)])
}

function formatTables(results) {
  const servers = serverNames(results)
  const [base, ...others] = servers
  const header = ['', ...Object.keys(results).map((name) => `${name} ${WORKLOADS[name].title}`)]
  const rows = (cell, chosen = servers) => [
    header,
    ...chosen.map((server) => [server, ...createCells(results, server, cell)]),
  ]
  const medians = (key, digits) => rows((byServer, server) => median(byServer[server], key).toFixed(digits))
  const ratios = (key) => rows((byServer, server) => spread(computeRatios(byServer, { server, base, key }), 2), others)
  const best = rows((byServer, server) => bestRatio(byServer[base], byServer[server]), others)
  return [
    `Processor time of a request, event or upload as ratio to ${base}, above 1 is cheaper: median (lowest to highest round).`,
    table(ratios('cpu')),
    'Ratio of the cheapest slices: 0.1 s, or a pass of the client of transfers. Noise only adds.',
    table(best),
    'Ratio of the time outside the kernel: median (lowest to highest round).',
    table(ratios('user')),
    'Processor time of a request, event or upload, median, µs.',
    table(medians('cpu', 2)),
    'Time outside the kernel, median, µs.',
    table(medians('user', 2)),
    'Requests, events or uploads a second on one core, median.',
    table(medians('rate', 0)),
  ]
}

/** Returns the servers of all workloads, in the order of the first workload that has each. */
function serverNames(results) {
  return [...new Set(Object.values(results).flatMap((byServer) => Object.keys(byServer)))]
}

/** Returns a cell for each workload; an empty one if the server does not take part. */
function createCells(results, server, cell) {
  return Object.values(results).map((byServer) => (byServer[server] === undefined ? '' : cell(byServer, server)))
}

/** Returns the number of rounds of the workloads: one number, or the range. */
export function countRounds(results) {
  const counts = Object.values(results).map((byServer) => Object.values(byServer)[0].length)
  return [...new Set([Math.min(...counts), Math.max(...counts)])].join(' to ')
}

/** Returns the ratio of one server's time to another's, for each round. */
function computeRatios(rounds, { server, base, key }) {
  return rounds[server].map((round, index) => rounds[base][index][key] / round[key])
}

/** Returns the ratio of the cheapest slices of two servers; above 1, the second one is cheaper. */
export function bestRatio(base, server) {
  return (cheapestSlice(base) / cheapestSlice(server)).toFixed(2)
}

/**
 * Formats the median and the spread on both sides.
 *
 * @param {number[]} values at least one, in any order
 * @param {number} digits after the decimal point
 * @param {number} [middle] default: the median
 */
export function spread(values, digits, middle = quantile(values, 0.5)) {
  const [all, least, most] = [middle, Math.min(...values), Math.max(...values)].map((it) => it.toFixed(digits))
  return `${all} (${least} to ${most})`
}

function median(rounds, key) {
  return quantile(
    rounds.map((round) => round[key]),
    0.5,
  )
}

function cheapestSlice(rounds) {
  return Math.min(...rounds.flatMap(({ slices }) => slices))
}

/**
 * Returns a quantile of the values, interpolated between two of them.
 *
 * @param {number[]} values at least one, in any order
 * @param {number} share from 0 to 1; 0.5 is the median
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return below + (above - below) * (rank % 1)
}

/** Creates the table with the ratios of the cheapest slices, for the page of benchmarks. */
export function bestTable(results) {
  const [base, ...others] = serverNames(results)
  const cell = (byServer, server) => bestRatio(byServer[base], byServer[server])
  return table([
    ['', ...Object.keys(results)],
    ...others.map((server) => [server, ...createCells(results, server, cell)]),
  ])
}

/** Lists the µs of the first server for each workload, in its cheapest slice. */
export function formatBaseTimes(results) {
  const [base] = serverNames(results)
  const times = Object.entries(results).map(
    ([name, byServer]) => `${name} ${cheapestSlice(byServer[base]).toFixed(1)} µs`,
  )
  return `${base}: ${times.join(', ')}`
}

const PAGE = new URL('../docs/benchmarks.md', import.meta.url)

/**
 * Replaces a table of the page of benchmarks. The first table of a Node version is added after the last one of another version.
 *
 * @param {string} name of the table, such as `sockets, Node 20`
 * @param {string} said how it was measured
 * @param {string} shown the table
 */
export function publish(name, said, shown) {
  const page = addPlace(readFileSync(PAGE, 'utf8'), name)
  const begin = `<!-- ${name} -->\n`
  const [from, to] = [page.indexOf(begin), page.indexOf(formatEnd(name))]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place "${name}"`)
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n${said}\n\n${shown}\n\n${page.slice(to)}`)
}

function addPlace(page, name) {
  const [topic] = name.split(/(?<=, Node )/)
  const last = page.lastIndexOf(`<!-- end of ${topic}`)
  if (last < 0 || page.includes(formatEnd(name))) return page
  const after = page.indexOf('\n', last) + 1
  return `${page.slice(0, after)}\n<!-- ${name} -->\n\n${formatEnd(name)}\n${page.slice(after)}`
}

function formatEnd(name) {
  return `<!-- end of ${name} -->`
}

export function ms(micros) {
  return `${(micros / 1000).toFixed(0)} ms`
}

export function kb(bytes) {
  return `${(bytes / 1e3).toFixed(1)} kB`
}

export function mb(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** Creates a Markdown table with aligned columns. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  const [header, ...body] = rows.map(line)
  return [header, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}
