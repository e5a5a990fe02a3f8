/** An in-memory database, in place of a real one. */

/** A user without an id. */
export interface NewUser {
  readonly name: string
  readonly age?: number | undefined
}

/** A stored user; `passwordHash` must never be sent. */
export interface StoredUser extends NewUser {
  readonly id: string
  readonly passwordHash: string
}

/** The operations of the database. */
export class Database {
  readonly #users = new Map<string, StoredUser>()

  async getUsers(limit: number): Promise<StoredUser[]> {
    return [...this.#users.values()].slice(0, limit)
  }

  async getUser(id: string): Promise<StoredUser | undefined> {
    return this.#users.get(id)
  }

  async createUser(user: NewUser): Promise<StoredUser> {
    const id = String(this.#users.size + 1)
    const stored = { ...user, id, passwordHash: `scrypt$${id}` }
    this.#users.set(id, stored)
    return stored
  }
}

/** Creates a database with two users. */
export async function openDatabase(): Promise<Database> {
  const db = new Database()
  await db.createUser({ name: 'Ada', age: 36 })
  await db.createUser({ name: 'Grace' })
  return db
}
