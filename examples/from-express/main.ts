/** Starts the Express app or a step: `npm start`, or `STEP=2 npm start`. */
import { once } from 'node:events'
import { createExpress } from './express.js'
import { createStep1 } from './step-1.js'
import { createStep2 } from './step-2.js'
import { createStep3 } from './step-3.js'

const port = Number(process.env['PORT'] ?? 3000)
const step = Number(process.env['STEP'] ?? 0)

if (step === 3) await createStep3().listen({ port })
else {
  const create = [createExpress, createStep1, createStep2][step]
  if (create === undefined) throw new RangeError('Cannot start: STEP must be 0, 1, 2 or 3. Write "STEP=1 npm start"')
  await once(create().listen(port, '127.0.0.1'), 'listening')
}

console.log(`Step ${step} listens on http://127.0.0.1:${port}`)
