import { inParallel } from './in-parallel.ts'
import type { AnyJson, Merchant } from './merchant.ts'
import { daysLater, later, type PastClock } from './past-clock.ts'
import { type Colleague, signIn } from './people.ts'
import { drawWare } from './pictures.ts'
import { randomOf, type ShopPlan } from './plan.ts'
import { type Colour, chosenColours, colourNames, departments, series, sizes, type Ware } from './wares.ts'

/** A product as the plan has it. */
export interface PlannedProduct {
  readonly sku: string
  readonly name: string
  readonly ware: Ware
  readonly shelf: string
  readonly department: string
  readonly colour: Colour
  /** In cents of dollars. */
  readonly price: number
}

/** What can be put in a cart: a product without children, or a child. */
export interface Sellable {
  readonly id: string
  readonly sku: string
  readonly price: number
}

export const atOnce = 6

const priceOf = (dollars: number, step: number) => Math.round(dollars * (0.8 + 0.05 * step)) * 100 - 1

/** The products: first one of each shelf, then the second ones, then the next series. */
export function plannedProducts(plan: ShopPlan): readonly PlannedProduct[] {
  const random = randomOf(plan, 'products')
  const shelves = departments.flatMap(({ name: department, shelves }) =>
    shelves.map(({ name, wares }) => ({ department, shelf: name, wares })),
  )
  const longest = Math.max(...shelves.map(({ wares }) => wares.length))
  const kinds = Array.from({ length: longest }, (_, row) =>
    shelves.flatMap(({ wares, ...place }) => {
      const ware = wares[row]
      return ware ? [{ ...place, ware }] : []
    }),
  ).flat()
  return Array.from({ length: plan.counts.products }, (_, i) => {
    const kind = kinds[i % kinds.length] as (typeof kinds)[number]
    const name = series[Math.floor(i / kinds.length) % series.length] as string
    const word = kind.ware.name.toUpperCase().replace(/[^A-Z]+/g, '-')
    return {
      ...kind,
      sku: `${name.slice(0, 3).toUpperCase()}-${word}`,
      name: `${name} ${kind.ware.name.toLowerCase()}`,
      colour: random.pick(colourNames),
      price: priceOf(kind.ware.price, random.integer(0, 8)),
    }
  })
}

/** The text of a product page. */
const textOf = ({ name, ware, department, colour }: PlannedProduct) =>
  `The ${name} is from our ${department.toLowerCase()} department. ` +
  `It comes ${ware.options === 'sizes' ? 'in three sizes' : ware.options ? 'in three colours' : `in ${colour.toLowerCase()}`}.`

/** Uploads the pictures of the products. Returns their ids by shape and colour. */
async function addPictures(merchant: Merchant, products: readonly PlannedProduct[]) {
  const wanted = [...new Set(products.map(({ ware, colour }) => `${ware.shape} ${colour}`))].sort()
  const ids = await inParallel(wanted, atOnce, async (key) => {
    const id = merchant.idOf(`picture ${key}`)
    if ((await merchant.send('GET', `/v2/files/${id}`)).status === 200) return id
    const [shape, colour] = key.split(' ') as [Ware['shape'], Colour]
    const boundary = 'the-picture-is-between'
    const form = Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${shape}-${colour.toLowerCase()}.png"\r\n` +
          'Content-Type: image/png\r\n\r\n',
      ),
      drawWare(shape, colour),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'x-sutler-id': id }
    const { status, body } = await merchant.send('POST', '/v2/files', form, headers)
    if (status !== 201) throw new Error(`a picture was refused (${status}): ${JSON.stringify(body?.errors)}`)
    return id
  })
  return new Map(wanted.map((key, i) => [key, ids[i] as string]))
}

/** The two variations, which all products share, by name. */
async function addVariations(merchant: Merchant) {
  const variation = async (name: string, options: readonly string[]) => {
    const attributes = { name }
    const data = { type: 'product-variation', attributes }
    const { id } = await merchant.create('/pcm/variations', `variation ${name}`, data)
    for (const [sort_order, option] of options.entries()) {
      const path = `/pcm/variations/${id}/options`
      const facts = {
        name: option,
        description: `${name}: ${option}`,
        sort_order: options.length - sort_order,
      }
      const made = await merchant.create(path, `option ${option}`, {
        type: 'product-variation-option',
        attributes: facts,
      })
      const word = option.toUpperCase()
      for (const [type, value] of [
        ['sku_append', `-${word}`],
        ['slug_append', `-${word.toLowerCase()}`],
        ['name_append', ` ${option}`],
        ['status', 'live'],
      ]) {
        const modifier = { type: 'product-variation-modifier', attributes: { type, value } }
        await merchant.create(`${path}/${made.id}/modifiers`, `modifier ${option} ${type}`, modifier)
      }
    }
    return id
  }
  return { sizes: await variation('Size', sizes), colours: await variation('Colour', chosenColours) }
}

/** Creates the products with their pictures and children. Returns what can be sold of each, by the product's SKU. */
export async function addProducts(
  merchant: Merchant,
  products: readonly PlannedProduct[],
  onProduct: () => void,
): Promise<ReadonlyMap<string, readonly Sellable[]>> {
  const pictures = await addPictures(merchant, products)
  const variations = await addVariations(merchant)
  const sellable = await inParallel(products, atOnce, async (product): Promise<readonly Sellable[]> => {
    const { sku, name, ware, price } = product
    const picture = pictures.get(`${ware.shape} ${product.colour}`) as string
    const linked =
      ware.options === 'both'
        ? [variations.sizes, variations.colours]
        : ware.options
          ? [variations[ware.options]]
          : []
    const attributes = {
      ...{ name, sku, slug: sku.toLowerCase(), description: textOf(product), status: 'live' },
      commodity_type: 'physical',
      tags: [product.department.toLowerCase()],
      shopper_attributes: { colour: product.colour },
    }
    const relationships = {
      main_image: { data: { type: 'file', id: picture } },
      ...(linked.length > 0 && {
        variations: { data: linked.map((id) => ({ type: 'product-variation', id })) },
      }),
    }
    const data = { type: 'product', attributes, relationships }
    const { id } = await merchant.create('/pcm/products', `product ${sku}`, data)
    onProduct()
    if (linked.length === 0) return [{ id, sku, price }]
    await merchant.do('POST', `/pcm/products/${id}/build`)
    const children = linked.length === 2 ? sizes.length * chosenColours.length : 3
    return merchant.until(`the build of ${sku}`, async () => {
      const built = await merchant.get(`/pcm/products/${id}/children?page[limit]=25`)
      if (built.length < children) return undefined
      return built
        .map((child: AnyJson) => ({ id: child.id, sku: child.attributes.sku, price }))
        .sort((one: Sellable, other: Sellable) => (one.sku < other.sku ? -1 : 1))
    })
  })
  return new Map(products.map(({ sku }, i) => [sku, sellable[i] as readonly Sellable[]]))
}

/** What colleagues have changed by hand in the last weeks, so that the history of products names them. */
export async function editProducts(
  merchant: Merchant,
  clock: PastClock,
  { ends }: ShopPlan,
  products: readonly PlannedProduct[],
  [editor, marketer]: readonly [Colleague, Colleague],
  store: string,
): Promise<void> {
  const some = products.filter((_, i) => i % 5 === 0).slice(0, 12)
  const edits = [
    [
      editor,
      daysLater(ends, -20),
      ({ name }: PlannedProduct) => ({ description: `The ${name}, now from our own workshop.` }),
    ],
    [
      marketer,
      daysLater(ends, -3),
      ({ department }: PlannedProduct) => ({ tags: [department.toLowerCase(), 'favourite'] }),
    ],
  ] as const
  for (const [colleague, at, changesOf] of edits) {
    const token = await clock.at(at, () => signIn(merchant, store, colleague))
    for (const [i, product] of some.entries()) {
      const id = merchant.idOf(`product ${product.sku}`)
      const data = { type: 'product', id, attributes: changesOf(product) }
      await clock.at(later(at, 1 + i), () => merchant.as(token).do('PUT', `/pcm/products/${id}`, data))
    }
  }
}
