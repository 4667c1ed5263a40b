import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageAnswer } from '../../kernel/http/page-answer.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { limits, parse } from '../../kernel/query/parse.ts'
import { exportObjects } from '../../kernel/request/export-list.ts'
import { json } from '../../kernel/shape/answer.ts'
import { type ShownValue, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { storeName } from './store-name.ts'

const store = named('Store', shown.group({ type: shown.constant('store'), id: shown.uuid, name: shown.text }))

const storeOf = async (ctx: Ctx): Promise<ShownValue<typeof store>> => ({
  type: 'store',
  id: ctx.store.id,
  name: await storeName(ctx),
})

/** A token belongs to one store, so the list has only that store. */
export const listStores = action({
  name: 'list-stores',
  route: 'GET /v2/stores',
  about: 'Lists the store of the access token.',
  area: 'stores',
  status: 200,
  shows: { page: true, data: store },

  async run(ctx, call) {
    const query = parse(call.query)
    if (ctx.lines) return exportObjects(ctx, query, [JSON.stringify(await storeOf(ctx))], store)
    const { limit = limits.pageMax, offset } = query
    const data = offset === 0 && limit > 0 ? JSON.stringify(await storeOf(ctx)) : ''
    return pageAnswer(200, data, { rows: [], total: 1, limit, offset, unmerged: 0 }, ctx, call)
  },
})

export const getStore = action({
  name: 'get-store',
  route: 'GET /v2/stores/:id',
  about: 'Reads the name of the store of the access token.',
  area: 'stores',
  status: 200,
  shows: { data: store },

  async run(ctx, { params }) {
    if (params.id !== ctx.store.id) throw notFound('store', params.id)
    return json(200, { data: await storeOf(ctx) })
  },
})
