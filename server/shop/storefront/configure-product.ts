import { Problem } from '../../kernel/errors.ts'
import { parse } from '../../kernel/query/parse.ts'
import { field, group } from '../../kernel/shape/fields.ts'
import type { Selection } from '../../prices/index.ts'
import { publishedRowOf } from '../shown/published-row.ts'
import { refuseSelection } from '../shown/refuse-selection.ts'
import type { PublishedRead } from './families.ts'
import { findProduct } from './find-published.ts'
import { publishedProducts } from './published-products.ts'
import { productAnswer } from './read-products.ts'

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

interface ChosenOptions {
  readonly selected_options: Selection
}

/** Shows a bundle with the shopper's selection. Nothing is stored. */
export const configureProduct: PublishedRead = {
  name: 'configure-*-product',
  route: 'POST /products/:product_id/configure',
  about:
    'Shows a bundle * with the selected options, and its price. Where a parent is an option, one of its children may ' +
    'be selected. Nothing is stored.',
  reads: true,
  data: group({ selected_options: selection }, { required: true }),
  shows: { resource: publishedProducts },
  async run(ctx, view, call) {
    const { selected_options } = call.data as ChosenOptions
    const row = publishedRowOf(await findProduct(ctx, view, call.params))
    const refusal = await refuseSelection(ctx, view, row, selected_options)
    if (refusal) {
      const { detail, component } = refusal
      throw new Problem('unprocessable', detail, {
        ...(component !== undefined && { source: `data.selected_options.${component}` }),
      })
    }
    return productAnswer(ctx, view, row, parse(call.query).include, {
      selections: new Map([[row.id, selected_options]]),
    })
  },
}
