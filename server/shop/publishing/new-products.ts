import { BinaryArray, binaryArray } from '../../kernel/storage/binary-arrays.ts'
import type { Publishable } from '../sources/find-publishable.ts'
import type { Publication } from '../sources/publication.ts'
import { NewSearchRows } from './publish-search.ts'

/** Attributes that are columns. */
const attributes = ['name', 'sku', 'slug', 'manufacturer_part_num', 'upc_ean'] as const

/**
 * Rows of products that an edition begins. The documents and texts of a product are written into arrays when it is
 * added: PostgreSQL may still store the part before, and whatever waits for it is copied by the garbage collector.
 */
export class NewProducts {
  readonly ids: string[] = []
  readonly #publication: Publication
  readonly #createdAt = new BinaryArray('timestamptz')
  readonly #updatedAt = new BinaryArray('timestamptz')
  readonly #docs = new BinaryArray('json')
  readonly #hidden = new BinaryArray('json')
  readonly #listed = new BinaryArray('bool')
  readonly #parentIds = new BinaryArray('uuid')
  readonly #attributes = attributes.map((name) => ({ name, column: new BinaryArray('text') }))
  readonly #types = new BinaryArray('text')
  readonly #places = {
    id: new BinaryArray('uuid'),
    node: new BinaryArray('uuid'),
    place: new BinaryArray('text'),
    curated: new BinaryArray('bool'),
  }
  readonly #relations: { id: string; name: string; place: number; to: string }[] = []
  readonly #search: NewSearchRows

  constructor(publication: Publication) {
    this.#publication = publication
    this.#search = new NewSearchRows(publication)
  }

  /** `doc` is the document as text, and `hash` is that of all that is published of the product. */
  add({ source, published }: Publishable, doc: string, hash: string): void {
    const { id, createdAt, updatedAt, internal } = source
    const { hidden, nodes, relations } = published
    this.ids.push(id)
    this.#createdAt.add(createdAt)
    this.#updatedAt.add(updatedAt)
    this.#docs.add(doc)
    this.#hidden.add(JSON.stringify({ ...hidden, published_at: this.#publication.at, hash }))
    this.#listed.add(hidden.listed)
    this.#parentIds.add(published.doc.attributes.base_product_id as string | undefined)
    for (const { name, column } of this.#attributes) {
      column.add(published.doc.attributes[name] as string | undefined)
    }
    this.#types.add(internal.product_type)
    for (const { node, place, curated } of nodes) {
      this.#places.id.add(id)
      this.#places.node.add(node)
      this.#places.place.add(place)
      this.#places.curated.add(curated)
    }
    for (const { name, ids } of relations) {
      for (const [place, to] of ids.entries()) this.#relations.push({ id, name, place, to })
    }
    if (hidden.listed) this.#search.add({ id, updatedAt }, published)
  }

  async store(): Promise<void> {
    if (!this.ids.length) return
    await this.#storeProducts()
    await this.#storePlaces()
    await this.#storeRelations()
    await this.#search.store()
  }

  async #storeProducts(): Promise<void> {
    const { work, catalogId, edition } = this.#publication
    await work.store.runLong(
      `INSERT INTO published_products (store_id, catalog_id, since, id, created_at, updated_at, doc, hidden, listed_in,
         parent_id, ${attributes.join(', ')}, product_type)
       SELECT $1, $2, $3::int, id, created_at, updated_at, doc, hidden, CASE WHEN listed THEN $2::uuid END,
         parent_id, ${attributes.join(', ')}, product_type
       FROM unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::json[], $8::json[], $9::boolean[], $10::uuid[],
         $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[]) AS input (id, created_at, updated_at,
         doc, hidden, listed, parent_id, ${attributes.join(', ')}, product_type)`,
      catalogId,
      edition,
      binaryArray('uuid', this.ids),
      this.#createdAt.toBuffer(),
      this.#updatedAt.toBuffer(),
      this.#docs.toBuffer(),
      this.#hidden.toBuffer(),
      this.#listed.toBuffer(),
      this.#parentIds.toBuffer(),
      ...this.#attributes.map(({ column }) => column.toBuffer()),
      this.#types.toBuffer(),
    )
  }

  async #storePlaces(): Promise<void> {
    const { work, catalogId, edition } = this.#publication
    const { id, node, place, curated } = this.#places
    if (!id.count) return
    await work.store.runLong(
      `INSERT INTO published_node_products (store_id, catalog_id, since, id, node_id, place, curated)
       SELECT $1, $2, $3::int, id, node_id, place::numeric, curated
       FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::boolean[]) AS input (id, node_id, place, curated)`,
      catalogId,
      edition,
      id.toBuffer(),
      node.toBuffer(),
      place.toBuffer(),
      curated.toBuffer(),
    )
  }

  async #storeRelations(): Promise<void> {
    const { work, catalogId, edition } = this.#publication
    const relations = this.#relations
    if (!relations.length) return
    await work.store.runLong(
      `INSERT INTO published_relations (store_id, catalog_id, since, product_id, name, place, id)
       SELECT $1, $2, $3::int, * FROM unnest($4::uuid[], $5::text[], $6::int[], $7::uuid[])`,
      catalogId,
      edition,
      relations.map(({ id }) => id),
      relations.map(({ name }) => name),
      relations.map(({ place }) => place),
      relations.map(({ to }) => to),
    )
  }
}
