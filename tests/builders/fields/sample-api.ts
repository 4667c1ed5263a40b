import { type DefinedField, define, toField } from '../../../server/fields/custom-apis/definition.ts'
import type { CustomFieldType } from '../../../server/fields/custom-apis/field-rules.ts'
import { type Resource, resource } from '../../../server/kernel/declare/resource.ts'
import type { Client } from '../../support/client.ts'

/** A custom API with a field of every type, whose entries stand for those of all custom APIs. */
const fieldTypes: Readonly<Record<string, CustomFieldType>> = {
  title: 'string',
  quantity: 'integer',
  weight_kg: 'float',
  fragile: 'boolean',
  notes: 'any',
  sizes: 'list',
}
const rules = { list: { allowed_type: 'string' } } as const

const fields = Object.entries(fieldTypes).map(([slug, field_type]) =>
  toField('00000000-0000-7000-8000-000000000000', {
    ...{
      slug,
      name: slug,
      description: '',
      field_type,
      use_as_url_slug: false,
      presentation: { sort_order: 0 },
    },
    validation: {
      [field_type]: { allow_null_values: true, immutable: false, ...(field_type === 'list' && rules.list) },
    },
  }),
)

const facts = {
  name: 'Samples',
  description: '',
  slug: 'samples',
  api_type: 'samples_ext',
  allow_upserts: false,
}
const doc = { ...facts, presentation: undefined, relationships: { parent_apis: { data: [] } } }

const entries = (own: readonly DefinedField[]): Resource => define('', '', doc, own).entries

/** The entries of that API at their own address, and those of an API without fields where tools find them. */
export const sampleEntries: readonly Resource[] = [
  resource({ ...entries(fields), path: '/v2/extensions/:custom_api_slug' }),
  resource({
    ...entries([]),
    noun: ['custom-entry-in-settings', 'custom-entries-in-settings'],
    path: '/v2/settings/extensions/custom-apis/:custom_api_id/entries',
  }),
]

const customApis = '/v2/settings/extensions/custom-apis'
let counter = Math.floor(Math.random() * 1e9)

/** Makes the API, and returns the slug that its entries are at. */
export async function makeSampleApi(client: Client): Promise<string> {
  counter += 1
  const slug = `samples-${counter}`
  const data = { type: 'custom_api', name: 'Samples', slug, api_type: `samples_${counter}_ext` }
  const { body } = await client.post(customApis, { data })
  for (const [field, type] of Object.entries(fieldTypes)) {
    const { status } = await client.post(`${customApis}/${body.data.id}/fields`, {
      data: {
        type: 'custom_field',
        name: field,
        slug: field,
        field_type: type,
        ...(type === 'list' && { validation: rules }),
      },
    })
    if (status !== 201) throw new Error(`No sample field ${field}: ${status}`)
  }
  return slug
}

/** The type of the entries at `collection`, which names their API by its slug or its id. */
export async function typeOfEntries(client: Client, collection: string): Promise<string> {
  const [, , , name, id] = collection.split('/')
  if (!id) {
    const { body } = await client.get(`${customApis}?filter=eq(slug,${name})`)
    return body.data[0].api_type
  }
  return (await client.get(collection.replace(/\/entries$/, ''))).body.data.api_type
}
