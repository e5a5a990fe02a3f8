import { createApp, Route, service, type Input, type Result } from 'verbena'
import * as z from 'zod'

const NewTea = z.object({ name: z.string().min(1), price: z.int().positive() })
const Tea = NewTea.extend({ id: z.string() })
type Tea = z.output<typeof Tea>

class Teas extends Route<{ teas: Tea[] }> {
  static readonly get = this.contract({ query: z.object({ most: z.int().optional() }), returns: z.array(Tea) })
  async get({ query: { most = Infinity } }: Input<typeof Teas.get>): Result<typeof Teas.get> {
    return this.teas.filter(({ price }) => price <= most)
  }

  static readonly post = this.contract({ body: NewTea, returns: Tea, status: 201 })
  async post({ body }: Input<typeof Teas.post>): Result<typeof Teas.post> {
    const tea = { id: crypto.randomUUID(), ...body }
    this.teas.push(tea)
    return tea
  }
}

export const app = createApp({ services: { teas: service((): Tea[] => []) }, routes: { Teas } })
