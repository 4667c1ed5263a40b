import { expect, vi } from 'vitest'
import type { World } from '../../support/world.ts'

type Data = { readonly id: string } & Readonly<Record<string, never>>

/** A merchant who creates products with variations and builds them. */
export class Merchant {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  async #post(path: string, type: string, attributes: object): Promise<string> {
    const { status, body } = await this.#world.admin.post(path, { data: { type, attributes } })
    expect([status, body.errors]).toEqual([201, undefined])
    return (body.data as Data).id
  }

  product = (attributes: object): Promise<string> =>
    this.#post('/pcm/products', 'product', { name: 'Shirt', commodity_type: 'physical', ...attributes })

  /** Creates a variation with these options. Returns its id, and the ids of the options by name. */
  async variation(
    name: string,
    ...options: readonly string[]
  ): Promise<{ id: string; of: Record<string, string> }> {
    const id = await this.#post('/pcm/variations', 'product-variation', { name })
    const of: Record<string, string> = {}
    for (const option of options) of[option] = await this.option(id, option)
    return { id, of }
  }

  option = (variationId: string, name: string, more: object = {}): Promise<string> =>
    this.#post(`/pcm/variations/${variationId}/options`, 'product-variation-option', { name, ...more })

  modifier = (variationId: string, optionId: string | undefined, attributes: object): Promise<string> =>
    this.#post(
      `/pcm/variations/${variationId}/options/${optionId}/modifiers`,
      'product-variation-modifier',
      attributes,
    )

  /** Links a product to these variations, in this order. */
  async link(productId: string, ...variationIds: readonly string[]): Promise<void> {
    const data = variationIds.map((id) => ({ type: 'product-variation', id }))
    const path = `/pcm/products/${productId}/relationships/variations`
    expect((await this.#world.admin.put(path, { data })).status).toBe(204)
  }

  /** Builds a product, waits until the job ends, and returns its messages. */
  async build(productId: string): Promise<string[]> {
    const { status, body } = await this.#world.admin.post(`/pcm/products/${productId}/build`, {})
    expect([status, body.errors]).toEqual([201, undefined])
    const path = `/pcm/jobs/${body.data.id}`
    const ended = async () => {
      const job = (await this.#world.admin.get(path)).body.data
      return ['success', 'failed'].includes(job.attributes.status)
    }
    await vi.waitUntil(ended, { timeout: 20_000, interval: 50 })
    const { data } = (await this.#world.admin.get(`${path}/errors`)).body
    return data.map(({ attributes }: { attributes: { message: string } }) => attributes.message)
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests check the shape of a response.
  async get(productId: string): Promise<any> {
    return (await this.#world.admin.get(`/pcm/products/${productId}`)).body.data
  }

  async change(productId: string, attributes: object): Promise<void> {
    const data = { type: 'product', id: productId, attributes }
    const { status, body } = await this.#world.admin.put(`/pcm/products/${productId}`, { data })
    expect([status, body.errors]).toEqual([200, undefined])
  }

  /** The ids of the children by their SKUs. */
  async children(productId: string): Promise<Record<string, string>> {
    const { body } = await this.#world.admin.get(`/pcm/products/${productId}/children?page[limit]=100`)
    type Child = { id: string; attributes: { sku: string } }
    return Object.fromEntries(body.data.map(({ id, attributes }: Child) => [attributes.sku, id]))
  }
}
