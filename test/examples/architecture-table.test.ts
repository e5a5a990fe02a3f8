/** The tables of folders in `docs/architecture.md` match the table that `test/architecture.test.ts` enforces. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const PAGE = readFileSync('docs/architecture.md', 'utf8')
const ENFORCED = readFileSync('test/architecture.test.ts', 'utf8')

interface Row {
  readonly storey: string
  readonly folder: string
  /** Folders by name, or `all above`. */
  readonly imports: string
}

const DOCUMENTED = /^\| (?<storey>\w+) +\| `(?<folder>[\w/]+)` +\| (?<imports>[^|]*?) *\| [^|]*\|$/gm
const RULE =
  /^ {2}'?(?<folder>[\w/]+)'?: \{\s*storey: '(?<storey>\w+)',\s*imports: (?<imports>'all above'|\[[^;]*?\]),?\s*(?:\}|types|mounts)/gm

function documentedRows(): Row[] {
  return [...PAGE.matchAll(DOCUMENTED)].map(({ groups }) => ({
    storey: groups?.['storey'] ?? '',
    folder: groups?.['folder'] ?? '',
    imports: groups?.['imports'] === '-' ? '' : (groups?.['imports'] ?? ''),
  }))
}

function enforcedRows(): Row[] {
  const [, table = ''] = ENFORCED.split('const FOLDERS')
  return [...table.slice(0, table.indexOf('\n}\n')).matchAll(RULE)].map(({ groups }) => ({
    storey: groups?.['storey'] ?? '',
    folder: groups?.['folder'] ?? '',
    imports: [...(groups?.['imports'] ?? '').matchAll(/'([^']+)'/g)].map(([, name]) => name).join(', '),
  }))
}

function byFolder(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) => one.folder.localeCompare(other.folder))
}

describe('docs/architecture.md', () => {
  it('lists the enforced rows', () => {
    const rows = documentedRows().filter(({ folder }) => folder !== 'features')
    assert.ok(rows.length > 20)
    assert.deepEqual(byFolder(rows), byFolder(enforcedRows()))
  })

  it('lists 25 folders and 13 features, in the order of the storeys', () => {
    const folders = documentedRows().map(({ folder }) => folder)
    const rooms = folders.filter((folder) => !folder.includes('/'))
    assert.equal(rooms.length, 25)
    assert.equal(folders.length, 38)
    const enforced = new Set(enforcedRows().map(({ folder }) => folder.replace(/\/.*/, '')))
    assert.deepEqual(rooms, [...enforced])
  })

  it('lists folders that exist', () => {
    const missing = documentedRows().filter(({ folder }) => !existsSync(`src/${folder}`))
    assert.deepEqual(missing, [])
  })
})
