import { files } from '../files/index.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import { objectText } from '../kernel/http/object-text.ts'
import { named, objectOf } from '../kernel/openapi/named-schemas.ts'
import { findAll } from '../kernel/query/find.ts'
import { type JsonSchema, text } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { publishedProducts } from './published-products.ts'
import { findPublishedRows, optionsOf, type PublishedRow } from './published-row.ts'
import { showProducts } from './show-products.ts'
import type { View } from './view.ts'

type Rows = readonly PublishedRow[]
type Finder = (
  ctx: Ctx,
  view: View,
  rows: Rows,
  components?: Rows,
) => Promise<readonly [name: string, texts: readonly string[]]>

/** More options are refused, because a client would take some of them for all. */
const optionsMax = 10_000

/** The objects that `include` may name. Files are the current ones. */
const finders: Readonly<Record<string, Finder>> = {
  main_image: async (ctx, _view, rows) => {
    const ids = rows.flatMap(({ doc }) => doc.relationships.main_image?.data.id ?? [])
    return ['main_images', await filesOf(ctx, ids)]
  },
  files: async (ctx, _view, rows) => {
    const ids = rows.flatMap(({ doc }) => (doc.relationships.files?.data ?? []).map(({ id }) => id))
    return ['files', await filesOf(ctx, ids)]
  },
  component_products: async (ctx, view, rows, components) => {
    if (components) return shownAs('component_products', ctx, view, components)
    const ids = [...new Set(rows.flatMap(optionsOf).map(({ id }) => id))]
    if (ids.length > optionsMax) {
      const detail = `The bundles of this page have more than ${optionsMax} options. Request fewer bundles at a time.`
      throw new Problem('bad_request', detail, { source: 'include' })
    }
    const products = await findPublishedRows(ctx, view, ids)
    return shownAs('component_products', ctx, view, [...products.values()])
  },
}

const listOf = (resource: () => Resource): JsonSchema => ({ type: 'array', items: objectOf(resource) })

/** For the API document. */
export const includedSchema: JsonSchema = named('IncludedWithPublishedProducts', {
  type: 'object',
  description: 'The objects that `include` names.',
  properties: {
    main_images: listOf(() => files),
    files: listOf(() => files),
    component_products: listOf(() => publishedProducts),
  },
})

export const includeParameter = text({
  about: `The objects to return beside the products, under \`included\`, separated by commas: ${Object.keys(finders).join(', ')}.`,
})

const shownAs = async (name: string, ctx: Ctx, view: View, rows: Rows) => {
  const shown = await showProducts(ctx, view, rows)
  return [name, shown.map((one) => JSON.stringify(one))] as const
}

const filesOf = async (ctx: Ctx, ids: readonly string[]): Promise<readonly string[]> =>
  (await findAll(ctx, files, ids)).map((row) => objectText(files, row, ctx, true))

/**
 * The `included` member of an answer with these products. `components` are the products themselves where they are
 * listed as the options of a bundle.
 */
export async function includedText(
  ctx: Ctx,
  view: View,
  names: readonly string[],
  rows: Rows,
  components?: Rows,
): Promise<string> {
  const requested = names.flatMap((name) => (Object.hasOwn(finders, name) ? (finders[name] ?? []) : []))
  if (!requested.length) return ''
  const texts = await Promise.all(requested.map((find) => find(ctx, view, rows, components)))
  return `,"included":{${texts.map(([name, list]) => `"${name}":[${list.join(',')}]`).join(',')}}`
}
