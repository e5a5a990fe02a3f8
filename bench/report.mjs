/** Turns measurements into tables. */
import { readFileSync, writeFileSync } from 'node:fs'
import { WORKLOADS } from './workloads.mjs'

/**
 * Summarizes a run.
 *
 * @param {object} run settings and results: rounds by workload and server
 * @returns Markdown
 */
export function markdown({ results, date, node, processor, load, seconds, warmUp }) {
  const names = Object.keys(results)
  const servers = Object.keys(results[names[0]])
  const [base, ...others] = servers
  const header = ['', ...names.map((name) => `${name} ${WORKLOADS[name].title}`)]
  const rows = (cell, chosen = servers) => [header, ...chosen.map((server) => [server, ...names.map(cell(server))])]
  const medians = (key, digits) => rows((server) => (name) => median(results[name][server], key).toFixed(digits))
  const ratios = (key) => rows((server) => (name) => spread(ratiosOf(results[name], { server, base, key }), 2), others)
  const best = rows((server) => (name) => bestRatio(results[name][base], results[name][server]), others)
  return [
    `# Whole servers, ${date.slice(0, 10)}`,
    `Node ${node}, ${processor}, load before ${load.toFixed(1)}. Rounds: ${countRounds(results)} of ${seconds} s after ${warmUp} s of warm-up.`,
    `Processor time a request as ratio to ${base}, above 1 is cheaper: median (lowest to highest round).`,
    table(ratios('cpu')),
    'The same of the cheapest slices of 0.1 s, because noise only adds.',
    table(best),
    'Ratio of the time outside the kernel: median (lowest to highest round).',
    table(ratios('user')),
    'Processor time a request, median, µs.',
    table(medians('cpu', 1)),
    'Of that outside the kernel, median, µs.',
    table(medians('user', 1)),
    'Requests a second on one core, median.',
    table(medians('rate', 0)),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Returns the number of rounds of the workloads: one number, or the range. */
export function countRounds(results) {
  const counts = Object.values(results).map((byServer) => Object.values(byServer)[0].length)
  return [...new Set([Math.min(...counts), Math.max(...counts)])].join(' to ')
}

/** Returns the ratio of one server's time to another's, for each round. */
function ratiosOf(rounds, { server, base, key }) {
  return rounds[server].map((round, index) => rounds[base][index][key] / round[key])
}

function bestRatio(base, server) {
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
export function bestTable({ results }) {
  const names = Object.keys(results)
  const [base, ...others] = Object.keys(results[names[0]])
  const row = (server) => [server, ...names.map((name) => bestRatio(results[name][base], results[name][server]))]
  return table([['', ...names], ...others.map(row)])
}

const PAGE = new URL('../docs/benchmarks.md', import.meta.url)

/**
 * Replaces a table of the page of benchmarks.
 *
 * @param {string} name of the table, such as `sockets, Node 20`
 * @param {string} said how it was measured
 * @param {string} shown the table
 */
export function publish(name, said, shown) {
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place "${name}"`)
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n${said}\n\n${shown}\n\n${page.slice(to)}`)
}

/** Creates a Markdown table with aligned columns. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  const [header, ...body] = rows.map(line)
  return [header, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}
