import { useQuery } from '@tanstack/react-query'
import { send } from './client.ts'
import type { Right } from './document.ts'
import { valueAt } from './objects.ts'

/** What the caller may do. */
export interface Rights {
  /** The name of the colleague's role; undefined for a key. */
  readonly role: string | undefined
  /** False until they are read. */
  readonly isKnown: boolean
  may(right: Right): boolean
}

/** What the rights of an area allow. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  r: ['read'],
  ru: ['read', 'update'],
  rw: ['read', 'update', 'write'],
}

const nothing: Rights = { role: undefined, isKnown: false, may: () => false }

export const rightsQuery = { queryKey: ['own'], queryFn: readRights, staleTime: 30_000 }

/** The rights of who has signed in. A role may change meanwhile, so they are read again now and then. */
export function useRights(): Rights {
  const { data, isError } = useQuery(rightsQuery)
  // What a caller may not do is then left to the refusals of the server.
  return data ?? (isError ? { ...nothing, isKnown: true, may: () => true } : nothing)
}

async function readRights(): Promise<Rights> {
  const { body } = await send({ path: '/v2/permissions/own' })
  const role = valueAt(body, 'data.role')
  return {
    role: typeof role === 'string' ? role : undefined,
    isKnown: true,
    may(right) {
      const [access = '', area = ''] = right.split(' ')
      return (allowed[String(valueAt(body, `data.areas.${area}`))] ?? []).includes(access)
    },
  }
}
