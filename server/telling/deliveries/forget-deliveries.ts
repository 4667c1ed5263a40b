import type { Work } from '../../kernel/work/context.ts'

/**
 * Forgets what targets have answered to events of these objects, because a response may repeat what was sent. It needs
 * a transaction.
 */
export const forgetDeliveries = async ({ store, clock }: Work, ids: readonly string[]): Promise<void> =>
  void (await store.run('SELECT forget_deliveries($1, $2::uuid[], $3)', ids, clock.now()))
