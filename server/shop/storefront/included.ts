import { Problem } from '../../kernel/errors.ts'
import { joined, textOf } from '../../kernel/http/in-parts.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { named, objectOf } from '../../kernel/openapi/named-schemas.ts'
import { findListed } from '../../kernel/query/find.ts'
import { portionsOf } from '../../kernel/query/portions.ts'
import { text } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { inParts } from '../../kernel/storage/sized-parts.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { nextTurn } from '../../kernel/work/in-turns.ts'
import { files } from '../../store/index.ts'
import { findPublishedRows, optionsOf, type PublishedRow, sizedPublished } from '../shown/published-row.ts'
import { showProducts } from '../shown/show-products.ts'
import type { View } from '../view/view.ts'
import { publishedProducts } from './published-products.ts'

type PublishedRows = readonly PublishedRow[]

/** The rows of a response, again at each call. */
type ShownPortions = () => AsyncIterable<PublishedRows>

interface Finder {
  readonly under: string
  /** The JSON of the objects, by their ids, for some rows at once. May leave out those that are shown already. */
  find(
    ctx: Ctx,
    view: View,
    rows: PublishedRows,
    options: IncludedOptions & { readonly shownIds: ReadonlySet<string> },
  ): AsyncIterable<readonly ShownObject[]>
}

type ShownObject = readonly [id: string, text: string]

interface IncludedOptions {
  /** The rows are listed as the options of a bundle. */
  readonly areComponents?: boolean
}

/** Products of a page share pictures. */
const without = (ids: readonly string[], others: ReadonlySet<string>) => ids.filter((id) => !others.has(id))

/** More options are refused, because a client would take some of them for all. */
const optionsMax = 10_000

/** The objects that `include` may name. Files are the current ones. */
const finders: Readonly<Record<string, Finder>> = {
  main_image: {
    under: 'main_images',
    find: (ctx, _view, rows, { shownIds }) => {
      const ids = rows.flatMap(({ doc }) => doc.relationships.main_image?.data.id ?? [])
      return filesOf(ctx, without(ids, shownIds))
    },
  },
  files: {
    under: 'files',
    find: (ctx, _view, rows, { shownIds }) => {
      const ids = rows.flatMap(({ doc }) => (doc.relationships.files?.data ?? []).map(({ id }) => id))
      return filesOf(ctx, without(ids, shownIds))
    },
  },
  component_products: {
    under: 'component_products',
    async *find(ctx, view, rows, { areComponents }) {
      if (areComponents) yield await showAll(ctx, view, rows)
      else yield* optionsOfAll(ctx, view, rows)
    },
  },
}

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
  for await (const part of inParts(ctx.store, sizedPublished(view), ids)) {
    const options = await findPublishedRows(ctx, view, part)
    const objects = await showAll(ctx, view, [...options.values()])
    await nextTurn()
    yield objects
  }
}

async function showAll(ctx: Ctx, view: View, rows: PublishedRows): Promise<readonly ShownObject[]> {
  const objects = await showProducts(ctx, view, rows)
  return rows.map(({ id }, i) => [id, JSON.stringify(objects[i])] as const)
}

async function* filesOf(ctx: Ctx, ids: readonly string[]): AsyncGenerator<readonly ShownObject[]> {
  for await (const rows of portionsOf(await findListed(ctx, files, ids)))
    yield rows.map((row) => [row.id, objectText(files, row, ctx, true)] as const)
}

/** For the API document. */
export const included = named(
  'IncludedWithPublishedProducts',
  shown.as({
    type: 'object',
    description: 'The objects that `include` names.',
    properties: {
      main_images: shown.list(objectOf(() => files)).schema,
      files: shown.list(objectOf(() => files)).schema,
      component_products: shown.list(objectOf(() => publishedProducts)).schema,
    },
  }),
)

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
    yield* joined(onlyOnce(portions, (rows, shownIds) => find(ctx, view, rows, { ...options, shownIds })))
    yield ']'
  }
  yield '}'
}

/** The objects that a function finds for the rows, each once. */
async function* onlyOnce(
  portions: ShownPortions,
  find: (rows: PublishedRows, shownIds: ReadonlySet<string>) => AsyncIterable<readonly ShownObject[]>,
): AsyncGenerator<readonly string[]> {
  const ids = new Set<string>()
  for await (const rows of portions()) {
    for await (const objects of find(rows, ids)) {
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
