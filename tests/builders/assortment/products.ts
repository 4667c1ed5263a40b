import type { Client, Reply } from '../../support/world.ts'

export const product = (attributes: object = {}) => ({
  data: { type: 'product', attributes: { name: 'Rye loaf', commodity_type: 'physical', ...attributes } },
})

/** Makes a product; what it answered, or a complaint. */
// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
export async function newProduct(client: Client, attributes: object = {}): Promise<any> {
  const { status, body } = await client.post('/pcm/products', product(attributes))
  if (status === 201) return body.data
  throw new Error(`${status} ${JSON.stringify(body)}`)
}

export const put = (client: Client, id: string, attributes: object): Promise<Reply> =>
  client.put(`/pcm/products/${id}`, { data: { type: 'product', id, attributes } })

/** What a refusal says. */
export const refusal = ({ status, body }: Reply): [status: number, source: string, detail: string] => [
  status,
  body.errors?.[0].source,
  body.errors?.[0].detail,
]

/** The names of what a list shows. */
export async function namesIn(client: Client, path: string): Promise<string[]> {
  const { status, body } = await client.get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  const names = body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
  if (names.length !== body.meta.results.total) throw new Error(`${path}: the total is not what is shown`)
  return names.sort()
}
