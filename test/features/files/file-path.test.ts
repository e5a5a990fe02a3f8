/** Names of files that clients may ask for. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitFilePath } from '#src/features/files/file-path.js'

const GOOD = [
  'a.txt',
  'a b',
  'ä.txt',
  '日本',
  'a.b.c',
  'a..b',
  '-',
  '~',
  'con-sole.js',
  'auxiliary.css',
  'com10',
  'null.js',
  'a~b',
  "it's",
]
const BAD = [
  ...[
    '.',
    '..',
    'a\\b',
    '..\\..\\a',
    'a\0',
    'a\0.txt',
    'a\nb',
    '\u007f',
    'c:',
    'C:\\a',
    'a.txt::$DATA',
    'a:b',
    'a?',
    'a*',
    '<a>',
  ],
  ...[
    'a|b',
    'a"b',
    'a.',
    'a ',
    'a..',
    'CON',
    'con.txt',
    'Aux',
    'nul.tar.gz',
    'PRN ',
    'com1',
    'COM¹.log',
    'lpt9',
    'CONIN$',
    'clock$',
  ],
  ...['SECRET~1.TXT', 'GIT~1', 'a~12.c', '\ud800'],
]

describe('splitFilePath()', () => {
  it('splits a path into names, and returns an empty array for the root', () => {
    assert.deepEqual(splitFilePath('a/b c/d.txt', false), ['a', 'b c', 'd.txt'])
    assert.deepEqual(splitFilePath('', false), [])
  })

  for (const name of GOOD) it(`accepts ${name}`, () => assert.deepEqual(splitFilePath(`x/${name}`, false), ['x', name]))

  for (const name of BAD) {
    it(`rejects ${JSON.stringify(name)} anywhere in a path, even if dotfiles are allowed`, () => {
      for (const path of [name, `a/${name}`, `${name}/a`]) assert.equal(splitFilePath(path, true), null)
    })
  }

  it('rejects empty names', () => {
    for (const path of ['/', '/a', 'a/', 'a//b']) assert.equal(splitFilePath(path, true), null)
  })

  it('accepts names that begin with a dot only if dotfiles are allowed', () => {
    for (const path of ['.env', '.git/config', 'a/.b']) {
      assert.equal(splitFilePath(path, false), null)
      assert.deepEqual(splitFilePath(path, true), path.split('/'))
    }
  })
})
