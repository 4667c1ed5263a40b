import type { Work } from '../kernel/context.ts'
import type { Publication } from './publication.ts'
import type { PublishedProduct } from './published-product.ts'
import { searchable } from './searchable.ts'

interface Listed {
  readonly id: string
  readonly updatedAt: string
  readonly published: Pick<PublishedProduct, 'doc' | 'hidden'>
}

/** Writes what a search goes by, of products that are listed from this edition on. */
export async function publishSearch(
  { work: { store }, catalogId, edition }: Publication,
  products: readonly Listed[],
): Promise<void> {
  const found = products
    .filter(({ published }) => published.hidden.listed)
    .map(({ published, ...product }) => ({ ...product, ...searchable(published) }))
  if (!found.length) return
  await store.bulk(
    `INSERT INTO published_texts (store_id, catalog_id, since, id, updated_at, codes, words)
     SELECT $1, $2, $3::int, id, updated_at, ARRAY(SELECT json_array_elements_text(codes)), words
     FROM unnest($4::uuid[], $5::timestamptz[], $6::json[], $7::tsvector[]) AS given (id, updated_at, codes, words)`,
    catalogId,
    edition,
    found.map(({ id }) => id),
    found.map(({ updatedAt }) => updatedAt),
    found.map(({ codes }) => JSON.stringify(codes)),
    found.map(({ words }) => words),
  )
  const values = found.flatMap(({ id, values }) => values.map((value, place) => ({ id, place, ...value })))
  await store.bulk(
    `INSERT INTO published_values (store_id, catalog_id, since, id, place, field, value, number)
     SELECT $1, $2, $3::int, * FROM unnest($4::uuid[], $5::smallint[], $6::text[], $7::text[], $8::float8[])`,
    catalogId,
    edition,
    values.map(({ id }) => id),
    values.map(({ place }) => place),
    values.map(({ field }) => field),
    values.map(({ value }) => value),
    values.map(({ number }) => number),
  )
}

/** Counts the words that an edition brought, and those that it ended; or (-1) takes that back. */
export async function countWords(
  { store }: Work,
  catalogId: string,
  edition: number,
  by: 1 | -1,
): Promise<void> {
  await store.bulk(
    `WITH change AS (
       SELECT word, sum(by)::int AS by FROM (
         SELECT unnest(tsvector_to_array(words)) AS word, $4::int AS by FROM published_texts
         WHERE store_id = $1 AND catalog_id = $2 AND since = $3
         UNION ALL
         SELECT unnest(tsvector_to_array(words)), -$4::int FROM published_texts
         WHERE store_id = $1 AND catalog_id = $2 AND until = $3
       ) each GROUP BY word HAVING sum(by) <> 0
     )
     INSERT INTO published_words (store_id, catalog_id, word, n) SELECT $1, $2, word, by FROM change
     ON CONFLICT (store_id, catalog_id, word) DO UPDATE SET n = published_words.n + excluded.n`,
    catalogId,
    edition,
    by,
  )
  await store.bulk(
    'DELETE FROM published_words WHERE store_id = $1 AND catalog_id = $2 AND n <= 0',
    catalogId,
  )
}
