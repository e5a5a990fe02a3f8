/** Schemas as lists of properties. Nested properties are created when they are unfolded, so circular schemas are possible. */
import { append, h } from '../dom/h.js'
import type { JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import { listFields, innerSchema, schemaType, type Field } from '../pure/schema.js'

/** Creates the list of the properties of a schema, or the type of a schema without properties. */
export function schemaList(document: JsonRecord, schema: unknown): HTMLElement {
  const inner = innerSchema(document, schema)
  const fields = inner === null ? [] : listFields(document, inner)
  if (fields.length > 0) return fieldList(document, fields)
  return h('ul', { class: 'sch' }, h('li', null, h('span', { class: 'ty' }, schemaType(schema))))
}

export function fieldList(document: JsonRecord, fields: readonly Field[]): HTMLElement {
  return h(
    'ul',
    { class: 'sch' },
    fields.map((field) => fieldView(document, field)),
  )
}

function fieldView(document: JsonRecord, field: Field): HTMLElement {
  const inner = innerSchema(document, field.schema)
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

function unfolding(document: JsonRecord, schema: JsonRecord): HTMLElement {
  const box = h('details', null, h('summary', null, 'members'))
  const open = () => {
    if (box.open && box.childElementCount === 1) append(box, [schemaList(document, schema)])
  }
  box.addEventListener('toggle', open)
  return box
}
