import type { Ctx } from './context.ts'

/** For what a request does on behalf of someone whom it only then knows: they are the author of what is recorded. */
export const actingAs = (ctx: Ctx, actor: string): Ctx => ({
  ...ctx,
  who: { ...ctx.who, actor },
  store: ctx.store.by(`${actor} ${ctx.requestId}`),
})
