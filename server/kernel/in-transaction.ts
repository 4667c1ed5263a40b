import type { Ctx } from './context.ts'
import { queue } from './jobs.ts'

/** One part of an action in a transaction: for an action that also calls out, which no transaction may wait for. */
export const inTransaction = <T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  ctx.instance.database.transaction((transaction) =>
    work({
      ...ctx,
      store: ctx.store.within(transaction),
      later: (job, payload, key) => queue(transaction, job, payload, key),
    }),
  )
