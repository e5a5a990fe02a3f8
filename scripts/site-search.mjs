/** Checks the search of the site in `docs/api`: a word finds its page among the first results, by the rules of the page's own script. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import lunr from 'lunr'
import { ROOT, fail } from './tools.mjs'

/** Number of results in which a page must be. */
const FIRST = 5

/** Words, and the pages that they must find. */
const WORDS = {
  upload: 'guides/uploads.html',
  websocket: 'guides/upgrades.html',
  transaction: 'guides/sqlite.html',
  'limits.body': 'options.html',
  install: 'install.html',
  'rate limit': 'guides/rate-limits.html',
  session: 'guides/sessions.html',
  createApp: 'functions/verbena.createApp.html',
  AppOptions: 'interfaces/verbena.AppOptions.html',
  cors: 'guides/browsers.html',
  OPTION_INVALID: 'errors.html',
  nginx: 'guides/scale.html',
}

const script = readFileSync(join(ROOT, 'docs/api/assets/search.js'), 'utf8')
const { rows, index } = JSON.parse(inflateSync(Buffer.from(/"([^"]+)"/.exec(script)[1], 'base64')))
const searchable = lunr.Index.load(index)
const missed = Object.entries(WORDS).filter(([word, page]) => !search(word).includes(page))

for (const [word, page] of missed) console.error(`"${word}" finds ${search(word).join(', ')}, not ${page}`)
if (missed.length > 0) fail('FAILED  the search does not find these pages')
console.log(`${Object.keys(WORDS).length} words find their page`)

/** Returns the paths of the first results. */
function search(text) {
  const query = text.split(' ').map((word) => `*${word}*`)
  return searchable
    .search(query.join(' '))
    .map(({ ref, score }) => ({ row: rows[ref], score: score * nameWeight(rows[ref].name, text) }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, FIRST)
    .map(({ row }) => row.url)
}

function nameWeight(name, text) {
  return name.toLowerCase().startsWith(text.toLowerCase()) ? 10 / (1 + Math.abs(name.length - text.length)) : 1
}
