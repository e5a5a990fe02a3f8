/** A function that returns a route class, and a class without a name. */
import { Route } from 'verbena'

export const crud = (name: string) =>
  class extends Route {
    async get() {
      return [name]
    }
  }

export class Names extends crud('Ada') {}

// oxlint-disable-next-line no-default-export -- bundlers give this class a name
export default class extends Route {
  async get() {
    return 'home'
  }
}
