/** A document whose schemas refer to each other and to themselves. */

export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const LINKED = {
  components: {
    schemas: {
      Name: { type: 'string', minLength: 1, description: 'What it is called' },
      User: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          boss: { $ref: '#/components/schemas/User' },
          name: { $ref: '#/components/schemas/Name' },
        },
      },
      Admin: { allOf: [{ $ref: '#/components/schemas/User' }, { properties: { level: { enum: [1, 2] } } }] },
      Loop: { $ref: '#/components/schemas/Loop' },
      Self: { allOf: [{ $ref: '#/components/schemas/Self' }] },
      'a/b~c': { type: 'null' },
    },
  },
}
