/** Clients of `verbena agent`: the official SDK of each generation, and a raw one for messages that they cannot send. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { COMMAND, COMMAND_CONFIG } from './repository.js'

export interface AgentOptions {
  /** Working directory. */
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of the command. */
  readonly args?: readonly string[]
  /** Program and its options; default: the source with tsx. */
  readonly program?: readonly string[]
}

export interface ToolResult {
  readonly isError: boolean
  readonly text: string
  /** Size of the result as JSON, in bytes. */
  readonly bytes: number
}

/** How to start the server. */
export function agentProcess({ cwd, env = {}, args = [], program = COMMAND }: AgentOptions): {
  command: string
  args: string[]
  cwd: string
  env: Record<string, string>
} {
  const { FORCE_COLOR: _force, NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const own = { ...inherited, TSX_TSCONFIG_PATH: COMMAND_CONFIG, ...env } as Record<string, string>
  return { command: process.execPath, args: [...program, 'agent', ...args], cwd, env: own }
}

/** Reads the text of a tool result. */
export function readResult(result: object): ToolResult {
  const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean }
  return { isError, text: content.map(({ text }) => text).join('\n'), bytes: Buffer.byteLength(JSON.stringify(result)) }
}

export interface AgentClient {
  readonly client: Client
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolResult>
}

/** Connects the client of the SDK. */
export async function connectAgent(t: TestContext, options: AgentOptions): Promise<AgentClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ ...agentProcess(options), stderr: 'inherit' }))
  t.after(() => client.close())
  return {
    client,
    call: async (name, args = {}) => readResult(await client.callTool({ name, arguments: args })),
  }
}

export interface Message {
  readonly id?: string | number | null
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Sends lines, closes the input, and returns the exit code, everything that was printed, and its messages. */
export async function exchange(
  options: AgentOptions,
  lines: readonly (string | Buffer | object)[],
): Promise<{ readonly code: number; readonly out: string; readonly err: string; readonly messages: Message[] }> {
  const { command, args, cwd, env } = agentProcess(options)
  const child = spawn(command, args, { cwd, env })
  let [out, err] = ['', '']
  const messages: Message[] = []
  child.stderr.on('data', (chunk: Buffer) => (err += String(chunk)))
  createInterface({ input: child.stdout }).on('line', (line) => {
    out += `${line}\n`
    messages.push(JSON.parse(line))
  })
  const closed = once(child, 'close')
  for (const line of lines) {
    child.stdin.write(typeof line === 'string' || Buffer.isBuffer(line) ? line : JSON.stringify(line))
    child.stdin.write('\n')
  }
  child.stdin.end()
  const [code] = await closed
  return { code, out, err, messages }
}
