import { action } from '../kernel/action.ts'
import { Problem } from '../kernel/errors.ts'
import { json } from '../kernel/http/answer.ts'

/** Names the store that the caller's token belongs to; there is no other to be seen. */
export const getStore = action({
  name: 'get-store',
  route: 'GET /v2/stores/:id',
  about: 'Reads the name of the store that the access token belongs to.',
  area: 'stores',
  status: 200,

  async run(ctx, { params }) {
    if (params.id !== ctx.store.id) throw new Problem('not_found', 'store not found')
    const [row] = await ctx.store.glance('SELECT name FROM stores WHERE id = $1')
    return json(200, { data: { type: 'store', id: ctx.store.id, name: row?.[0] } })
  },
})
