/** The database of users: in SQLite, or in a `Map` on Node before 22.13. */
import { openSqlite, type Connection } from './sqlite.js'

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
export interface Database {
  getUsers(limit: number): Promise<StoredUser[]>
  getUser(id: string): Promise<StoredUser | undefined>
  createUser(user: NewUser): Promise<StoredUser>
}

class MemoryDatabase implements Database {
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

const SCHEMA = 'create table users (id integer primary key, name text not null, age integer, password_hash text)'
const COLUMNS = 'cast(id as text) as id, name, age, password_hash'

interface UserRow {
  readonly id: string
  readonly name: string
  readonly age: number | null
  readonly password_hash: string
}

class SqliteDatabase implements Database {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async getUsers(limit: number): Promise<StoredUser[]> {
    return this.#connection.prepare(`select ${COLUMNS} from users order by users.id limit ?`).all(limit).map(toUser)
  }

  async getUser(id: string): Promise<StoredUser | undefined> {
    return this.#connection.prepare(`select ${COLUMNS} from users where users.id = ?`).all(id).map(toUser)[0]
  }

  async createUser({ name, age = null }: { readonly name: string; readonly age?: number | null | undefined }) {
    const values = "?, ?, 'scrypt$' || (select count(*) + 1 from users)"
    const insert = `insert into users (name, age, password_hash) values (${values}) returning ${COLUMNS}`
    return toUser(this.#connection.prepare(insert).get(name, age))
  }
}

function toUser(row: unknown): StoredUser {
  // Proof: the query selects these columns.
  const { id, name, age, password_hash } = row as UserRow
  return { id, name, ...(age === null ? {} : { age }), passwordHash: password_hash }
}

/** Creates a database with two users. */
export async function openDatabase(): Promise<Database> {
  const connection = await openSqlite(SCHEMA)
  const db = connection === null ? new MemoryDatabase() : new SqliteDatabase(connection)
  await db.createUser({ name: 'Ada', age: 36 })
  await db.createUser({ name: 'Grace' })
  return db
}
