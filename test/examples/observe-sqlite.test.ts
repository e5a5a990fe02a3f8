/** Queries of `node:sqlite` in the records of the console, with the adapter of the guide. */
import '#test/development.js'
import { isBuiltin } from 'node:module'
import { it } from 'node:test'
import { testLibrary, type Connection } from '../../examples/sqlite/test/observe-cases.js'

if (isBuiltin('node:sqlite')) {
  // The types of Node 20 do not have this module.
  const name: string = 'node:sqlite'
  const { DatabaseSync }: { DatabaseSync: new (path: string) => Connection } = await import(name)
  testLibrary(name, () => new DatabaseSync(':memory:'))
} else {
  it('records queries of node:sqlite', { skip: 'Node before 22.13 has no node:sqlite' }, () => {})
}
