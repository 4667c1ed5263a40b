import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { newId } from '../../kernel/ids.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import { group, text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { priceModifiers } from './price-modifiers.ts'
import { externalRef } from './pricebook-fields.ts'
import { pricebookNameMax, pricebooks } from './pricebooks.ts'
import { prices } from './prices.ts'

const ending = ' (copy)'

export const replicatePricebook = action({
  name: 'replicate-pricebook',
  route: 'POST /pcm/pricebooks/:id/replicate',
  about: 'Copies a price book with its prices and modifiers.',
  area: 'pricebooks',
  status: 201,
  body: {
    type: 'pricebook',
    optional: true,
    fields: {
      attributes: group(
        {
          name: text({
            nullable: true,
            min: 1,
            max: pricebookNameMax,
            about: `The name of the copy. Default: the name of the price book, followed by "${ending}".`,
          }),
          description: text({
            nullable: true,
            about: 'The description of the copy. Default: that of the price book.',
          }),
          external_ref: {
            ...externalRef,
            options: { ...externalRef.options, about: 'The external_ref of the copy. Default: none.' },
          },
        },
        { default: {} },
      ),
    },
  },
  shows: { resource: pricebooks },

  async run(ctx, { params, body: { attributes } }) {
    const { id } = await findByName(ctx, pricebooks, params.id)
    // Deleting the price book would delete its prices, so it is locked.
    await ctx.store.lockShared(pricebooks, id)
    const { doc } = await findById(ctx, pricebooks, id, [])
    const { name, description = doc.description, external_ref } = attributes
    const copy = await add(ctx, pricebooks, [], {
      name: name ?? `${[...doc.name].slice(0, pricebookNameMax - ending.length).join('')}${ending}`,
      description,
      external_ref,
    })
    await copyRows(ctx, prices, id, copy.id)
    await copyRows(ctx, priceModifiers, id, copy.id)
    return objectAnswer(201, pricebooks, copy, ctx)
  },
})

/** Copies all rows of a price book under new ids, in one statement. */
async function copyRows(
  { store }: Work,
  of: typeof prices | typeof priceModifiers,
  from: string,
  to: string,
): Promise<void> {
  const rows = await store.runLong(
    `SELECT id FROM ${of.table} WHERE store_id = $1 AND pricebook_id = $2 ORDER BY created_at, id`,
    from,
  )
  if (!rows.length) return
  await store.insertFrom(of, {
    columns: ['pricebook_id', 'id', 'doc', 'hidden'],
    rows: (bind) => {
      const [ids, newIds] = [bind(rows.map(([id]) => id)), bind(rows.map(() => newId()))]
      const book = bind(to)
      // A price stores the id of its price book.
      return `SELECT ${book}::uuid, pair.new_id, r.doc, CASE WHEN r.hidden IS NOT NULL
          THEN json_build_object('pricebook_id', ${book}::text) END
        FROM unnest(${ids}::uuid[], ${newIds}::uuid[]) AS pair (id, new_id)
        JOIN ${of.table} r ON r.store_id = $1 AND r.id = pair.id`
    },
  })
}
