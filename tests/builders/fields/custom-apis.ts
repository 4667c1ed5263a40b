import type { Client, Reply } from '../../support/world.ts'

let counter = 0

/** A custom API with these fields: `{ title: ['string', { max_length: 10 }] }`. */
export async function makeApi(
  client: Client,
  fields: Record<string, readonly [type: string, rules?: object, more?: object]> = {},
  more: object = {},
) {
  const n = ++counter
  const facts = { name: `Things ${n}`, slug: `things-${n}`, api_type: `thing_${n}_ext`, ...more }
  const api = await client.post('/v2/settings/extensions/custom-apis', {
    data: { type: 'custom_api', ...facts },
  })
  if (api.status !== 201) throw new Error(JSON.stringify(api.body))
  const { id, slug, api_type: type } = api.body.data
  const settings = `/v2/settings/extensions/custom-apis/${id}`
  const addField = (slug: string, fieldType: string, rules: object = {}, rest: object = {}): Promise<Reply> =>
    client.post(`${settings}/fields`, {
      data: {
        type: 'custom_field',
        name: slug,
        slug,
        field_type: fieldType,
        validation: { [fieldType]: rules },
        ...rest,
      },
    })
  const ids: Record<string, string> = {}
  for (const [slug, [fieldType, rules, rest]] of Object.entries(fields)) {
    const field = await addField(slug, fieldType, rules, rest)
    if (field.status !== 201) throw new Error(JSON.stringify(field.body))
    ids[slug] = field.body.data.id
  }
  const entries = `/v2/extensions/${slug}`
  return {
    id: id as string,
    slug: slug as string,
    type: type as string,
    settings,
    entries,
    ids,
    addField,
    entry: (values: object) => ({ data: { type, ...values } }),
    create: (values: object) => client.post(entries, { data: { type, ...values } }),
    putField: (slug: string, facts: object) =>
      client.put(`${settings}/fields/${ids[slug]}`, {
        data: { type: 'custom_field', name: slug, slug, ...facts },
      }),
  }
}
