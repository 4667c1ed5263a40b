import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { binaryArray } from '../../../server/kernel/storage/binary-arrays.ts'
import { Database } from '../../../server/kernel/storage/database.ts'

let database: Database
beforeAll(() => {
  database = new Database(inject('postgres'), 1)
})
afterAll(() => database.close())

const readBack = async (type: string, array: Buffer) => {
  const text = `SELECT item::text FROM unnest($1::${type}[]) WITH ORDINALITY read (item, place) ORDER BY place`
  return (await database.run({ text, values: [array] })).map(([item]) => item)
}

test('PostgreSQL reads the texts that were written, whatever they are', async () => {
  const texts = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\0'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(texts)), async (some) => {
      expect(await readBack('text', binaryArray('text', some))).toEqual(some)
    }),
  )
})

test('documents stay as they are written, and an absent one is null', async () => {
  const documents = ['{"a": "\\"{,}\\\\"}', undefined, '[1,  2]', '"é 漢 😀"', `"${'long '.repeat(1000)}"`]
  expect(await readBack('json', binaryArray('json', documents))).toEqual(
    documents.map((document) => document ?? null),
  )
})

test.each([
  ['bool', binaryArray('bool', [true, false, null]), ['true', 'false', null]],
  ['int4', binaryArray('int4', [0, -1, 2_147_483_647]), ['0', '-1', '2147483647']],
  ['int8', binaryArray('int8', [Number.MAX_SAFE_INTEGER, -5, undefined]), ['9007199254740991', '-5', null]],
  [
    'uuid',
    binaryArray('uuid', ['01a2219f-8333-745d-8fd3-52c7723fe54b', null]),
    ['01a2219f-8333-745d-8fd3-52c7723fe54b', null],
  ],
] as const)('PostgreSQL reads each %s that was written', async (type, array, texts) => {
  expect(await readBack(type, array)).toEqual(texts)
})

test('PostgreSQL reads times to the millisecond, and open ends', async () => {
  const times = [
    '1969-12-31T23:59:59.999Z',
    '2026-11-28T10:00:00.123Z',
    '9999-12-31T00:00:00Z',
    'infinity',
    '-infinity',
  ]
  const text = `SELECT bool_and(written = read) FROM unnest($1::timestamptz[], $2::timestamptz[]) same (written, read)`
  const values = [binaryArray('timestamptz', times), times]
  expect(await database.run({ text, values })).toEqual([['t']])
})
