import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { authenticationRealms } from './authentication-realms.ts'

/** Finds the realm with this id, or throws a 404. */
export async function findRealm(work: Work, id: string): Promise<Row<typeof authenticationRealms.fields>> {
  const realm = isId(id) ? await work.store.find(authenticationRealms, id) : undefined
  if (!realm) throw notFound('authentication realm', id)
  return realm
}
