/** Routes of an Express 5 app that an app gets by `otherwise`. */
import express, { type Express } from 'express'

/** @param work what `/old/slow` waits for */
export function createLegacy(work: () => Promise<void> = async () => {}): Express {
  const legacy = express()
  legacy.use(express.json({ limit: '1kb' }))
  legacy.get('/old', (_request, response) => void response.send('old'))
  legacy.post('/old/teas', (request, response) => void response.status(201).json({ received: request.body }))
  legacy.get('/old/broken', () => {
    throw new Error('broken')
  })
  legacy.get('/old/rejected', () => Promise.reject(new Error('rejected')))
  legacy.get('/old/slow', async (_request, response) => {
    await work()
    response.send('done')
  })
  legacy.get('/old/stream', (_request, response) => {
    response.write('half ')
    setTimeout(() => response.end('whole'), 20)
  })
  return legacy
}
