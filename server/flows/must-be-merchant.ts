import { wrongToken } from '../kernel/auth/access.ts'
import type { Ctx } from '../kernel/work/context.ts'

/** Refuses shoppers: entries of core flows are parts of objects that only merchants see. */
export function mustBeMerchant({ instance, who }: Ctx): void {
  if (who.kind !== 'client_credentials') throw wrongToken(instance, who, ['client_credentials'])
}
