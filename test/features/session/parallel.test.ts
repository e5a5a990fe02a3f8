/** `session`: parallel requests of one browser, with sessions in memory. */
import { describe } from 'node:test'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { testParallelSessions } from '#test/parallel-sessions.js'

describe('session: parallel requests', () => {
  testParallelSessions(() => memorySessions())
})
