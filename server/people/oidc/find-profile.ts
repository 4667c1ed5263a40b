import { isId } from '../../kernel/ids.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { oidcProfiles } from './oidc-profiles.ts'

/** Finds the profile with this id, including its client secret. */
export const findProfile = async (
  work: Work,
  realmId: string,
  id: string,
): Promise<Row<typeof oidcProfiles.fields> | undefined> =>
  isId(realmId) && isId(id) ? work.store.findWhole(oidcProfiles, id, [realmId]) : undefined
