/** The notes of the app, in memory. The Express app and all steps use them without changes. */

export interface Note {
  readonly id: number
  readonly text: string
  readonly author: string
}

export interface Photo {
  readonly type: string
  readonly bytes: Uint8Array
}

export class Notes {
  readonly #notes = new Map<number, Note>()
  readonly #photos = new Map<number, Photo>()
  #lastId = 0

  list(): Note[] {
    return [...this.#notes.values()]
  }

  find(id: number): Note | undefined {
    return this.#notes.get(id)
  }

  add(text: string, author: string): Note {
    const note = { id: ++this.#lastId, text, author }
    this.#notes.set(note.id, note)
    return note
  }

  remove(id: number): void {
    this.#notes.delete(id)
    this.#photos.delete(id)
  }

  photoOf(id: number): Photo | undefined {
    return this.#photos.get(id)
  }

  addPhoto(id: number, photo: Photo): void {
    this.#photos.set(id, photo)
  }
}

const PASSWORDS: ReadonlyMap<unknown, string> = new Map([
  ['ada', 'correct horse'],
  ['eve', 'battery staple'],
])

/** Whether the password of a user is correct. A real app compares hashes. */
export function verify(name: unknown, password: unknown): name is string {
  return PASSWORDS.has(name) && PASSWORDS.get(name) === password
}
