/** Schemas as lists of members. What is inside of a member is made when it is unfolded, so that circles end. */
import { append, h } from '../dom/h.js'
import type { Json } from '../../wire/json-schema.js'
import { fieldsOf, innerOf, typeOf, type Field } from '../pure/schema.js'

/** The members of a schema, or its type where it has none. */
export function schemaList(document: Json, schema: unknown): HTMLElement {
  const inner = innerOf(document, schema)
  const fields = inner === null ? [] : fieldsOf(document, inner)
  if (fields.length > 0) return fieldList(document, fields)
  return h('ul', { class: 'sch' }, h('li', null, h('span', { class: 'ty' }, typeOf(schema))))
}

/** Members as a list. */
export function fieldList(document: Json, fields: readonly Field[]): HTMLElement {
  return h(
    'ul',
    { class: 'sch' },
    fields.map((field) => fieldView(document, field)),
  )
}

function fieldView(document: Json, field: Field): HTMLElement {
  const inner = innerOf(document, field.schema)
  return h(
    'li',
    null,
    h('span', { class: 'nm' }, field.name),
    h('span', { class: 'ty' }, field.type),
    field.required ? h('span', { class: 'tag' }, 'required') : h('span'),
    field.description !== '' && h('span', { class: 'ds' }, field.description),
    inner && unfolding(document, inner),
  )
}

function unfolding(document: Json, schema: Json): HTMLElement {
  const box = h('details', null, h('summary', null, 'members'))
  const open = () => {
    if (box.open && box.childElementCount === 1) append(box, [schemaList(document, schema)])
  }
  box.addEventListener('toggle', open)
  return box
}
