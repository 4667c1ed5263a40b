import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { joined, textOf } from '../../kernel/http/in-parts.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { named, objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findListed } from '../../kernel/query/find.ts'
import { portionsOf } from '../../kernel/query/portions.ts'
import { type JsonSchema, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { nextTurn } from '../../kernel/work/in-turns.ts'
import { files } from '../../store/index.ts'
import { findPublishedRows, optionsOf, type PublishedRow } from '../shown/published-row.ts'
import { showProducts } from '../shown/show-products.ts'
import type { View } from '../view/view.ts'
import { publishedProducts } from './published-products.ts'

type PublishedRows = readonly PublishedRow[]

/** The rows of a response, again at each call. */
type ShownPortions = () => AsyncIterable<PublishedRows>

interface Finder {
  readonly under: string
  /** The JSON of the objects, by their ids, for some rows at once. */
  find(
    ctx: Ctx,
    view: View,
    rows: PublishedRows,
    options: IncludedOptions,
  ): AsyncIterable<readonly ShownObject[]>
}

type ShownObject = readonly [id: string, text: string]

interface IncludedOptions {
  /** The rows are listed as the options of a bundle. */
  readonly areComponents?: boolean
}

/** More options are refused, because a client would take some of them for all. */
const optionsMax = 10_000

/** The objects that `include` may name. Files are the current ones. */
const finders: Readonly<Record<string, Finder>> = {
  main_image: {
    under: 'main_images',
    find: (ctx, _view, rows) =>
      filesOf(
        ctx,
        rows.flatMap(({ doc }) => doc.relationships.main_image?.data.id ?? []),
      ),
  },
  files: {
    under: 'files',
    find: (ctx, _view, rows) =>
      filesOf(
        ctx,
        rows.flatMap(({ doc }) => (doc.relationships.files?.data ?? []).map(({ id }) => id)),
      ),
  },
  component_products: {
    under: 'component_products',
    async *find(ctx, view, rows, { areComponents }) {
      if (areComponents) yield await shown(ctx, view, rows)
      else yield* optionsOfAll(ctx, view, rows)
    },
  },
}

/** How many options are shown at once: at first a few, then as many as have so many characters. */
const atOnce = { first: 20, max: 500, chars: 1_000_000 } as const

async function* optionsOfAll(
  ctx: Ctx,
  view: View,
  rows: PublishedRows,
): AsyncGenerator<readonly ShownObject[]> {
  const ids = [...new Set(rows.flatMap(optionsOf).map(({ id }) => id))]
  if (ids.length > optionsMax) {
    const detail = `The bundles of this page have more than ${optionsMax} options. Request fewer bundles at a time.`
    throw new Problem('bad_request', detail, { source: 'include' })
  }
  let count: number = atOnce.first
  for (let at = 0; at < ids.length; ) {
    const options = await findPublishedRows(ctx, view, ids.slice(at, at + count))
    const objects = await shown(ctx, view, [...options.values()])
    await nextTurn()
    yield objects
    at += count
    const chars = objects.reduce((sum, [, text]) => sum + text.length, 0)
    count = Math.max(1, Math.min(atOnce.max, Math.floor((atOnce.chars * count) / Math.max(1, chars))))
  }
}

async function shown(ctx: Ctx, view: View, rows: PublishedRows): Promise<readonly ShownObject[]> {
  const objects = await showProducts(ctx, view, rows)
  return rows.map(({ id }, i) => [id, JSON.stringify(objects[i])] as const)
}

async function* filesOf(ctx: Ctx, ids: readonly string[]): AsyncGenerator<readonly ShownObject[]> {
  for await (const rows of portionsOf(await findListed(ctx, files, ids)))
    yield rows.map((row) => [row.id, objectText(files, row, ctx, true)] as const)
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

/** The `included` member of a response with these products, after a comma, in parts. */
export async function* includedParts(
  ctx: Ctx,
  view: View,
  names: readonly string[],
  portions: ShownPortions,
  options: IncludedOptions = {},
): AsyncGenerator<string> {
  const requested = names.flatMap((name) => (Object.hasOwn(finders, name) ? (finders[name] ?? []) : []))
  if (!requested.length) return
  for (const [i, { under, find }] of requested.entries()) {
    yield `${i === 0 ? ',"included":{' : ','}"${under}":[`
    yield* joined(onlyOnce(portions, (rows) => find(ctx, view, rows, options)))
    yield ']'
  }
  yield '}'
}

/** The objects that a function finds for the rows, each once. */
async function* onlyOnce(
  portions: ShownPortions,
  find: (rows: PublishedRows) => AsyncIterable<readonly ShownObject[]>,
): AsyncGenerator<readonly string[]> {
  const ids = new Set<string>()
  for await (const rows of portions()) {
    for await (const objects of find(rows)) {
      yield objects.filter(([id]) => !ids.has(id)).map(([, text]) => text)
      for (const [id] of objects) ids.add(id)
    }
  }
}

/** As `includedParts`, for a few products. */
export function includedText(
  ctx: Ctx,
  view: View,
  names: readonly string[],
  rows: PublishedRows,
): Promise<string> {
  async function* portions() {
    yield rows
  }
  return textOf(includedParts(ctx, view, names, portions))
}
