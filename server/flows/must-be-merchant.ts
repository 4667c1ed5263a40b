import { wrongToken } from '../kernel/auth/access.ts'
import type { Ctx } from '../kernel/work/context.ts'

/** Entries of core flows are part of objects that only merchants see. */
export function mustBeMerchant({ instance, who }: Ctx): void {
  if (who.kind !== 'client_credentials') throw wrongToken(instance, who, ['client_credentials'])
}
