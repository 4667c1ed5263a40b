import { newId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { giveAddress } from './claimed-addresses.ts'
import { customers } from './customers.ts'

/**
 * Deletes the passwords and revokes the tokens of customers who lose their link to a provider: the person who signed in
 * by that link may have set the password. A password that an administrator set stays, unless the customer turns out to
 * be another person; then the address is reset too.
 */
export async function forgetPasswords(
  work: Work,
  userIds: readonly string[],
  isSomeoneElse = false,
): Promise<void> {
  if (isSomeoneElse) for (const id of userIds) await giveAddress(work, id)
  const onlyGeneratedSql = isSomeoneElse ? '' : ` AND r.hidden->>'password_given' IS DISTINCT FROM 'true'`
  await work.store.changeAll(customers, {
    where: (bind) =>
      `r.id = ANY(${bind(userIds)}::uuid[]) AND r.hidden->>'password_hash' IS NOT NULL${onlyGeneratedSql}`,
    doc: () => `(r.doc::jsonb || '{"password": false}')::json`,
    hidden: (bind) =>
      `(r.hidden::jsonb - 'password_hash' || jsonb_build_object('password_epoch', ${bind(newId())}::text))::json`,
  })
}
