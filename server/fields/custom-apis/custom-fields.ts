import { isDeepStrictEqual } from 'node:util'
import { resource } from '../../kernel/declare/resource.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import { choice, field, flag, group, integer, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { eraseValues, renameValues, setUnique, unindexValues } from '../values/changes.ts'
import { customApis } from './custom-apis.ts'
import { rowsOfApi } from './entry-rows.ts'
import { exactTotals, extensionEnvelope } from './extension-envelope.ts'
import { completeRules, fieldTypes, type Validation, validationSchema } from './field-rules.ts'

/** Names that every entry, its envelope or any JavaScript object already has. */
const reservedSlugs = [
  ...['slug', 'type', 'id', 'meta', 'created_at', 'updated_at', 'links', 'relationships', 'attributes'],
  ...['attribute', 'dimension', 'dimensions', 'weight', 'weights', '__proto__'],
]

const fields = {
  name: text({
    required: true,
    requiredOnUpdate: true,
    min: 1,
    max: 255,
    about: 'The name that people see.',
    example: 'Occasion',
  }),
  description: text({ default: '', max: 255, about: 'The meaning of the values.' }),
  slug: text({
    required: true,
    requiredOnUpdate: true,
    min: 1,
    max: 63,
    about:
      'The name of the field in an entry; unique in the custom API. If it has characters other than a to z, 0 to 9, ' +
      '_ and -, lists may not be able to filter by it.',
    example: 'occasion',
  }),
  field_type: choice(fieldTypes, { required: true, about: 'The type of the values. It cannot be changed.' }),
  use_as_url_slug: flag({
    default: false,
    about: 'Whether the value replaces the id in the URL of an entry. It cannot be changed.',
  }),
  validation: field<Validation | undefined>(validationSchema, {
    about:
      'The rules for the values, under the name of the type. They apply to entries that are written later.',
  }),
  presentation: group(
    { sort_order: integer({ default: 0, min: 0, max: 1000 }) },
    { default: {}, about: 'Where a console shows the field among the others.' },
  ),
}

export type CustomField = Row<typeof fields>['doc']

export const customFields = resource({
  type: 'custom_field',
  typeOptional: true,
  noun: ['custom-field', 'custom-fields'],
  about: 'A field of the entries of a custom API.',
  path: '/v2/settings/extensions/custom-apis/:custom_api_id/fields',
  table: 'custom_fields',
  parent: () => customApis,
  fields,
  filter: {
    ...walks,
    name: indexed('eq', 'like'),
    description: ['eq', 'like'],
    slug: indexed('eq', 'like'),
    field_type: indexed('eq'),
  },
  sort: ['created_at', 'field_type', 'id', 'name', 'slug', 'updated_at'],
  area: 'custom-apis',
  envelope: extensionEnvelope,
  listMeta: exactTotals,
  most: { n: 100, detail: (n) => `A custom API can have at most ${n} fields.` },
  beforeWrite: mustBeDefinable,
  afterWrite: applyToEntries,
  beforeDelete: lockDefinition,
  afterDelete: dropFromEntries,
  constraints: {
    custom_fields_slug_key: {
      code: 'conflict',
      detail: 'custom_field with the given slug already exists',
      source: 'data.slug',
    },
  },
})

const refuse = (name: string, detail: string) => invalidField(`data.${name}`, detail)

/** Locks out writes of entries until the end of the transaction, so that checks of the entries still hold then. */
async function lockDefinition(work: Work, { scope: [api] }: Pick<Draft, 'scope'>): Promise<void> {
  const locked = await work.store.lockExclusive(customApis, api as string)
  if (!locked.size) throw notFound('custom api', api)
}

async function mustBeDefinable(work: Work, draft: Draft<typeof fields>): Promise<void> {
  const { values, before } = draft
  await lockDefinition(work, draft)
  if (reservedSlugs.includes(values.slug)) {
    throw refuse('slug', `must not be one of ${reservedSlugs.join(', ')}`)
  }
  for (const fixed of ['field_type', 'use_as_url_slug'] as const) {
    if (before && !isDeepStrictEqual(before.doc[fixed], values[fixed])) {
      throw refuse(fixed, `cannot be changed after the field is created; it is ${before.doc[fixed]}`)
    }
  }
  const rules = completeRules(values.field_type, values.validation ?? {}, before?.doc.validation)
  values.validation = { [values.field_type]: rules }
  if (values.use_as_url_slug && !(values.field_type === 'string' && rules.unique === 'yes')) {
    throw refuse('use_as_url_slug', 'must be false unless the field is a string with unique: yes')
  }
  if (values.use_as_url_slug && rules.allow_null_values) {
    throw refuse('use_as_url_slug', 'must be false if allow_null_values is true')
  }
  if (!before && values.use_as_url_slug) await mustBeOnlyUrlSlug(work, draft)
}

async function mustBeOnlyUrlSlug(work: Work, { scope: [api] }: Draft<typeof fields>): Promise<void> {
  const [row] = await work.store.run(
    `SELECT count(*) FILTER (WHERE doc->>'use_as_url_slug' = 'true'),
       EXISTS (SELECT FROM entries WHERE store_id = $1 AND custom_api_id = $2)
     FROM custom_fields WHERE store_id = $1 AND custom_api_id = $2`,
    api,
  )
  if (Number(row?.[0]) > 0)
    throw refuse('use_as_url_slug', 'must be false: another field of the custom API is the URL slug')
  if (row?.[1] === 't') {
    throw refuse('use_as_url_slug', 'must be false: the custom API already has entries')
  }
}

/** Changes the state of the definition, so that caches of it are not used. */
const redefine = (work: Work, api: string | undefined) =>
  work.store.run('UPDATE custom_apis SET definition = definition + 1 WHERE store_id = $1 AND id = $2', api)

async function applyToEntries(
  work: Work,
  row: Row<typeof fields>,
  before: Row<typeof fields> | undefined,
): Promise<void> {
  const api = row.scope[0] as string
  await redefine(work, api)
  if (!before) return
  if (before.doc.slug !== row.doc.slug) await renameValues(work, [rowsOfApi(api)], before.doc, row.doc.slug)
  const unique = row.doc.validation?.string?.unique
  if (before.doc.validation?.string?.unique !== unique)
    await setUnique(work, rowsOfApi(api), row.id, unique === 'yes')
}

async function dropFromEntries(work: Work, row: Row<typeof fields>): Promise<void> {
  const api = row.scope[0] as string
  await redefine(work, api)
  await unindexValues(work, row.id)
  await eraseValues(work, [rowsOfApi(api)], row.doc)
}
