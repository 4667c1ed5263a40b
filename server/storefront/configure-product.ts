import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import { parse } from '../kernel/query/parse.ts'
import { field, group } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import type { Selection } from '../pricing/index.ts'
import { refusalsOf } from './configure-bundle.ts'
import type { Family } from './families.ts'
import { findProduct } from './find-published.ts'
import { publishedProducts } from './published-products.ts'
import { type Components, findParents, publishedRowOf } from './published-row.ts'
import { productAnswer } from './read-products.ts'
import type { View } from './view.ts'

const selection = field<Selection>(
  {
    type: 'object',
    maxProperties: 1500,
    additionalProperties: {
      type: 'object',
      maxProperties: 1500,
      additionalProperties: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
    },
  },
  { required: true, about: 'How many of each option, by component.' },
)

interface Configuration {
  readonly selected_options: Selection
}

/** Shows a bundle with the shopper's selection. Nothing is stored. */
export const configureProduct = ({ of, path, phrase, area, viewOf }: Family) =>
  action({
    name: `configure-${of}-product`,
    route: `POST ${path}/products/:product_id/configure`,
    about:
      `Shows a bundle ${phrase} with the selected options, and its price. Where a parent is an option, one of its children may ` +
      'be selected. Nothing is stored.',
    area,
    status: 200,
    reads: true,
    data: group({ selected_options: selection }, { required: true }),
    shows: { resource: publishedProducts },
    async run(ctx, call) {
      const { selected_options } = call.data as Configuration
      const view = await viewOf(ctx, call)
      const row = publishedRowOf(await findProduct(ctx, view, call.params.product_id))
      const { components } = row.doc.attributes
      if (!components) {
        throw new Problem(
          'unprocessable',
          `The product ${row.id} is not a bundle, so it has no options to select.`,
        )
      }
      const parents = await parentsOf(ctx, view, components, selected_options)
      const [refusal] = refusalsOf(row, selected_options, (id) => parents.get(id))
      if (refusal) {
        throw new Problem('unprocessable', refusal.detail, {
          source: `data.selected_options.${refusal.component}`,
        })
      }
      return productAnswer(ctx, view, row, parse(call.query).include, {
        selections: new Map([[row.id, selected_options]]),
      })
    },
  })

/** A bundle has no more options, so no more selected products are looked up. */
const chosenMax = 1500

/** The parents of selected products that are not options themselves, if these are published children of an option. */
async function parentsOf(
  ctx: Ctx,
  view: View,
  components: Components,
  selection: Selection,
): Promise<ReadonlyMap<string, string>> {
  const offered = new Set(Object.values(components).flatMap(({ options }) => options.map(({ id }) => id)))
  const chosen = Object.values(selection).flatMap((options) => Object.keys(options))
  const others = chosen.filter((id) => isId(id) && !offered.has(id))
  return findParents(ctx, view, others.slice(0, chosenMax), [...offered])
}
