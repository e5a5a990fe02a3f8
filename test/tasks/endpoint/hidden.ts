import assert from 'node:assert/strict'
import { testApp } from 'verbena/testing'
import { postJson, type HiddenTests } from '../hidden-tests.js'

export const hidden: HiddenTests = {
  async 'adds a tea'({ app }) {
    await using test = await testApp(app)
    const response = await test.fetch('/teas', postJson({ name: 'Assam', price: 420 }))
    assert.equal(response.status, 201)
    const { id, ...tea } = Object(await response.json())
    assert.equal(typeof id, 'string')
    assert.deepEqual(tea, { name: 'Assam', price: 420 })
  },

  async 'lists teas'({ app }) {
    await using test = await testApp(app)
    for (const name of ['Darjeeling', 'Gyokuro']) {
      await test.fetch('/teas', postJson({ name, price: name.length * 100 }))
    }
    const list = async (query: string): Promise<string[]> => {
      const teas: { name: string }[] = Object(await (await test.fetch(`/teas${query}`)).json())
      return teas.map(({ name }) => name)
    }
    assert.deepEqual(await list(''), ['Darjeeling', 'Gyokuro'], 'The list does not have the teas of earlier requests')
    assert.deepEqual(await list('?most=700'), ['Gyokuro'])
  },

  async 'rejects an invalid tea'({ app }) {
    await using test = await testApp(app)
    for (const tea of [{ name: '', price: 420 }, { name: 'Assam', price: 4.2 }, { name: 'Assam' }]) {
      assert.equal((await test.fetch('/teas', postJson(tea))).status, 422)
    }
    assert.deepEqual(await (await test.fetch('/teas')).json(), [])
  },
}
