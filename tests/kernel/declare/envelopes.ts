import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import type { World } from '../../support/world.ts'

/** What the tests of envelopes share: tables for their resources, and what is stored, fed and documented. */

export const area = 'settings'
/** Later than the template's store was made, which is the world's own by being the first. */
export const now = '2040-01-31T09:30:00.678Z'
export const seconds = '2040-01-31T09:30:00Z'

export const table = (name: string, type: string, columns = '') => `
  CREATE TABLE ${name} (
    store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
    ${columns} CONSTRAINT ${name}_pkey PRIMARY KEY (store_id, id));
  CREATE INDEX ${name}_by_created_at ON ${name} (store_id, created_at, id);
  CREATE INDEX ${name}_by_updated_at ON ${name} (store_id, updated_at, id);
  CALL track('${name}', $$${type}$$);`

export const storedRow = async (world: World, of: Resource, id: string) => {
  const { rows } = await world.sql(
    `SELECT doc::text, hidden, created_at, updated_at FROM ${of.table} WHERE id = $1`,
    [id],
  )
  return rows[0]
}

export const changeOf = async (world: World, id: string) => {
  const { rows } = await world.feed('SELECT type, doc FROM changes WHERE id = $1 ORDER BY position DESC', [
    id,
  ])
  return rows[0]
}

export const refusal = ({
  status,
  body,
}: {
  status: number
  body: { errors: { source?: string; detail: string }[] }
}) => ({
  status,
  ...body.errors[0],
})

/** An API document. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is what a test is about.
export type Document = any

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv, ['date-time', 'uri', 'uuid'])

/** The answer is what the API document says of it, and says no more. */
export function expectDocumented({ components }: Document, name: string, data: object): void {
  const schema = components.schemas[name]
  const closed = JSON.parse(
    JSON.stringify(schema, (_key, value) =>
      value?.properties ? { ...value, unevaluatedProperties: false } : value,
    ),
  )
  const validate = ajv.compile(closed)
  expect([validate(data), validate.errors]).toEqual([true, null])
}

export async function expectOpenApi(document: Document): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect([valid, errors]).toEqual([true, undefined])
}
