/** `verbena agents`: the content of the block, the file around it, its result, and the finding of an older block. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { check as isFormatted } from 'prettier'
import { agents } from '#src/cli/agents.js'
import { createBlock } from '#src/cli/agents/block.js'
import { findOutdatedBlock } from '#src/cli/agents/outdated-block.js'
import { CommandError, EXIT, parseCommand } from '#src/cli/command.js'
import { createDirectory } from '#test/temp-directory.js'

const ROOT = process.cwd()
const MAX_BYTES = 8000
const OWN: { readonly version: string } = JSON.parse(readFileSync('package.json', 'utf8'))
const BLOCK = createBlock().text
const OLD = `<!-- verbena 0.0.9: begin of the block -->\nold\n<!-- verbena 0.0.9: end of the block -->`

afterEach(() => process.chdir(ROOT))

/** Enters a new folder with an AGENTS.md, or without one. */
function enter(content: string | Buffer | null): string {
  const folder = createDirectory(content === null ? {} : { 'AGENTS.md': content })
  process.chdir(folder)
  return folder
}

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const printed: string[] = []
  const code = await agents.run(parseCommand(agents, args), {
    width: Infinity,
    style: (_style, text) => text,
    print: async (text) => void printed.push(text),
    warn: () => assert.fail('the command has no warnings'),
  })
  return { code, out: printed.join('\n') }
}

function read(): string {
  return readFileSync('AGENTS.md', 'utf8')
}

describe('the block of verbena agents', () => {
  it('has at most 8 kB', () => {
    assert.ok(Buffer.byteLength(BLOCK) <= MAX_BYTES, `${Buffer.byteLength(BLOCK)} bytes`)
  })

  it('contains the mistakes of AGENTS.md of the package', () => {
    const rows = [...readFileSync('AGENTS.md', 'utf8').matchAll(/^\| \d+ +\| (.*\S) +\| (.*\S) +\|$/gm)]
    const items = rows.map(([, mistake, correct]) => `- ${mistake?.trimEnd()} → ${correct?.trimEnd()}`)
    assert.equal(items.length, 10)
    assert.ok(BLOCK.includes(`\n\n${items.join('\n')}\n\nAlso:\n\n- A contract is `))
  })

  it('contains the paragraph and the commands of AGENTS.md of the package', () => {
    const rules = readFileSync('AGENTS.md', 'utf8')
    const [, paragraph = ''] = rules.split('\n\n')
    const [, commands = ''] = /^## Check your work\n\n(```sh\n[^`]*```)/m.exec(rules) ?? []
    assert.match(paragraph, /^Verbena is .*\n.*\n.*$/)
    assert.match(commands, /npx verbena check src\/app\.ts/)
    for (const part of [paragraph, commands]) assert.ok(BLOCK.includes(`\n\n${part}\n\n`), part)
  })

  it('lists each packed page with its title', () => {
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' })
    const [{ files }]: readonly [{ readonly files: readonly { readonly path: string }[] }] = JSON.parse(stdout)
    const packed = files.flatMap(({ path }) => (path.startsWith('docs/') ? [path.slice('docs/'.length)] : []))
    const listed = [...BLOCK.matchAll(/^- ((?:[a-z-]+\/)?[a-z\d-]+\.md): (.+)$/gm)]
    assert.ok(packed.length > 50)
    assert.deepEqual(listed.map(([, path]) => path).toSorted(), packed.toSorted())
    for (const [, path = '', title = ''] of listed) {
      const [first = ''] = readFileSync(join('docs', path), 'utf8').split('\n')
      assert.ok(`# ${title}`.startsWith(first), path)
      assert.ok(title.length <= 44 || `# ${title}` === first, path)
    }
  })

  it('adds headings to a title that repeats the name of the file', () => {
    assert.match(BLOCK, /^- guides\/browsers\.md: Browsers: Calls from other origins$/m)
    assert.match(BLOCK, /^- how-to\/upload-file\.md: Upload a file$/m)
    assert.doesNotMatch(BLOCK, /See also/)
  })

  it('has the format of prettier', async () => {
    for (const tabWidth of [2, 4, 8]) assert.ok(await isFormatted(`${BLOCK}\n`, { parser: 'markdown', tabWidth }))
  })

  it('has markers with the version', () => {
    const lines = BLOCK.split('\n')
    assert.ok(lines.at(0)?.startsWith(`<!-- verbena ${OWN.version}: begin of the block that "npx verbena agents" `))
    assert.equal(lines.at(-1), `<!-- verbena ${OWN.version}: end of the block -->`)
  })

  it('requires the documents of the package', () => {
    const folder = createDirectory({ 'AGENTS.md': '# Rules\n\nVerbena.\n\n## Check your work\n\nnone\n' })
    const section =
      'Cannot read the documents of Verbena. Install it again: the section "Ten mistakes" of AGENTS.md is missing'
    assert.throws(() => createBlock(folder), new CommandError(section))
    rmSync(join(folder, 'AGENTS.md'))
    assert.throws(() => createBlock(folder), /^Error: Cannot read the documents of Verbena\. Install it again: ENOENT/)
  })
})

describe('verbena agents', () => {
  it('creates the file', async () => {
    const folder = enter(null)
    const { code, out } = await run()
    const size = Buffer.byteLength(BLOCK).toLocaleString('en')
    assert.match(
      out,
      new RegExp(`^Wrote AGENTS\\.md with 10 mistakes and \\d+ pages of Verbena .* \\(${size} bytes\\)$`),
    )
    assert.deepEqual([code, read()], [EXIT.fine, `${BLOCK}\n`])
    assert.deepEqual(readdirSync(folder), ['AGENTS.md'])
  })

  for (const [title, content, gap] of [
    ['to a text', '# Rules\n\n- Be short.\n', '\n'],
    ['to a text without a last line end', '# Rules', '\n\n'],
    ['to a text that ends in an empty line', '# Rules\n\n', ''],
    ['to an empty file', '', ''],
    ['to an empty line', '\n', ''],
  ] as const) {
    it(`appends the block ${title}`, async () => {
      enter(content)
      await run()
      assert.equal(read(), `${content}${gap}${BLOCK}\n`)
    })
  }

  for (const [content, gap] of [
    ['\uFEFF# Rules\r\n\r\n- Be short.\r\n', '\r\n'],
    ['# Rules\r\n- Be short.', '\r\n\r\n'],
    ['# Rules\r\n\r\n', ''],
    ['\r\n', ''],
  ] as const) {
    it(`appends the block with CRLF to ${JSON.stringify(content)}`, async () => {
      enter(content)
      await run()
      assert.equal(read(), `${content}${gap}${BLOCK.replaceAll('\n', '\r\n')}\r\n`)
    })
  }

  for (const [title, before, after] of [
    ['LF', '# Rules\n\n', '\n\n- Be short.'],
    ['CRLF', '# Rules\r\n\r\n', '\r\n\r\n- Be short.\r\n'],
    ['CRLF and LF', '# Rules\r\n\n', '\n\n- Be short.\r\n\n'],
    ['bytes that are not UTF-8', Buffer.from('# R\xE8gles\n\n\t', 'latin1'), Buffer.from(' \n\xFF\xFE\r', 'latin1')],
    ['nothing around it', '', ''],
  ] as const) {
    it(`renews the block, and keeps every other byte: ${title}`, async () => {
      const [head, tail] = [Buffer.from(before), Buffer.from(after)]
      const crlf = head.includes('\r\n')
      const toBytes = (text: string): Buffer => Buffer.from(crlf ? text.replaceAll('\n', '\r\n') : text)
      enter(Buffer.concat([head, toBytes(OLD), tail]))
      assert.match((await run()).out, /^Wrote AGENTS\.md with /)
      assert.deepEqual(readFileSync('AGENTS.md'), Buffer.concat([head, toBytes(BLOCK), tail]))
      const { mtimeMs, ino } = statSync('AGENTS.md')
      assert.equal((await run()).out, `AGENTS.md has the block of Verbena ${OWN.version}`)
      assert.deepEqual([statSync('AGENTS.md').mtimeMs, statSync('AGENTS.md').ino], [mtimeMs, ino])
    })
  }

  it('keeps the permissions of the file', async () => {
    enter('# Rules\n')
    chmodSync('AGENTS.md', 0o640)
    await run()
    assert.equal(statSync('AGENTS.md').mode & 0o777, 0o640)
  })

  it('ignores markers inside of a line', async () => {
    const content = 'The block begins with `<!-- verbena 0.0.9: begin of the block -->`.\n'
    enter(content)
    await run()
    assert.equal(read(), `${content}\n${BLOCK}\n`)
  })
})

describe('verbena agents: files that it does not write', () => {
  const [BEGIN = '', , END = ''] = OLD.split('\n')

  for (const [lines, places] of [
    [[BEGIN, 'text'], '"begin" in line 1'],
    [['text', `  ${END}`], '"end" in line 2'],
    [['', END, BEGIN], '"end" in line 2, "begin" in line 3'],
    [[OLD, OLD], '"begin" in line 1, "end" in line 3, "begin" in line 4, "end" in line 6'],
    [[BEGIN, BEGIN, END], '"begin" in line 1, "begin" in line 2, "end" in line 3'],
  ] as const) {
    it(`rejects markers that are not a pair: ${places}`, async () => {
      for (const lineEnd of ['\n', '\r\n']) {
        const content = lines.join('\n').replaceAll('\n', lineEnd)
        enter(content)
        const state = `the block needs one marker "begin" and after it one marker "end", but the file has ${places}`
        const error = new CommandError(`Cannot find the block in AGENTS.md: ${state}. Remove the wrong lines`)
        await assert.rejects(run(), error)
        await assert.rejects(run('--check'), error)
        assert.equal(read(), content)
      }
    })
  }

  it('rejects a link', async () => {
    const folder = enter(null)
    writeFileSync('CLAUDE.md', '# Rules\n')
    symlinkSync('CLAUDE.md', 'AGENTS.md')
    const fix = 'Replace it with a file, to which the other name can be a link'
    await assert.rejects(run(), new CommandError(`Cannot write AGENTS.md: it is a link. ${fix}`))
    assert.ok(lstatSync('AGENTS.md').isSymbolicLink())
    assert.equal(readFileSync('CLAUDE.md', 'utf8'), '# Rules\n')
    assert.deepEqual(readdirSync(folder).length, 2)
  })

  it('rejects a folder', async () => {
    enter(null)
    mkdirSync('AGENTS.md')
    await assert.rejects(run(), new CommandError('Cannot write AGENTS.md: it is not a file. Rename it'))
  })

  it('rejects UTF-16', async () => {
    const content = Buffer.from('\uFEFF# Rules\n', 'utf16le')
    enter(content)
    const message = 'Cannot write AGENTS.md: it contains a NUL byte, so it is not UTF-8. Save it as UTF-8'
    await assert.rejects(run(), new CommandError(message))
    assert.deepEqual(readFileSync('AGENTS.md'), content)
  })

  it('reports a file and a folder without permission to write', async () => {
    const folder = enter('# Rules\n')
    chmodSync('AGENTS.md', 0o444)
    const denied = (error: unknown): boolean =>
      error instanceof CommandError && /^Cannot write AGENTS\.md: E(?:ACCES|PERM)\b/.test(error.message)
    const isRoot = process.geteuid?.() === 0
    chmodSync(folder, 0o777)
    if (isRoot) process.seteuid?.(65_534)
    try {
      await assert.rejects(run(), denied)
      if (isRoot) process.seteuid?.(0)
      chmodSync('AGENTS.md', 0o666)
      chmodSync(folder, 0o555)
      if (isRoot) process.seteuid?.(65_534)
      await assert.rejects(run(), denied)
    } finally {
      if (isRoot) process.seteuid?.(0)
      chmodSync(folder, 0o755)
    }
    assert.deepEqual([read(), readdirSync(folder)], ['# Rules\n', ['AGENTS.md']])
  })
})

describe('verbena agents --check', () => {
  it('exits with 0 if the block is the one of the installed version', async () => {
    enter(`# Rules\r\n\r\n${BLOCK.replaceAll('\n', '\r\n')}\r\n`)
    assert.deepEqual(await run('--check'), { code: EXIT.fine, out: 'No changes in the block of AGENTS.md' })
  })

  it('exits with 1 without a file, and writes none', async () => {
    enter(null)
    const out = 'AGENTS.md does not exist. Write it with "npx verbena agents"'
    assert.deepEqual(await run('--check'), { code: EXIT.findings, out })
    assert.equal(existsSync('AGENTS.md'), false)
  })

  it('exits with 1 without a block, and adds none', async () => {
    enter('# Rules\n')
    const out = 'AGENTS.md has no block of Verbena. Add it with "npx verbena agents"'
    assert.deepEqual(await run('--check'), { code: EXIT.findings, out })
    assert.equal(read(), '# Rules\n')
  })

  it('prints the lines that differ, and exits with 1', async () => {
    const content = `${BLOCK.replace('- errors.md: Setup errors\n', '- own.md: A page\n')}\n`
    enter(content)
    const { code, out } = await run('--check')
    const state = `The block of Verbena ${OWN.version} in AGENTS.md differs from Verbena ${OWN.version}: "-" is only in the file, "+" only in the package. Renew it with "npx verbena agents"`
    assert.equal(out.replace('package.\n', 'package. '), `- - own.md: A page\n+ - errors.md: Setup errors\n\n${state}`)
    assert.deepEqual([code, read()], [EXIT.findings, content])
  })
})

describe('verbena agents --json', () => {
  const { mistakes, pages, version, text } = createBlock()
  const result = { file: 'AGENTS.md', version, mistakes, pages, bytes: Buffer.byteLength(text) }

  for (const [content, flags, code, previous, action] of [
    [null, [], EXIT.fine, null, 'create'],
    [null, ['--check'], EXIT.findings, null, 'create'],
    ['# Rules\n', [], EXIT.fine, null, 'add'],
    [BLOCK, ['--check'], EXIT.fine, version, 'none'],
  ] as const) {
    it(`prints the action "${action}"${flags.map((flag) => ` with ${flag}`).join('')}`, async () => {
      enter(content)
      const printed = await run('--json', ...flags)
      const expected = { ...result, previous, action, changes: [] }
      assert.deepEqual([printed.code, JSON.parse(printed.out)], [code, expected])
    })
  }

  it('prints the version of the earlier block, and the lines that differ', async () => {
    enter(OLD)
    const { changes, ...printed } = JSON.parse((await run('--json')).out)
    assert.deepEqual(printed, { ...result, previous: '0.0.9', action: 'renew' })
    assert.ok(changes.some(({ sign, line }: Record<string, string>) => sign === '-' && line === 'old'))
    assert.equal(read(), BLOCK)
  })
})

describe('findOutdatedBlock()', () => {
  for (const [older, newer] of [
    ['0.9.0', '0.10.0'],
    ['1.0.9', '1.0.10'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.0.0-rc.2', '1.0.0-rc.10'],
    ['1.0.0', '1.0.1-rc.1'],
  ] as const) {
    it(`finds that ${older} is older than ${newer}`, () => {
      enter(`# Rules\r\n\r\n${OLD.replaceAll('0.0.9', older)}`)
      assert.deepEqual(findOutdatedBlock(newer), {
        code: 'AGENTS_OUTDATED',
        message: `The block for coding agents in AGENTS.md is of Verbena ${older}, but ${newer} is installed`,
        fix: 'Renew it with "npx verbena agents"',
        file: 'AGENTS.md',
        line: 3,
      })
      enter(OLD.replaceAll('0.0.9', newer))
      assert.equal(findOutdatedBlock(older), null)
      assert.equal(findOutdatedBlock(newer), null)
    })
  }

  it('returns null without a file, without a block, or with a part of one', () => {
    for (const content of [null, '# Rules\n', OLD.slice(0, 60)]) {
      enter(content)
      assert.equal(findOutdatedBlock('9.0.0'), null)
    }
  })
})
