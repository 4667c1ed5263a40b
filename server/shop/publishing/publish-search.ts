import { BinaryArray, binaryArray } from '../../kernel/storage/binary-arrays.ts'
import { hasEnded, isCurrent } from '../../kernel/storage/editions.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Publication } from '../sources/publication.ts'
import type { PublishedProduct } from '../sources/published-product.ts'
import type { SearchValue, SearchValues } from '../sources/search-values.ts'
import { searchable } from '../sources/searchable.ts'

/** Search rows of products that are listed from an edition on. */
export class NewSearchRows {
  readonly #publication: Publication
  readonly #ids = new BinaryArray('uuid')
  readonly #updatedAt = new BinaryArray('timestamptz')
  readonly #codes = new BinaryArray('text')
  readonly #words = new BinaryArray('text')
  readonly #valueIds = new BinaryArray('text')
  readonly #wordIds = new BinaryArray('text')
  readonly #numbers: ({ readonly id: string } & SearchRow['numbers'][number])[] = []

  constructor(publication: Publication) {
    this.#publication = publication
  }

  add(
    { id, updatedAt }: { readonly id: string; readonly updatedAt: string },
    published: PublishedProduct,
  ): void {
    const { codes, words, valueIds, wordIds, numbers } = toSearchRow(published, this.#publication.values)
    this.#ids.add(id)
    this.#updatedAt.add(updatedAt)
    this.#codes.add(codes)
    this.#words.add(words)
    this.#valueIds.add(valueIds)
    this.#wordIds.add(wordIds)
    for (const number of numbers) this.#numbers.push({ id, ...number })
  }

  async store(): Promise<void> {
    const { work, catalogId, edition } = this.#publication
    if (!this.#ids.count) return
    await work.store.runLong(
      `INSERT INTO published_texts (store_id, catalog_id, since, id, updated_at, codes, words, value_ids, word_ids)
       SELECT $1, $2, $3::int, id, updated_at, codes::text[], words::tsvector, value_ids::bigint[], word_ids::bigint[]
       FROM unnest($4::uuid[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[])
         AS input (id, updated_at, codes, words, value_ids, word_ids)`,
      catalogId,
      edition,
      this.#ids.toBuffer(),
      this.#updatedAt.toBuffer(),
      this.#codes.toBuffer(),
      this.#words.toBuffer(),
      this.#valueIds.toBuffer(),
      this.#wordIds.toBuffer(),
    )
    await this.#storeNumbers()
  }

  async #storeNumbers(): Promise<void> {
    const { work, catalogId, edition } = this.#publication
    const numbers = this.#numbers
    if (!numbers.length) return
    await work.store.runLong(
      `INSERT INTO published_numbers (store_id, catalog_id, since, id, place, field, number)
       SELECT $1, $2, $3::int, * FROM unnest($4::uuid[], $5::smallint[], $6::text[], $7::float8[])`,
      catalogId,
      edition,
      binaryArray(
        'uuid',
        numbers.map(({ id }) => id),
      ),
      numbers.map(({ place }) => place),
      numbers.map(({ field }) => field),
      numbers.map(({ number }) => number),
    )
  }
}

/** A search row, with lists as PostgreSQL literals. */
interface SearchRow {
  readonly codes: string
  readonly words: string
  readonly valueIds: string
  readonly wordIds: string
  /** The values that are numbers. */
  readonly numbers: readonly { readonly place: number; readonly field: string; readonly number: number }[]
}

export function toSearchRow(
  published: Pick<PublishedProduct, 'doc' | 'hidden'>,
  shared: SearchValues,
): SearchRow {
  const { values, codes, words, wordIds } = searchable(published, shared)
  return {
    codes: `{${codes.map((code) => `"${code}"`).join()}}`,
    words,
    valueIds: `{${values.map(({ id }) => id).join()}}`,
    wordIds: `{${wordIds.join()}}`,
    numbers: values.flatMap(({ field, number }, place) => (number === null ? [] : { place, field, number })),
  }
}

/** `again` rewrites the words of values that an older version wrote. */
export async function storeValues(
  { store }: Work,
  catalogId: string,
  values: readonly SearchValue[],
  again = false,
): Promise<void> {
  const existing = again
    ? '(store_id, catalog_id, field, id) DO UPDATE SET words = excluded.words'
    : 'DO NOTHING'
  await store.runLong(
    `INSERT INTO published_values (store_id, catalog_id, id, field, value, number, words)
     SELECT $1, $2, id, field, value, number, words::tsvector
     FROM unnest($3::bigint[], $4::text[], $5::text[], $6::float8[], $7::text[])
       AS input (id, field, value, number, words)
     ON CONFLICT ${existing}`,
    catalogId,
    values.map(({ id }) => id),
    binaryArray(
      'text',
      values.map(({ field }) => field),
    ),
    binaryArray(
      'text',
      values.map(({ value }) => value),
    ),
    values.map(({ number }) => number),
    binaryArray(
      'text',
      values.map(({ words }) => words),
    ),
  )
}

/**
 * Typos are looked for in words without digits (`words_like`): most words with digits are codes and numbers, each of
 * one product. Codes are lexemes too: see `codeLexeme`.
 */
const isWord = "word !~ '^=|[0-9]'"

/** For a catalog that has no words yet. */
const countAll = `INSERT INTO published_words (store_id, catalog_id, word, n)
  SELECT $1, $2, word, ndoc FROM ts_stat(
    format('SELECT words FROM published_texts WHERE store_id = %L AND catalog_id = %L AND ${isCurrent()}',
      $1::uuid, $2::uuid)) WHERE ${isWord}`

const wordsOf = (column: 'since' | 'until') =>
  `SELECT word FROM published_products p JOIN published_texts t
     ON t.store_id = p.store_id AND t.catalog_id = p.catalog_id AND t.id = p.id AND t.since = p.since,
     unnest(tsvector_to_array(t.words)) word
   WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.${column} = $3 AND ${isWord}
     ${column === 'until' ? `AND ${hasEnded('p')}` : ''}`

const countChanges = `WITH change AS (
    SELECT word, sum(by)::int AS by
    FROM (SELECT word, $4::int AS by FROM (${wordsOf('since')}) begun
      UNION ALL SELECT word, -$4::int FROM (${wordsOf('until')}) ended) each
    GROUP BY word HAVING sum(by) <> 0
  )
  INSERT INTO published_words (store_id, catalog_id, word, n) SELECT $1, $2, word, by FROM change
  ON CONFLICT (store_id, catalog_id, word) DO UPDATE SET n = published_words.n + excluded.n
  RETURNING CASE WHEN n <= 0 THEN word END`

/** Adds the words of rows that an edition began and subtracts those that it ended; -1 reverts this. */
export async function countWords(
  { store }: Work,
  catalogId: string,
  edition: number,
  by: 1 | -1,
): Promise<void> {
  if (edition === 1 && by === 1) return void (await store.runLong(countAll, catalogId))
  const counted = await store.runLong(countChanges, catalogId, edition, by)
  const unused = counted.flatMap(([word]) => word ?? [])
  if (!unused.length) return
  await store.runLong(
    'DELETE FROM published_words WHERE store_id = $1 AND catalog_id = $2 AND word = ANY($3::text[])',
    catalogId,
    unused,
  )
}

/** Recounts the words of the current edition. */
export async function recountWords({ store }: Work, catalogId: string): Promise<void> {
  await store.runLong('DELETE FROM published_words WHERE store_id = $1 AND catalog_id = $2', catalogId)
  await store.runLong(countAll, catalogId)
}

/** Deletes the values that no product of a kept edition has. Only publishing writes values. */
export async function forgetValues({ work, catalogId }: Publication): Promise<void> {
  await work.store.runLong(
    `DELETE FROM published_values v WHERE v.store_id = $1 AND v.catalog_id = $2 AND NOT EXISTS (
       SELECT FROM (
         SELECT unnest(t.value_ids) AS id FROM published_texts t WHERE t.store_id = $1 AND t.catalog_id = $2
       ) used WHERE used.id = v.id)`,
    catalogId,
  )
}
