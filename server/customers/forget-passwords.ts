import type { WhenUnlinked } from '../identity/index.ts'
import { newId } from '../kernel/ids.ts'
import { giveAddress } from './claimed-addresses.ts'
import { customers } from './customers.ts'

/**
 * Takes their passwords from customers who sign in at a provider, when the provider's word for them is gone: whoever
 * came in by it has set them, and must not stay. Their tokens end with them. What an administrator gave is kept, unless
 * the customer turns out to be someone else: then the address goes with the stranger, too.
 */
export const forgetPasswords: WhenUnlinked = async (work, userIds, isSomeoneElse = false) => {
  if (isSomeoneElse) for (const id of userIds) await giveAddress(work, id)
  const theirs = isSomeoneElse ? '' : ` AND r.hidden->>'password_given' IS DISTINCT FROM 'true'`
  await work.store.changeAll(customers, {
    where: (bind) =>
      `r.id = ANY(${bind(userIds)}::uuid[]) AND r.hidden->>'password_hash' IS NOT NULL${theirs}`,
    doc: () => `(r.doc::jsonb || '{"password": false}')::json`,
    hidden: (bind) =>
      `(r.hidden::jsonb - 'password_hash' || jsonb_build_object('password_epoch', ${bind(newId())}::text))::json`,
  })
}
