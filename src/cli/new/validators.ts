/** The parts of a new project that depend on its validation library. */

/** Packages and code of a validation library. */
export interface ValidatorParts {
  readonly dependencies: Readonly<Record<string, string>>
  readonly library: string
  /** Lines of `src/app.ts` before the import of the library, with their line breaks. */
  readonly firstLines: string
  /** Code that declares the schemas `NewTask` and `Task`, and the type `Task`. */
  readonly schemas: string
  /** Schema of an array of `Task`. */
  readonly tasks: string
  /** Further lines of the options of `createApp`, with their line breaks. */
  readonly options: string
  /** Schema of the environment, with `PORT` as a number. */
  readonly environment: string
}

const zod: ValidatorParts = {
  dependencies: { zod: '^4.6.7' },
  library: "import * as z from 'zod'",
  firstLines:
    "// import 'zod/compile' // validates large lists several times faster, by code that it creates for each schema\n",
  schemas: `const NewTask = z.object({ title: z.string().min(1).max(200) }).meta({ id: 'NewTask' })
const Task = NewTask.extend({ id: z.string(), done: z.boolean() }).meta({ id: 'Task' })
type Task = z.infer<typeof Task>`,
  tasks: 'z.array(Task)',
  options: '',
  environment: 'z.object({ PORT: z.int().min(0).max(65_535).default(3000) })',
}

const valibot: ValidatorParts = {
  dependencies: { '@valibot/to-json-schema': '^1.8.0', valibot: '^1.5.0' },
  library: "import * as v from 'valibot'",
  firstLines: "import { toJsonSchema } from '@valibot/to-json-schema'\n",
  schemas: `const title = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const NewTask = v.pipe(v.object({ title }), v.metadata({ id: 'NewTask' }))
const Task = v.pipe(v.object({ title, id: v.string(), done: v.boolean() }), v.metadata({ id: 'Task' }))
type Task = v.InferOutput<typeof Task>`,
  tasks: 'v.array(Task)',
  options: '  jsonSchema: { valibot: toJsonSchema },\n',
  environment: `
  v.object({ PORT: v.optional(v.pipe(v.string(), v.digits(), v.transform(Number), v.maxValue(65_535)), '3000') }),
`,
}

const arktype: ValidatorParts = {
  dependencies: { arktype: '^2.2.9' },
  library: "import { type } from 'arktype'",
  firstLines: '',
  schemas: `const NewTask = type({ title: '1 <= string <= 200' })
const Task = type({ '...': NewTask, id: 'string', done: 'boolean' })
type Task = typeof Task.infer`,
  tasks: 'Task.array()',
  options: '',
  environment: "type({ PORT: '0 <= number.integer <= 65535 = 3000' })",
}

export const DEFAULT_VALIDATOR = 'zod'

/** The supported validation libraries by name. */
export const VALIDATORS: ReadonlyMap<string, ValidatorParts> = new Map([
  [DEFAULT_VALIDATOR, zod],
  ['valibot', valibot],
  ['arktype', arktype],
])
