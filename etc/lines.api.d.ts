import { Schema, SidedKind, BodyKind, Out, In, ReplyKind, ResponseOptions } from './index.js'
interface JsonLinesOptions extends ResponseOptions {
  readonly line?: number
  readonly count?: number
  readonly limit?: number
  readonly heartbeat?: number
  readonly project?: boolean
}
interface LinesBody<T> {
  readonly body: AsyncIterable<T> | Iterable<T>
  readonly headers: Readonly<Record<'content-type', 'application/jsonl'>>
}
type JsonLinesKind<S extends Schema, O> = SidedKind<
  O,
  BodyKind<AsyncIterable<Out<S>>, LinesBody<In<S>>>,
  ReplyKind<AsyncIterable<In<S>>, AsyncIterable<Out<S>>>,
  'limit' | 'count'
>
declare function jsonLines<S extends Schema, const O extends JsonLinesOptions = {}>(
  schema: S,
  options?: O,
): JsonLinesKind<S, O>
export { jsonLines }
export type { JsonLinesKind, JsonLinesOptions, LinesBody }
