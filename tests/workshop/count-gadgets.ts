import { action } from '../../server/kernel/declare/action.ts'
import { json } from '../../server/kernel/shape/answer.ts'
import { group, list, text } from '../../server/kernel/shape/fields.ts'

/** A query with a body. */
export const countGadgets = action({
  name: 'count-gadgets',
  route: 'POST /v2/gadget-counts',
  about: 'Counts the gadgets that have one of these names.',
  area: 'gadgets',
  status: 200,
  reads: true,
  data: group(
    { names: list(text({ max: 255 }), { maxItems: 10, about: 'The names.' }) },
    { required: true, about: 'The query.' },
  ),
  async run({ store }, { data }) {
    const { names = [] } = data as { readonly names?: readonly string[] }
    const [row] = await store.run(
      `SELECT count(*) FROM gadgets WHERE store_id = $1 AND doc->>'name' = ANY($2::text[])`,
      names,
    )
    return json(200, { data: { count: Number(row?.[0]), inTransaction: store.inTransaction } })
  },
})
