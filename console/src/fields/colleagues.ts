import { send } from '../api/client.ts'
import type { ResourceFields } from '../api/document.ts'
import { valueAt } from '../api/objects.ts'

const realms = '/v2/authentication-realms/'
const userType = 'user_authentication_info'

/** The realm of colleagues, which never changes. */
export const merchantRealmQuery = {
  queryKey: ['merchant-realm'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const { body } = await send({ path: '/v2/merchant-realm-mappings', signal })
    known = String(valueAt(body, 'data.realm_id'))
    return known
  },
  staleTime: Number.POSITIVE_INFINITY,
}

let known: string | undefined

export const usersOf = (realmId: string): string => `${realms}${realmId}/user-authentication-info`

/** Whether the users that some fields refer to are colleagues: no path says of which realm they are. */
export const refersToColleagues = ({ shown }: ResourceFields, path: string): boolean =>
  !path.startsWith(realms) && shown.some(({ refers }) => refers === userType)

/** From where what an object refers to is found: colleagues are in the realm of theirs. */
export const placeOf = (type: string, near: string): string =>
  type === userType && known !== undefined && !near.startsWith(realms) ? usersOf(known) : near
