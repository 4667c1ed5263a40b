import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { textArray } from '../../../server/kernel/storage/text-arrays.ts'

let database: Database
beforeAll(() => {
  database = new Database(inject('postgres'), 1)
})
afterAll(() => database.close())

const readBack = async (type: 'text' | 'json', array: Buffer) => {
  const text = `SELECT item::text FROM unnest($1::${type}[]) WITH ORDINALITY read (item, place) ORDER BY place`
  return (await database.run({ text, values: [array] })).map(([item]) => item)
}

test('PostgreSQL reads the texts that were written, whatever they are', async () => {
  const texts = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\0'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(texts)), async (some) => {
      expect(await readBack('text', textArray('text', some))).toEqual(some)
    }),
  )
})

test('documents stay as they are written, and an absent one is null', async () => {
  const documents = ['{"a": "\\"{,}\\\\"}', undefined, '[1,  2]', '"é 漢 😀"']
  expect(await readBack('json', textArray('json', documents))).toEqual(
    documents.map((document) => document ?? null),
  )
})
