/** A class of the domain with the name of a route: bundlers that put both into one scope rename one of them. */
export class Users {
  readonly #names = new Map([['1', 'Ada']])

  find(id: string): string | undefined {
    return this.#names.get(id)
  }
}
