import { randomUUID } from 'node:crypto'
import { idOf } from '../../support/requests.ts'
import type { Client, World } from '../../support/world.ts'

/** Short ways to say what most of these tests say. */
export const catalogs = '/catalogs'
export const rules = '/catalogs/rules'

export const catalogBody = (attributes: object) => ({
  data: { type: 'catalog', attributes: { name: 'Bakery', hierarchy_ids: [], ...attributes } },
})
export const ruleBody = (attributes: object) => ({
  data: { type: 'catalog_rule', attributes: { name: 'a rule', ...attributes } },
})

export const makeCatalog = (client: Client, attributes: object = {}): Promise<string> =>
  idOf(client.post(catalogs, catalogBody(attributes)))

export const makeRule = (client: Client, catalog_id: string, attributes: object = {}): Promise<string> =>
  idOf(client.post(rules, ruleBody({ catalog_id, ...attributes })))

export const makeHierarchy = (client: Client): Promise<string> =>
  idOf(client.post('/pcm/hierarchies', { data: { type: 'hierarchy', attributes: { name: 'Bread' } } }))

export const makePricebook = (client: Client): Promise<string> =>
  idOf(client.post('/pcm/pricebooks', { data: { type: 'pricebook', attributes: { name: randomUUID() } } }))

/** As if the catalog had been published. */
export async function publish(
  { storeId, sql }: World,
  catalogId: string,
  status = 'PUBLISHED',
): Promise<string> {
  const id = randomUUID()
  await sql(
    `INSERT INTO catalog_releases (store_id, catalog_id, id, created_at, updated_at, doc, hidden)
     VALUES ($1, $2, $3, now(), now(), '{}', json_build_object('status', $4::text))`,
    [storeId, catalogId, id, status],
  )
  return id
}

export const unpublish = ({ storeId, sql }: World, releaseId: string) =>
  sql('DELETE FROM catalog_releases WHERE store_id = $1 AND id = $2', [storeId, releaseId])
