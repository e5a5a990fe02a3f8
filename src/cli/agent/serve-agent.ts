/** Serves a client over streams: one message a line, and several calls at the same time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandInput } from '../command.js'
import { Protocol } from './protocol.js'
import { readInputLines } from './read-lines.js'

/** Messages that are answered at the same time. Further ones wait. */
const MAX_RUNNING = 8
/** Time for the last responses after the end of the input, in ms. */
const LAST_ANSWERS = 1_000

/**
 * Answers messages until the input ends.
 *
 * @param print writes a line
 */
export async function serveAgent(
  input: CommandInput,
  messages: AsyncIterable<Buffer>,
  print: (line: string) => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const protocol = new Protocol({ input, signal: ended.signal })
  const running = new Set<Promise<void>>()
  const answer = async (line: string | null): Promise<void> => {
    const response = await protocol.answer(line)
    if (response !== null) await print(JSON.stringify(response))
  }
  for await (const line of readInputLines(messages)) {
    if (line?.trim() === '') continue
    const answered = answer(line).finally(() => running.delete(answered))
    running.add(answered)
    if (running.size >= MAX_RUNNING) await Promise.race(running)
  }
  await Promise.race([Promise.all(running), sleep(LAST_ANSWERS)])
  ended.abort()
}
