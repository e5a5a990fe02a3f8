/** The table of folders in `docs/architecture.md` is the one that `test/architecture.test.ts` enforces. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const PAGE = readFileSync('docs/architecture.md', 'utf8')
const ENFORCED = readFileSync('test/architecture.test.ts', 'utf8')

interface Row {
  readonly level: number
  readonly folder: string
  /** Folders by name; `all above` stands for the list that has a name in the test. */
  readonly imports: string
}

const DOCUMENTED = /^\| (?<level>\d+) +\| `(?<folder>\w+)` +\| (?<imports>[^|]*?) *\| (?<holds>[^|]*?) *\|$/gm
const RULE = /^ {2}(?<folder>\w+): \{\s*level: (?<level>\d+),\s*imports: (?:\[(?<imports>[^\]]*)\]|INNER)/gm

const documented = [...PAGE.matchAll(DOCUMENTED)].map(({ groups }) => ({
  row: {
    level: Number(groups?.['level']),
    folder: groups?.['folder'] ?? '',
    imports: groups?.['imports'] === '-' ? '' : (groups?.['imports'] ?? ''),
  },
  isThere: groups?.['holds'] !== 'not there yet',
}))

function enforcedRows(): Row[] {
  const [, table = ''] = ENFORCED.split('const FOLDERS')
  return [...table.slice(0, table.indexOf('\n}\n')).matchAll(RULE)].map(({ groups }) => ({
    level: Number(groups?.['level']),
    folder: groups?.['folder'] ?? '',
    imports: namesIn(groups?.['imports'] ?? 'INNER'),
  }))
}

function namesIn(imports: string): string {
  const names = [...imports.matchAll(/\w+/g)].map(([name]) => name)
  return names.join(', ').replace('INNER', 'all above')
}

describe('docs/architecture.md', () => {
  it('has the rows that are enforced', () => {
    assert.notEqual(documented.length, 0)
    assert.deepEqual(
      documented.map(({ row }) => row),
      enforcedRows(),
    )
  })

  it('says which folders are not there yet', () => {
    assert.deepEqual(
      documented.filter(({ isThere }) => isThere).map(({ row }) => row.folder),
      documented.map(({ row }) => row.folder).filter((folder) => existsSync(`src/${folder}`)),
    )
  })
})
