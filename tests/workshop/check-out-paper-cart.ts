import { action } from '../../server/kernel/declare/action.ts'
import { Problem } from '../../server/kernel/errors.ts'
import { objectAnswer } from '../../server/kernel/http/object-answer.ts'
import { findOrCreate } from '../../server/kernel/request/first-write.ts'
import type { Ctx } from '../../server/kernel/work/context.ts'
import type { Job } from '../../server/kernel/work/job.ts'
import { add, change } from '../../server/kernel/write/by-rules.ts'
import { paperCarts } from './paper-carts.ts'
import { things } from './things.ts'

/** Records each checkout, after the answer. */
export const announceCheckout: Job<{ readonly key: string }> = {
  name: 'workshop:announce-checkout',
  attemptsMax: 3,
  run: async (work) => void (await add(work, things, [], { title: 'announced' })),
}

/** Orders a paper cart. */
export const checkOutPaperCart = action({
  name: 'check-out-paper-cart',
  route: 'POST /v2/paper-carts/:paper_cart_id/checkout',
  about: 'Checks out a paper cart.',
  area: 'paper-carts',
  status: 201,
  queuesBy: 'paper_cart_id',
  body: { type: 'paper-checkout', fields: {} },
  shows: { resource: paperCarts },
  run: (ctx, { params }) => checkOut(ctx, params.paper_cart_id),
})

async function checkOut(ctx: Ctx, key: string) {
  const cart = await findOrCreate(ctx, paperCarts, key)
  if (cart.doc.name === 'empty') throw new Problem('unprocessable', 'The paper cart is empty.')
  await add(ctx, things, [], { title: 'ordered' })
  await ctx.later(announceCheckout, { key }, { key })
  const changed = await change(ctx, paperCarts, [], cart.id, { notes: { ordered: 'yes' } } as never)
  return objectAnswer(201, paperCarts, changed, ctx)
}
