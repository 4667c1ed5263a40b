import { isId } from '../kernel/ids.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { oidcProfiles } from './oidc-profiles.ts'

/** The profile that an address names, with our secret at its provider. */
export const findProfile = async (
  work: Work,
  realmId: string,
  id: string,
): Promise<Row<typeof oidcProfiles.fields> | undefined> =>
  isId(realmId) && isId(id) ? work.store.findWhole(oidcProfiles, id, [realmId]) : undefined
