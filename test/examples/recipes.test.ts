/** The words of each recipe in `docs/contributing/recipes.md` are only in the files that it names. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { filesBelow } from '#test/source.js'

interface Recipe {
  readonly change: string
  readonly files: readonly string[]
  readonly words: readonly string[]
}

const ROW = /^\| (?<change>[^|`]+?) +\| (?<files>`(?:src|console)[^|]+?) +\| (?<words>`[^|]+?) +\|/gm
const CODE = /`([^`]+)`/g
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
const PAGE_OF_CONSOLE = 'console/page/'
const MAX_FILES = 3

function codeParts(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(CODE)].map(([, code = '']) => code)
}

function readRecipes(page: string): Recipe[] {
  return [...page.matchAll(ROW)].map(({ groups }) => ({
    change: groups?.['change'] ?? '',
    files: codeParts(groups?.['files']),
    words: codeParts(groups?.['words']),
  }))
}

/** Returns the files with a word in their code. The page of the console also uses words such as `form` for HTML. */
function filesWith(word: string, { files }: Recipe): string[] {
  const isOfPage = files.some((file) => file.startsWith(PAGE_OF_CONSOLE))
  return [...CODE_BY_FILE]
    .filter(([file, code]) => code.includes(word) && (isOfPage || !file.startsWith(PAGE_OF_CONSOLE)))
    .map(([file]) => file)
}

const RECIPES = readRecipes(readFileSync('docs/contributing/recipes.md', 'utf8'))
const SOURCES = ['src', 'console/page'].flatMap((folder) => filesBelow(folder, '.ts'))
const CODE_BY_FILE = new Map(SOURCES.map((file) => [file, readFileSync(file, 'utf8').replace(COMMENTS, '')]))

describe('docs/contributing/recipes.md', () => {
  it('has a recipe for each common change', () => {
    const changes = RECIPES.map(({ change }) => change)
    assert.deepEqual(changes, [
      'a verb',
      'a content coding',
      'a kind of body',
      'a body format with a reader',
      'a member of the 422',
      'a view of the console',
    ])
  })

  for (const recipe of RECIPES) {
    const { change, files, words } = recipe

    it(`names at most ${MAX_FILES} files for ${change}, which exist`, () => {
      assert.ok(files.length > 0 && files.length <= MAX_FILES, `${files.length} files`)
      assert.deepEqual(
        files.filter((file) => !existsSync(file)),
        [],
      )
    })

    it(`names all files with the words of ${change}`, () => {
      for (const word of words) {
        const found = filesWith(word, recipe)
        assert.ok(found.length > 0, `no file contains ${word}`)
        assert.deepEqual(
          found.filter((file) => !files.includes(file)),
          [],
          word,
        )
      }
    })
  }

  it('names only files that are needed: each contains a word, or exports the public name', () => {
    const entries = /^src\/[a-z-]+\.ts$/
    for (const recipe of RECIPES) {
      const found = new Set(recipe.words.flatMap((word) => filesWith(word, recipe)))
      assert.deepEqual(
        recipe.files.filter((file) => !found.has(file) && !entries.test(file)),
        [],
        recipe.change,
      )
    }
  })
})
